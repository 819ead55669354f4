package import AudioTypes

/// A mount of an Icecast server, and what is sent there.
package struct IcecastSettings: Sendable, Hashable {
    package var encoding: StreamEncoding
    package var texts: StreamTexts
    package var host: String
    package var port: UInt16
    /// Begins with a slash.
    package var mount: String
    package var user: String
    package var password: String
    /// Whether the server may list the stream in directories.
    package var isPublic: Bool

    package init(
        _ encoding: StreamEncoding,
        _ texts: StreamTexts,
        host: String,
        port: UInt16 = 8_000,
        mount: String,
        user: String = "source",
        password: String,
        isPublic: Bool = false
    ) {
        self.encoding = encoding
        self.texts = texts
        self.host = host
        self.port = port
        self.mount = mount
        self.user = user
        self.password = password
        self.isPublic = isPublic
    }

    var place: String { "\(host):\(port)\(mount)" }
}

extension StreamOutput {
    /// Sends a stream to an Icecast server, whenever that is there.
    package static func icecast(_ settings: IcecastSettings, format: AudioFormat) throws -> StreamOutput {
        let encoder = try StreamEncoder(settings.encoding, wanted: format)
        return StreamOutput(encoder, to: try IcecastSource(settings), carriesTitles: true)
    }
}
