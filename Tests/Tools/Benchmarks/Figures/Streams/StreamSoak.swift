import TestSupport

extension Measurement {
    /// A day of radio, compressed: connections that are lost at any moment.
    static let streamSoak = Measurement(
        figures: ["stream_soak"],
        summary:
            "radio whose connection is lost 200 times at random (--soak: 2,000): still playing, memory, descriptors"
    ) { bench, report in
        guard IcecastServer.missing.isEmpty else { return }
        let count = bench.soakSeconds > 60 ? 2000 : bench.isQuick ? 30 : 200
        let source = try await IcecastSource(NetworkMaterial.radio(.mp3), to: IcecastServer.start())
        let relay = try Relay(to: source.port)
        let listener = try await StreamListener(.segue, relay.url(source.url))
        try await listener.capture.waitForSound()
        var memory: [Double] = []
        var descriptors: [Int] = []
        let begin = ContinuousClock.now
        relay.cut(.reset)
        // Each brings up to a second of sound, so that a buffer that is full does not make all of it slow.
        relay.cut(Relay.Cutting(.end, .reset, after: 1...16_000, count: count, seed: bench.seed))
        for step in 1...10 {
            let wanted = count * step / 10
            let isFed = await relay.state.wait(within: .seconds(wanted * 5)) { $0.cuts >= wanted }
            guard isFed, listener.process.isRunning else { break }
            memory.append(listener.process.privateDirty ?? 0)
            descriptors.append(listener.process.openDescriptors)
        }
        let cuts = relay.state.current.cuts
        let from = listener.frames
        try await Moments.sleep(5)
        let isPlaying = listener.process.isRunning && !listener.heard(from: from).order.isEmpty
        var figure = Figure("stream_soak")
        figure.set("disconnects", cuts)
        figure.set("seconds", ContinuousClock.now.seconds(since: begin))
        figure.set("still_playing", isPlaying)
        figure.set("private_dirty_start_mb", memory.first)
        figure.set("private_dirty_end_mb", memory.last)
        figure.set("descriptors_start", descriptors.first)
        figure.set("descriptors_end", descriptors.last)
        let drift = (descriptors.max() ?? 0) - (descriptors.min() ?? 0)
        figure.set("met", isPlaying && cuts == count && drift <= 1)
        report(figure)
    }
}
