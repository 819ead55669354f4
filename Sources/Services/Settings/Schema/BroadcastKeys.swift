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
    var description: String?
    var host: String?
    var mount: String?
    var user: String?
    var password: String?
    var isPublic = false
    var folder: String?
    var segmentTime: Int?
    var segmentCount: Int?
    var controlPort: Int?
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
        Setting("description", .line, \.broadcast.description),
        Setting("host", .word(of: 255), \.broadcast.host),
        Setting("mount", mount, \.broadcast.mount),
        Setting("user", .line, \.broadcast.user),
        Setting("password", .line, \.broadcast.password),
        Setting("public", .truth, \.broadcast.isPublic),
        Setting("folder", .path, \.broadcast.folder),
        Setting("segment-seconds", .count(1...30), \.broadcast.segmentTime),
        Setting("segments", .count(3...1_000), \.broadcast.segmentCount),
        Setting("control-port", .count(0...65_535), \.broadcast.controlPort),
    ]
}

extension Schema {
    private static let mount = SettingType("a mount such as \"/radio.ogg\"") { (text: String) in
        BroadcastDraft.mount(text)
    }
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

extension SettingType<String> {
    /// A service's name on the network (RFC 6763, 4.1.1).
    static let serviceName = SettingType("a name of 1 to 63 bytes without control characters") { (text: String) in
        isServiceName(text) ? text : nil
    }

    static func isServiceName(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}

extension SettingType<String> {
    /// A text without spaces.
    static func word(of length: Int) -> Self {
        SettingType("a text of 1 to \(length) bytes without spaces") { (text: String) in
            (1...length).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } ? text : nil
        }
    }
}

extension BroadcastDraft {
    /// A mount, which may be written without its slash.
    static func mount(_ text: String) -> String? {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x3f }) else {
            return nil
        }
        return text.hasPrefix("/") ? text : "/" + text
    }
}

extension Output.Kind {
    /// The keys that have a meaning for this type, of those that not all types have.
    var ownKeys: Set<String> {
        switch self {
        case .pulse: ["server", "device", "when-lost", "movable"]
        case .alsa: ["device", "when-lost", "mixer-control"]
        case .httpd:
            [
                "encoder", "bitrate", "quality", "bind-to-address", "port", "max-clients", "genre", "website",
                "description",
            ]
        case .icecast:
            [
                "encoder", "bitrate", "quality", "host", "port", "mount", "user", "password", "public", "genre",
                "website", "description",
            ]
        case .hls: ["bitrate", "folder", "segment-seconds", "segments"]
        case .snapcast: ["host", "port", "control-port"]
        case .null, .nullFast, .file, .pipe, .fifo: []
        }
    }

    static let keysOfSome = [
        "server", "device", "when-lost", "movable", "mixer-control", "encoder", "bitrate", "quality", "bind-to-address",
        "port",
        "max-clients", "genre", "website", "description", "host", "mount", "user", "password", "public",
        "folder", "segment-seconds", "segments",
        "control-port",
    ]

    /// Types that have a key of their own, for messages.
    static func types(with key: String) -> String {
        let kinds = [Self.pulse, .alsa, .httpd, .icecast, .hls, .snapcast].filter { $0.ownKeys.contains(key) }.map(
            \.plugin
        )
        guard let last = kinds.last else { return "" }
        return kinds.count == 1
            ? "the type \(last)" : "the types \(kinds.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension BroadcastDraft {
    /// The settings of an output of a type; `nil` for a type that sends no stream.
    func finished(_ kind: Output.Kind, named name: String, _ line: Int, _ reading: inout Reading) -> BroadcastSettings?
    {
        guard [.httpd, .icecast, .hls, .snapcast].contains(kind) else { return nil }
        var settings = kind == .snapcast ? .snapcast : BroadcastSettings()
        if kind == .snapcast {
            settings.host = host ?? settings.host
            if let controlPort { settings.controlPort = controlPort == 0 ? nil : UInt16(clamping: controlPort) }
        }
        if let encoder { settings.encoder = encoder }
        settings.bitRate = bitRate.map { $0 * 1_000 }
        settings.quality = quality
        if let bindAddress { settings.bindAddress = Self.isEverywhere(bindAddress) ? nil : bindAddress }
        if let port { settings.port = UInt16(clamping: port) }
        if let maxClients { settings.maxClients = maxClients }
        settings.genre = genre ?? ""
        settings.website = website ?? ""
        settings.description = description ?? ""
        if kind == .hls { fillSegments(&settings, named: name, line, &reading) }
        if kind == .icecast { fill(&settings, named: name, line, &reading) }
        check(settings, named: name, line, &reading)
        return settings
    }

    /// Adds what a stream in segments is.
    private func fillSegments(
        _ settings: inout BroadcastSettings,
        named name: String,
        _ line: Int,
        _ reading: inout Reading
    ) {
        if folder == nil {
            reading.error(line, "an [[output]] of the type hls needs a \"folder\"; \(quoted(name)) has none")
        }
        settings.encoder = .aac
        settings.folder = folder ?? ""
        settings.segmentTime = segmentTime ?? settings.segmentTime
        settings.segmentCount = segmentCount ?? settings.segmentCount
    }

    /// Adds what an Icecast server has to be told.
    private func fill(
        _ settings: inout BroadcastSettings,
        named name: String,
        _ line: Int,
        _ reading: inout Reading
    ) {
        for (key, value) in [("host", host), ("mount", mount), ("password", password)] where value == nil {
            reading.error(line, "an [[output]] of the type icecast needs a \"\(key)\"; \(quoted(name)) has none")
        }
        if !settings.encoder.suitsIcecast {
            let encoder = settings.encoder.rawValue
            reading.error(line, "Icecast takes opus, vorbis, mp3 or aac, not the encoder \(encoder) of \(quoted(name))")
        }
        settings.host = host ?? ""
        settings.mount = mount ?? ""
        settings.user = user ?? settings.user
        settings.password = password ?? ""
        settings.isPublic = isPublic
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
