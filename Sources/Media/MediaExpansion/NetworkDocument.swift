package import AudioTypes
package import HTTP
internal import Playlists

/// A small document of the network, such as a playlist.
package struct NetworkDocument: Sendable, Hashable {
    /// Where it was found after all redirections; what it names is relative to that.
    package var url: String
    package var bytes: [UInt8]

    package init(url: String, bytes: [UInt8]) {
        self.url = url
        self.bytes = bytes
    }
}

/// Why a document could not be fetched, in words of a message without the URL: `404 Not Found`.
package struct FetchProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
    /// Whether there is more of it than is fetched.
    package var isTooLarge: Bool
    /// Whether it may be there later.
    package var isTemporary: Bool

    package init(_ description: String, isTooLarge: Bool = false, isTemporary: Bool = false) {
        self.description = description
        self.isTooLarge = isTooLarge
        self.isTemporary = isTemporary
    }
}

/// Gets a document of at most so many bytes; blocks.
///
/// The origin is the URL that was asked for and has led to the document's.
package typealias DocumentFetch = (_ url: String, _ origin: String, _ limit: Int) throws(FetchProblem)
    -> NetworkDocument

/// Fetches over HTTP, with connections that are kept; for one thread.
///
/// - Parameter interrupt: Ends what waits.
package func fetchingDocuments(_ options: HTTPOptions, interrupt: Interrupt) -> DocumentFetch {
    let client = HTTPClient(options, interrupt: interrupt) { _ in }
    return { url, origin, limit throws(FetchProblem) in
        do throws(HTTPError) {
            let document = try client.fetch(url, atMost: limit, origin: origin)
            return NetworkDocument(url: keepingCredentials(of: url, in: document.head.url), bytes: document.bytes)
        } catch {
            throw FetchProblem(
                "\(error)",
                isTooLarge: error.kind == .tooLarge,
                isTemporary: error.isTemporary
            )
        }
    }
}
