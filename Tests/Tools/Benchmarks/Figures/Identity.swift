import AudioTypes
import TestSupport

extension Measurement {
    /// Whether what is lossless stays so.
    static let identity = Measurement(
        figures: ["identical"],
        summary: "FLAC at the sink's rate and format: samples at the monitor that are not the file's"
    ) { bench, report in
        let wide = AudioFormat(sampleFormat: .s32, sampleRate: Material.sampleRate, channels: .stereo)
        for (bits, format) in [(16, AudioFormat.cd), (24, wide)] {
            let file = try await noise(bits: bits)
            let reference = try decoded(file, as: format)
            var figure = Figure("identical")
            figure.set("bits", bits)
            for contestant in [Contestant.segue, .paplay, .mpd, .mpv] {
                var wrong: Int?
                // Another try for what a busy machine lost in the recording.
                for _ in 0..<3 where wrong != 0 && contestant.isInstalled {
                    let heard = try await heard(file, contestant, format)
                    wrong = min(wrong ?? .max, differences(reference, heard))
                }
                figure.set(contestant.rawValue, wrong)
                if contestant == .segue { figure.setLimit(0, for: wrong.map { Double($0) }) }
            }
            figure.set("samples", reference.count)
            report(figure)
        }
    }

    /// A little silence, for a recording may miss the first piece, and five seconds of noise that uses every bit.
    private static func noise(bits: Int) async throws -> String {
        try await MediaFixtures.file("bench-noise\(bits).flac") { path in
            let folder = try TemporaryFolder()
            var generator = SplitMix(state: 3)
            var bytes = [UInt8](repeating: 0, count: Material.sampleRate / 4 * 8)
            for _ in 0..<Material.sampleRate * 5 * 2 {
                let value = Int32(truncatingIfNeeded: generator.next()) & (-1 << Int32(32 - bits))
                for shift in stride(from: Int32(0), to: 32, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: value >> shift))
                }
            }
            let source = try folder.write("noise.raw", bytes)
            let depth = bits == 16 ? ["-sample_fmt", "s16"] : ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"]
            let input = ["-f", "s32le", "-ar", "\(Material.sampleRate)", "-ac", "2", "-i", source]
            try MediaFixtures.ffmpeg(input + ["-c:a", "flac"] + depth + [path])
        }
    }

    /// What FFmpeg makes of a file.
    private static func decoded(_ file: String, as format: AudioFormat) throws -> [Int32] {
        let words = ["-nostdin", "-v", "error", "-i", file, "-f", format.pulseName, "-"]
        let bytes = try ChildProcess.run("ffmpeg", words).output
        let size = format.sampleFormat.bytesPerSample
        return (0..<bytes.count / size).map { index in
            let value = (0..<size).reduce(Int32(0)) { $0 | Int32(bytes[index * size + $1]) << Int32(8 * $1) }
            return size == 2 ? Int32(Int16(truncatingIfNeeded: value)) : value
        }
    }

    private static func heard(
        _ file: String,
        _ contestant: Contestant,
        _ format: AudioFormat
    ) async throws -> [Int32] {
        let server = try await PulseServer.start(NullSink(format: format, rewinds: true))
        let capture = try await MonitorCapture(of: server)
        let mpd = contestant == .mpd ? try await MPD([file], on: server) : nil
        _ = try await mpd?.play()
        let process = try contestant.start([file], on: server)
        try await capture.waitForSound()
        try await capture.waitForSilence()
        mpd?.process.end()
        process?.end()
        return capture.stop().integers()
    }

    /// How many of the samples are not where they belong.
    private static func differences(_ reference: [Int32], _ heard: [Int32]) -> Int {
        // Both begin with silence.
        guard let first = reference.firstIndex(where: { $0 != 0 }), let start = heard.firstIndex(where: { $0 != 0 })
        else { return reference.count }
        return (first..<reference.count).count { index in
            let place = start + index - first
            return place >= heard.count || heard[place] != reference[index]
        }
    }
}
