internal import AudioTypes
internal import ValueText

/// Stream settings while they are being read; `nil` for keys that are absent.
struct StreamDraft: Sendable {
    var buffer: Double?
    var reconnectLimit: Double?
    var firstContactLimit: Double?
    var bitRate: Int?
    var userAgent: String?
    var headers: [HTTPOptions.Header]?
    var verifiesCertificates: Bool?

    /// Overrides the settings that are present.
    func apply(to options: inout StreamOptions) {
        options.preferredForwardBuffer = buffer ?? options.preferredForwardBuffer
        options.reconnectLimit = reconnectLimit ?? options.reconnectLimit
        options.firstContactLimit = firstContactLimit ?? options.firstContactLimit
        options.preferredPeakBitRate = bitRate ?? options.preferredPeakBitRate
        options.http.userAgent = userAgent ?? options.http.userAgent
        options.http.headers = headers ?? options.http.headers
        options.http.verifiesCertificates = verifiesCertificates ?? options.http.verifiesCertificates
    }
}

extension Schema {
    /// The keys of `[stream]`, and of `[zone.stream]` for one zone, named like segue's options.
    static let stream: [Setting<StreamDraft>] = [
        Setting("buffer", buffer, \.buffer),
        Setting("reconnect-for", patience, \.reconnectLimit),
        Setting("first-contact", patience, \.firstContactLimit),
        Setting("max-bitrate", bitRate, \.bitRate),
        Setting("user-agent", userAgent, \.userAgent),
        Setting("headers", headers, \.headers),
        Setting("verify-certificates", .truth, \.verifiesCertificates),
    ]

    private static let buffer = SettingType<Double>("a time from 0.5 seconds to 1 hour, as 30, \"30s\" or \"1m\"") {
        node,
        _ in
        node.seconds.flatMap { StreamArgument.bufferRange.contains($0) ? $0 : nil }
    }

    private static let patience = SettingType<Double>("a time, as 90, \"90s\" or \"10m\", or \"forever\"") {
        node,
        _ in
        if case .text("forever") = node.value { return .infinity }
        return node.seconds.flatMap { (0...TimeArgument.limit.seconds).contains($0) ? $0 : nil }
    }

    private static let bitRate = SettingType<Int>("bits per second from 1000 to 1000000000, as 128000 or \"128k\"") {
        node,
        _ in
        switch node.value {
        case .integer(let number): try? StreamArgument.bitRate("\(number)")
        case .text(let text): try? StreamArgument.bitRate(text)
        default: nil
        }
    }

    private static let userAgent = SettingType("a string") { (text: String) throws(ArgumentProblem) in
        try HeaderArgument.value(text)
    }

    private static let headers = SettingType<[HTTPOptions.Header]>("a list of headers such as [\"Name: value\"]") {
        (node, _) throws(ArgumentProblem) in
        guard let texts = node.texts else { return nil }
        var headers: [HTTPOptions.Header] = []
        for text in texts { headers.append(try HeaderArgument.parse(text)) }
        return headers
    }
}
