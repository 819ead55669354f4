package import Songs

/// The sort key of a song in its directory: by album, disc and track, then by name with numbers by value.
package struct AlbumOrder: Sendable, Comparable {
    /// `nil` for songs without an album.
    package var album: CollationKey?
    /// 0 when unknown; the same for the track.
    package var disc = 0
    package var track = 0
    private let name: NaturalKey

    /// - Parameter name: The file's name, without its directory.
    package init(name: String) {
        // Letters beyond ASCII sort correctly only when folded; then the name itself decides among equals.
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        self.name = NaturalKey(isASCII ? name : folded(name) + "\0" + name)
    }

    /// Applies a tag; of each kind the first one counts.
    ///
    /// - Parameter key: Creates the album's key: a directory usually has one album.
    package mutating func take(
        _ tag: TagType,
        _ value: @autoclosure () -> String,
        key: (String) -> CollationKey = { CollationKey($0) }
    ) {
        switch tag {
        case .album where album == nil: album = key(value())
        case .disc where disc == 0: disc = Int(value()) ?? 0
        case .track where track == 0: track = Int(value()) ?? 0
        default: break
        }
    }

    package static func < (left: Self, right: Self) -> Bool {
        switch (left.album, right.album) {
        case (nil, nil): break
        case (nil, _): return true
        case (_, nil): return false
        case (let ours?, let others?): if ours != others { return ours < others }
        }
        return (left.disc, left.track, left.name) < (right.disc, right.track, right.name)
    }
}
