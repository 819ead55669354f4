internal import NIOHTTP1
internal import TextEncodings

/// A request for the stream that an output of a zone makes: `/stream/ZONE.EXTENSION`.
package struct StreamRequest: Sendable, Hashable {
    package let zone: String
    /// That of files with the same content, such as `opus`, in small letters.
    package let fileExtension: String
    /// Whether the client reads titles within the stream, as radios do (`Icy-MetaData`).
    package let withTitles: Bool

    /// - Returns: `nil` where a resource is no stream.
    init?(_ resource: WebRequest.Resource, _ target: RequestTarget, _ head: HTTPRequestHead) throws(WebRefusal) {
        guard resource == .stream else { return nil }
        guard let bytes = ByteEscape.percent.decode(target.path.dropFirst(resource.rawValue.count).utf8),
            let name = String(validating: bytes, as: UTF8.self), let point = name.lastIndex(of: ".")
        else {
            throw WebRefusal(
                .notFound,
                "The address of a stream is \(resource.rawValue)ZONE.mp3, or .opus, .flac and so on."
            )
        }
        zone = String(name[..<point])
        fileExtension = name[name.index(after: point)...].lowercased()
        withTitles = head.headers["icy-metadata"].first == "1"
    }
}
