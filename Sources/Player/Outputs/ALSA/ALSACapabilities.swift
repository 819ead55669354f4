internal import AudioTypes

/// The formats that a device takes without converting.
///
/// A pure value.
struct ALSACapabilities: Sendable, Hashable {
    var samples: Set<ALSASample> = []
    /// In ascending order.
    var rates: [Int] = []
    /// In ascending order.
    var channels: [Int] = []

    /// The rates that devices are asked for.
    static let knownRates = [
        8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000, 352_800,
        384_000, 705_600, 768_000,
    ]

    /// Whether it can be played to at all.
    var isUsable: Bool { !samples.isEmpty && !rates.isEmpty && !channels.isEmpty }

    /// Whether there is a choice of rates, as at a card that no other program plays to.
    var hasChoice: Bool { rates.count > 1 }

    /// The format of the device that a player's format becomes with the least loss.
    func nearest(to format: AudioFormat) -> AudioFormat {
        AudioFormat(
            sampleFormat: sample(for: format.sampleFormat)?.source ?? format.sampleFormat,
            sampleRate: rate(for: format.sampleRate),
            channels: layout(for: format.channels)
        )
    }

    func sample(for format: SampleFormat) -> ALSASample? {
        ALSASample.choices(for: format).first(where: samples.contains)
    }

    /// The same rate, else a multiple, else the next higher one.
    private func rate(for rate: Int) -> Int {
        if rates.contains(rate) { return rate }
        let higher = rates.filter { $0 > rate }
        return higher.first { $0 % rate == 0 } ?? higher.first ?? rates.last ?? rate
    }

    private func layout(for layout: ChannelLayout) -> ChannelLayout {
        if channels.contains(layout.count) { return layout }
        let count = channels.contains(2) ? 2 : channels.first { $0 > layout.count } ?? channels.last ?? 2
        return ChannelLayout(count: count)
    }

    /// A list for people, such as `S16_LE S32_LE, 44100-192000 Hz, 2 channels`.
    var text: String {
        let names = ALSASample.allCases.filter(samples.contains).map(\.name).joined(separator: " ")
        return "\(names), \(Self.range(rates)) Hz, \(Self.range(channels)) channels"
    }

    private static func range(_ numbers: [Int]) -> String {
        guard let first = numbers.first, let last = numbers.last else { return "no" }
        return first == last ? "\(first)" : "\(first)-\(last)"
    }
}
