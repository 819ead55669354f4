package import AudioTypes

/// The value of `--output-format` for a file or pipe, `FORMAT:RATE:CHANNELS`; an empty part is the output's own choice.
package struct OutputFormat: Sendable, Hashable {
    package var sampleFormat: SampleFormat?
    /// The bits of a sample that a file keeps; `nil` for all of the format.
    package var depth: Int?
    package var sampleRate: Int?
    package var channels: ChannelLayout?

    package init(
        sampleFormat: SampleFormat? = nil,
        depth: Int? = nil,
        sampleRate: Int? = nil,
        channels: ChannelLayout? = nil
    ) {
        self.sampleFormat = sampleFormat
        self.depth = depth
        self.sampleRate = sampleRate
        self.channels = channels
    }

    package init(parsing text: String) throws(ArgumentProblem) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, parts.contains(where: { !$0.isEmpty }) else {
            throw ArgumentProblem("a format is written FORMAT:RATE:CHANNELS, such as s16:44100:2")
        }
        if !parts[0].isEmpty {
            if parts[0] == "s24" { depth = 24 }
            sampleFormat = depth == nil ? SampleFormat(rawValue: String(parts[0])) : .s32
            guard sampleFormat != nil else { throw ArgumentProblem("sample formats are s16, s24, s32, f32") }
        }
        if parts.count > 1, !parts[1].isEmpty {
            sampleRate = Int(parts[1])
            guard let sampleRate, (1000...768_000).contains(sampleRate) else {
                throw ArgumentProblem("a sample rate is a number from 1000 to 768000")
            }
        }
        if parts.count > 2, !parts[2].isEmpty {
            channels = Self.channels(parts[2])
            guard channels != nil else {
                throw ArgumentProblem("channels are 1 to 8, or mono, stereo, quad, 5.1, 7.1")
            }
        }
    }

    private static func channels(_ text: Substring) -> ChannelLayout? {
        switch text {
        case "mono", "1": .mono
        case "stereo", "2": .stereo
        case "quad", "4": .quad
        case "5.1", "6": .surround51
        case "7.1", "8": .surround71
        case "3": ChannelLayout(count: 3)
        case "5": ChannelLayout(count: 5)
        case "7": ChannelLayout(count: 7)
        default: nil
        }
    }

    /// `preferred`, with the given parts replaced.
    package func applied(to preferred: AudioFormat) -> AudioFormat {
        AudioFormat(
            sampleFormat: sampleFormat ?? preferred.sampleFormat,
            sampleRate: sampleRate ?? preferred.sampleRate,
            channels: channels ?? preferred.channels
        )
    }
}
