/// The changes of samples on their way from a file to a sink.
///
/// A pure value; its description is what users are told: `bit-perfect`, or what is done to them.
package struct SoundPath: Sendable, Hashable {
    package var source: SourceFormat
    /// The format in which the player renders.
    package var rendered: AudioFormat
    /// The format that an output receives.
    package var output: AudioFormat
    /// The format of its sink.
    package var sink: AudioFormat
    /// Whether a volume below full or ReplayGain is applied to the samples.
    package var isScaled: Bool

    package init(
        source: SourceFormat,
        rendered: AudioFormat,
        output: AudioFormat,
        sink: AudioFormat,
        isScaled: Bool = false
    ) {
        self.source = source
        self.rendered = rendered
        self.output = output
        self.sink = sink
        self.isScaled = isScaled
    }

    private var resampling: String? {
        var rates = [source.sampleRate]
        for rate in [rendered, output, sink].map(\.sampleRate) where rate != rates.last { rates.append(rate) }
        return rates.count > 1 ? "resampled " + rates.map(Self.kilohertz).joined(separator: "→") : nil
    }

    private static func kilohertz(_ rate: Int) -> String {
        let tenths = (rate + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// The samples of a lossy codec have no depth that could be lost.
    private var depth: String? {
        guard case .integer(let bits) = source.sample, bits > 16 else { return nil }
        if rendered.sampleFormat == .s16 || output.sampleFormat == .s16 { return "dithered" }
        return sink.sampleFormat == .s16 ? "cut to 16 bits" : nil
    }

    private var remix: String? {
        guard source.channels != sink.channels.count, source.channels != 1 else { return nil }
        return "mixed \(source.channels)→\(sink.channels.count)"
    }
}

extension SoundPath: CustomStringConvertible {
    package var description: String {
        let changes = [resampling, depth, remix, isScaled ? "software volume" : nil].compactMap(\.self)
        return changes.isEmpty ? "bit-perfect" : changes.joined(separator: ", ")
    }
}
