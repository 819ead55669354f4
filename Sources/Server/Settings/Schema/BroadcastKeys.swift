internal import ValueText

/// The keys of an output that sends a stream to others, while they are being read.
struct BroadcastDraft: Sendable {
    var encoder: BroadcastSettings.Encoder?
    /// Kilobits per second.
    var bitRate: Int?
    var quality: Double?
    var bindAddress: String?
    var port: Int?
    var maxClients: Int?
    var genre: String?
    var website: String?
}

extension Schema {
    static let broadcast: [Setting<OutputDraft>] = [
        Setting("encoder", .word, \.broadcast.encoder),
        Setting("bitrate", .count(8...1_000), \.broadcast.bitRate),
        Setting("quality", .number(-1...12), \.broadcast.quality),
        Setting("bind-to-address", .text, \.broadcast.bindAddress),
        Setting("port", .count(1...65_535), \.broadcast.port),
        Setting("max-clients", .count(0...10_000), \.broadcast.maxClients),
        Setting("genre", .line, \.broadcast.genre),
        Setting("website", .line, \.broadcast.website),
    ]
}

extension SettingType<Double> {
    static func number(_ range: ClosedRange<Double>) -> Self {
        let (low, high) = (Int(saturating: range.lowerBound), Int(saturating: range.upperBound))
        return SettingType("a number from \(low) to \(high)") { node, _ in
            let number: Double? =
                switch node.value {
                case .integer(let number): Double(number)
                case .number(let number): number
                default: nil
                }
            return number.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingType<String> {
    /// A text that can be sent in the head of a request or a response.
    static let line = SettingType("a text of at most 256 bytes without control characters") { (text: String) in
        text.utf8.count <= 256 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } ? text : nil
    }
}

extension Output.Kind {
    /// The keys that have a meaning for this type, of those that not all types have.
    var ownKeys: Set<String> {
        switch self {
        case .pulse: ["server", "device", "when-lost", "movable"]
        case .httpd:
            ["encoder", "bitrate", "quality", "bind-to-address", "port", "max-clients", "genre", "website"]
        case .null, .nullFast, .file, .pipe, .fifo: []
        }
    }

    static let keysOfSome = [
        "server", "device", "when-lost", "movable", "encoder", "bitrate", "quality", "bind-to-address", "port",
        "max-clients", "genre", "website",
    ]

    /// Types that have a key of their own, for messages.
    static func types(with key: String) -> String {
        let kinds = [Self.pulse, .httpd].filter { $0.ownKeys.contains(key) }.map(\.plugin)
        guard let last = kinds.last else { return "" }
        return kinds.count == 1
            ? "the type \(last)" : "the types \(kinds.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension BroadcastDraft {
    /// The settings of an output of a type; `nil` for a type that sends no stream.
    func finished(_ kind: Output.Kind, named name: String, _ line: Int, _ reading: inout Reading) -> BroadcastSettings?
    {
        guard kind == .httpd else { return nil }
        var settings = BroadcastSettings()
        if let encoder { settings.encoder = encoder }
        settings.bitRate = bitRate.map { $0 * 1_000 }
        settings.quality = quality
        if let bindAddress { settings.bindAddress = Self.isEverywhere(bindAddress) ? nil : bindAddress }
        if let port { settings.port = UInt16(clamping: port) }
        if let maxClients { settings.maxClients = maxClients }
        settings.genre = genre ?? ""
        settings.website = website ?? ""
        check(settings, named: name, line, &reading)
        return settings
    }

    private func check(
        _ settings: BroadcastSettings,
        named name: String,
        _ line: Int,
        _ reading: inout Reading
    ) {
        let encoder = settings.encoder
        if bitRate != nil, quality != nil {
            reading.error(line, "\"bitrate\" and \"quality\" exclude each other; \(quoted(name)) has both")
        } else if bitRate != nil, !encoder.hasBitRate {
            reading.error(line, "\"bitrate\" has no meaning for the encoder \(encoder.rawValue) of \(quoted(name))")
        } else if let quality, encoder.qualities?.contains(quality) != true {
            let range = encoder.qualities.map {
                "must be from \(Int(saturating: $0.lowerBound)) to \(Int(saturating: $0.upperBound))"
            }
            reading.error(
                line,
                "\"quality\" \(range ?? "has no meaning") for the encoder \(encoder.rawValue) of \(quoted(name))"
            )
        }
    }

    /// MPD's words for all addresses.
    static func isEverywhere(_ address: String) -> Bool { ["any", "*", "::", "0.0.0.0"].contains(address) }
}
