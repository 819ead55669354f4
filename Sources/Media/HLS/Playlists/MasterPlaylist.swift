package import Segments

/// The renditions of one presentation (RFC 8216, section 4.3.4).
package struct MasterPlaylist: Sendable, Hashable {
    /// In the author's order, not empty.
    package var variants: [Variant] = []
    /// The audio renditions of `EXT-X-MEDIA`.
    package var renditions: [AudioRendition] = []
    /// The subtitles of `EXT-X-MEDIA`; each name and language once, although every group has it.
    package var subtitles: [SubtitleRendition] = []
    /// Where to start.
    package var start: PlaylistStart?
    /// The variables that media playlists may import.
    package var variables: [String: String] = [:]
}
