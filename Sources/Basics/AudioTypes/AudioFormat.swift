/// The format of interleaved PCM: the contents of a frame, and the number of frames per second.
package struct AudioFormat: Sendable, Hashable {
    package var sampleFormat: SampleFormat
    /// Frames per second, 1 to 768,000.
    package var sampleRate: Int
    package var channels: ChannelLayout

    package init(sampleFormat: SampleFormat, sampleRate: Int, channels: ChannelLayout) {
        precondition((1...768_000).contains(sampleRate), "sample rate out of range")
        self.sampleFormat = sampleFormat
        self.sampleRate = sampleRate
        self.channels = channels
    }

    /// Bytes per frame: one sample of every channel.
    package var bytesPerFrame: Int { sampleFormat.bytesPerSample * channels.count }

    /// The number of frames in `seconds`, rounded to the nearest, and limited to ±2^53.
    package func frames(in seconds: Double) -> Int { Int(sample: (seconds * Double(sampleRate)).rounded()) }

    /// The duration of `frames`, in seconds.
    package func seconds(for frames: Int) -> Double {
        Double(frames) / Double(sampleRate)
    }

    /// 16-bit stereo at 44.1 kHz, as on a CD: the format of an output without a preference.
    package static let cd = AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)
}

extension AudioFormat: CustomStringConvertible {
    package var description: String { "\(sampleFormat.rawValue) \(sampleRate) Hz \(channels)" }
}
