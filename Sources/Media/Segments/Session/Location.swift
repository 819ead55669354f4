internal import HTTP
internal import Playlists

/// What a playlist names, as a URL that may be asked for.
///
/// - Parameters:
///   - uri: As written.
///   - base: Where the playlist came from.
///   - what: What is there, for an error: "a segment".
package func location(_ uri: String, in base: String, what: String) throws(SegmentError) -> String {
    let url = resolve(uri, against: base, as: .uri)
    // A `file:` URL comes back as its path.
    let scheme = url.firstIndex(of: ":").map { String(url[..<$0]) } ?? "file"
    guard Origin.allows(scheme, from: base) else {
        throw .forbidden(scheme: scheme.contains("/") ? "file" : scheme.lowercased(), what: what)
    }
    return url
}
