package import Segments

/// An HLS playlist (RFC 8216, and its successor's draft as far as players need it).
///
/// Pure, with bounded cost: no playlist causes a trap or takes more memory than a few times its size.
package enum HLSDocument: Sendable, Hashable {
    /// The renditions of one presentation.
    case master(MasterPlaylist)
    /// The segments of one rendition.
    case media(MediaPlaylist)

    /// Whether a document is an HLS playlist, rather than a plain M3U or anything else.
    ///
    /// - Parameter bytes: The document or its start; a few kilobytes are enough in practice.
    package static func isPlaylist(_ bytes: some Collection<UInt8>) -> Bool {
        var lines = PlaylistLines(Array(bytes))
        guard let first = lines.next(), first.bytes.starts(with: "#EXTM3U".utf8) else { return false }
        while let line = lines.next() {
            if isHLSTag(line.bytes) { return true }
        }
        return false
    }

    /// Parses a playlist.
    ///
    /// - Parameters:
    ///   - url: The URL of the playlist, whose query may define variables.
    ///   - defined: Variables of the master playlist.
    package static func parse(
        _ bytes: [UInt8],
        url: String = "",
        defined: [String: String] = [:]
    ) throws(SegmentError) -> HLSDocument {
        var lines = PlaylistLines(bytes)
        guard let first = lines.next(), first.bytes.starts(with: "#EXTM3U".utf8) else { throw .notAPlaylist }
        let variables = PlaylistVariables(url: url, imported: defined)
        while let line = lines.next() {
            guard line.bytes.first == .hash else { continue }
            let tag = PlaylistTag(line)
            if masterTags.contains(tag.name) {
                return .master(try MasterPlaylistParser.parse(bytes, variables: variables))
            }
            if mediaTags.contains(tag.name) {
                return .media(try MediaPlaylistParser.parse(bytes, variables: variables))
            }
        }
        throw .notAPlaylist
    }
}

private let masterTags: Set<String> = [
    "#EXT-X-STREAM-INF", "#EXT-X-MEDIA", "#EXT-X-I-FRAME-STREAM-INF", "#EXT-X-SESSION-DATA", "#EXT-X-SESSION-KEY",
    "#EXT-X-CONTENT-STEERING",
]

private let mediaTags: Set<String> = ["#EXTINF", "#EXT-X-TARGETDURATION", "#EXT-X-MEDIA-SEQUENCE"]

/// Tags that occur in no other kind of M3U; lists of television stations use other `#EXT-X-` tags.
private func isHLSTag(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: "#EXT-X-".utf8) else { return false }
    let name = line.prefix { $0 != .colon }
    return [
        "#EXT-X-TARGETDURATION", "#EXT-X-STREAM-INF", "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-MEDIA",
        "#EXT-X-I-FRAME-STREAM-INF",
    ]
    .contains { name.elementsEqual($0.utf8) }
}
