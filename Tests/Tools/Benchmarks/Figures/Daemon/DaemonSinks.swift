import AudioTypes
import TestSupport

extension Measurement {
    /// What playing under the daemon costs on the sinks that most people have, at 48 kHz.
    static let daemonSinks = Measurement(
        figures: ["sink48_cpu_per_60s", "sink48_switches"],
        summary: "FLAC at 44.1 kHz and Opus under segued, on PulseAudio and PipeWire at 48 kHz, beside segue play"
    ) { bench, report in
        let window = bench.isQuick ? 20.0 : 120
        for codec in [Material.Codec.flac, .opus] {
            let file = try await Material.music(codec, seconds: 180)
            for sound in ["PulseAudio", "PipeWire"] where sound == "PulseAudio" || PipeWireServer.missing.isEmpty {
                let contestants: [Contestant] = [.segued, .segue, .mpd]
                let runs = try await concurrently(contestants) { contestant in
                    let server = try await soundServer(sound)
                    return try await DaemonPlayingRun.measure(contestant, file, seconds: window, on: server)
                }
                let results = Dictionary(uniqueKeysWithValues: zip(contestants, runs))
                func figure(_ name: String, _ value: (DaemonPlayingRun) -> Double, limit: Double?) -> Figure {
                    var figure = Figure(name)
                    figure.set("medium", codec.rawValue)
                    figure.set("server", sound)
                    for contestant in contestants {
                        figure.set(contestant.rawValue, results[contestant].flatMap { $0.map(value) })
                    }
                    figure.set("seconds", window)
                    figure.setLimit(limit, for: results[.segued].flatMap { $0.map(value) })
                    return figure
                }
                let alone = results[.segue].flatMap { $0?.cpu }
                report(figure("sink48_cpu_per_60s", { $0.cpu }, limit: alone.map { $0 * 1.15 }))
                report(figure("sink48_switches", { $0.switches }, limit: 3))
            }
        }
    }
}

private func soundServer(_ name: String) async throws -> any SoundServer {
    if name == "PipeWire" {
        return try await PipeWireServer.start(
            NullSink(format: AudioFormat(sampleFormat: .f32, sampleRate: 48_000, channels: .stereo), rewinds: true)
        )
    }
    return try await PulseServer.start(
        NullSink(format: AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo), rewinds: true)
    )
}
