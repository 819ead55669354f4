/// What a medium's samples are like as they come out of its decoder, before they are fitted to an output.
package struct SourceFormat: Sendable, Hashable {
    package enum Sample: Sendable, Hashable {
        /// So many bits that mean something.
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
    /// As MPD's clients read it: rate, bits (`f` for floats) and channels, such as `44100:16:2`.
    package var description: String {
        switch sample {
        case .integer(let bits): "\(sampleRate):\(bits):\(channels)"
        case .floating: "\(sampleRate):f:\(channels)"
        }
    }
}
