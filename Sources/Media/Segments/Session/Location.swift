internal import HTTP
internal import Playlists

/// Resolves a playlist's location to a URL that may be requested.
///
/// - Parameters:
///   - uri: As written.
///   - base: The URL of the playlist.
///   - what: The kind of resource, for an error: "a segment".
package func location(_ uri: String, in base: String, what: String) throws(SegmentError) -> String {
    let url = resolve(uri, against: base, as: .uri)
    // A `file:` URL comes back as its path.
    let scheme = url.firstIndex(of: ":").map { String(url[..<$0]) } ?? "file"
    guard Origin.allows(scheme, from: base) else {
        throw .forbidden(scheme: scheme.contains("/") ? "file" : scheme.lowercased(), what: what)
    }
    return url
}
