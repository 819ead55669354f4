internal import NIOHTTP1

/// A request for a small picture: the arguments of the command `artwork`, and the conditions of HTTP.
package struct PictureRequest: Sendable, Hashable {
    /// `nil` for the song that plays.
    package let subject: Subject?
    /// The longer side, in pixels, as the client writes it.
    package let size: String
    /// As the client writes it.
    package let format: String
    /// The version of the picture that the address names.
    package let version: String?
    package let conditions: RequestConditions

    package struct Subject: Sendable, Hashable {
        /// A type of `artwork`.
        package let type: String
        package let uri: String
    }

    /// In pixels.
    private static let usualSize = "512"

    /// - Returns: `nil` where a resource is no picture.
    init?(_ resource: WebRequest.Resource, _ target: RequestTarget, _ head: HTTPRequestHead) throws(WebRefusal) {
        guard resource.isPicture else { return nil }
        subject = try resource.artworkType.map { type throws(WebRefusal) in
            guard let uri = try target.value(of: "uri") else {
                throw WebRefusal(.badRequest, "The address has no uri: \(resource.rawValue)?uri=…")
            }
            return Subject(type: type, uri: uri)
        }
        size = try target.value(of: "size") ?? Self.usualSize
        format = try target.value(of: "format") ?? "jpeg"
        version = try target.value(of: "version")
        conditions = RequestConditions(head)
    }
}
