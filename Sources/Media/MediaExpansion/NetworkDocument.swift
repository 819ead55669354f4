package import AudioTypes
internal import HTTP
internal import Playlists
package import Threads

/// A small document from the network, such as a playlist.
package struct NetworkDocument: Sendable, Hashable {
    /// The URL after all redirections, which the document's references are relative to.
    package var url: String
    package var bytes: [UInt8]
    /// As sent by the server, with parameters; `nil` when absent.
    package var contentType: String?

    package init(url: String, bytes: [UInt8], contentType: String? = nil) {
        self.url = url
        self.bytes = bytes
        self.contentType = contentType
    }

    /// Whether its type or its name, requested or final, is a playlist's.
    func isCalledPlaylist(askedFor asked: String) -> Bool {
        let type = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type.map(playlistTypes.contains) ?? false
            || [asked, url].contains { PlaylistFormat(nameOf: String($0.prefix { $0 != "?" && $0 != "#" })) != nil }
    }
}

private let playlistTypes: Set<String> = [
    "application/mpegurl", "application/pls+xml", "application/vnd.apple.mpegurl", "application/x-cue",
    "application/x-mpegurl", "application/x-ms-asx", "application/xspf+xml", "audio/mpegurl", "audio/scpls",
    "audio/x-mpegurl", "audio/x-ms-wax", "audio/x-scpls", "video/x-ms-asx", "video/x-ms-wvx",
]

/// Why a document could not be fetched, for a message without the URL: `404 Not Found`.
package struct FetchProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
    /// Whether it exceeds the limit.
    package var isTooLarge: Bool
    /// Whether a later attempt may succeed.
    package var isTemporary: Bool

    package init(_ description: String, isTooLarge: Bool = false, isTemporary: Bool = false) {
        self.description = description
        self.isTooLarge = isTooLarge
        self.isTemporary = isTemporary
    }
}

/// Fetches a document of at most so many bytes; blocks.
///
/// The origin is the requested URL that led to the document's.
package typealias DocumentFetch = (_ url: String, _ origin: String, _ limit: Int) throws(FetchProblem)
    -> NetworkDocument

/// Fetches over HTTP, with persistent connections; for one thread.
///
/// - Parameter interrupt: Interrupts blocking calls.
package func fetchingDocuments(_ options: HTTPOptions, interrupt: Interrupt) -> DocumentFetch {
    let client = HTTPClient(options, interrupt: interrupt) { _ in }
    return { url, origin, limit throws(FetchProblem) in
        do throws(HTTPError) {
            let document = try client.fetch(url, atMost: limit, origin: origin)
            return NetworkDocument(
                url: keepingCredentials(of: url, in: document.head.url),
                bytes: document.bytes,
                contentType: document.head.contentType
            )
        } catch {
            throw FetchProblem(
                "\(error)",
                isTooLarge: error.kind == .tooLarge,
                isTemporary: error.isTemporary
            )
        }
    }
}
