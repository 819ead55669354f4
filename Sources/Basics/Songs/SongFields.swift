package import AudioTypes

/// Creating songs, and changed copies of songs.
extension Song {
    /// All properties of a song.
    package struct Fields: Sendable {
        package var uri: String
        package var alternatives: [String] = []
        package var reach = NetworkReach.anywhere
        package var range: Range?
        /// The length of the medium that the range is of, in seconds.
        package var mediumDuration: Double?
        package var lastModified: Int?
        package var added: Int?
        package var format: String?
        package var tags: [(TagType, String)] = []
        package var duration: Double?
        package var isExamined = false
        package var hasSheet = false
    }

    package init(
        uri: String,
        alternatives: [String] = [],
        reach: NetworkReach = .anywhere,
        range: Range? = nil,
        lastModified: Int? = nil,
        added: Int? = nil,
        format: String? = nil,
        tags: [(TagType, String)] = [],
        duration: Double? = nil,
        isExamined: Bool = false,
        hasSheet: Bool = false
    ) {
        self.init(
            Fields(
                uri: uri,
                alternatives: alternatives,
                reach: reach,
                range: range,
                lastModified: lastModified,
                added: added,
                format: format,
                tags: tags,
                duration: duration,
                isExamined: isExamined,
                hasSheet: hasSheet
            )
        )
    }

    /// A copy of the song with changes.
    package func with(_ change: (inout Fields) -> Void) -> Song {
        var fields = Fields(
            uri: uri,
            alternatives: alternatives,
            reach: reach,
            range: range,
            mediumDuration: mediumDuration,
            lastModified: lastModified,
            added: added,
            format: format,
            tags: tags,
            duration: duration,
            isExamined: isExamined,
            hasSheet: hasSheet
        )
        change(&fields)
        return Song(fields)
    }

    /// A copy with another range, and the matching duration.
    package func with(range: Range?, mediumDuration: Double?) -> Song {
        with {
            $0.range = range
            $0.mediumDuration = mediumDuration
            $0.duration = (range?.end ?? mediumDuration).map { max(0, $0 - (range?.start ?? 0)) }
        }
    }

    /// A copy that may only be fetched from addresses that a client may reach as well.
    package func narrowed(to reach: NetworkReach) -> Song { with { $0.reach = $0.reach.narrowed(to: reach) } }

    /// A copy with other tags.
    package func with(tags: [(TagType, String)]) -> Song { with { $0.tags = tags } }

    /// The same song at another place.
    package func with(uri: String) -> Song { with { $0.uri = uri } }

    /// A part of this song, or this song under another name, with other tags.
    ///
    /// - Parameter tags: They replace the song's own values of the same tag.
    package func part(uri: String, range: Range?, tags: [(TagType, String)]) -> Song {
        let given = TagMask(tags.map(\.0))
        return with(range: range, mediumDuration: duration).with {
            $0.uri = uri
            $0.alternatives = []
            $0.tags = tags + $0.tags.filter { !given.contains($0.0) }
            $0.hasSheet = false
        }
    }

    /// A CUE sheet's track, which is part of this song.
    ///
    /// - Parameter tags: The tags from the sheet.
    package func track(uri: String, range: Range?, tags: [(TagType, String)]) -> Song {
        var tags = tags
        // The sheet's performer stands in for a track's missing one; the file's own artist is more reliable.
        let performers = tags.filter { $0.0 == .albumArtist }.map(\.1)
        if !values(of: .artist).isEmpty { tags.removeAll { $0.0 == .artist && performers.contains($0.1) } }
        return part(uri: uri, range: range, tags: tags)
    }
}
