/// The format of a medium's samples as decoded, before conversion for an output.
package struct SourceFormat: Sendable, Hashable {
    package enum Sample: Sendable, Hashable {
        /// The number of significant bits.
        case integer(bits: Int)
        case floating
    }

    package var sample: Sample
    /// Frames per second.
    package var sampleRate: Int
    /// The number of channels.
    package var channels: Int

    package init(sample: Sample, sampleRate: Int, channels: Int) {
        self.sample = sample
        self.sampleRate = sampleRate
        self.channels = channels
    }
}

extension SourceFormat: CustomStringConvertible {
    /// As in MPD's protocol: rate, bits (`f` for floats) and channels, such as `44100:16:2`.
    package var description: String {
        switch sample {
        case .integer(let bits): "\(sampleRate):\(bits):\(channels)"
        case .floating: "\(sampleRate):f:\(channels)"
        }
    }
}
