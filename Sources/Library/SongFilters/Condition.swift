package import Songs

/// A condition on songs.
package indirect enum Condition: Sendable {
    case text(Field, TextMatch, isNegated: Bool)
    /// The index among the filter's patterns.
    case pattern(Field, Int, isNegated: Bool)
    /// At or below a directory.
    case base(String)
    /// Seconds since 1970.
    case modifiedSince(Int)
    case addedSince(Int)
    case format(FormatMask)
    case priority(atLeast: Int)
    case not(Condition)
    case all([Condition])

    package enum Field: Sendable {
        case tag(TagType)
        /// Any tag, but not the URI.
        case anyTag
        case uri
    }
}

extension Condition.Field {
    /// Searches the song's values in this field; if a tag is absent, those of its substitutes.
    func search(_ song: Song, for isMatch: (Span<UInt8>) -> Bool) -> Song.ValueSearch {
        switch self {
        case .anyTag: return song.search(nil, for: isMatch)
        case .uri: return isMatch(Array(withoutCredentials(song.uri).utf8).span) ? .matched : .mismatched
        case .tag(let tag):
            let result = song.search(tag, for: isMatch)
            guard result == .absent else { return result }
            for other in tag.substitutes {
                let result = song.search(other, for: isMatch)
                if result != .absent { return result }
            }
            return .absent
        }
    }
}

extension TagType {
    /// The tags that substitute for an absent one, in MPD's order.
    package var substitutes: [TagType] {
        switch self {
        case .albumArtist, .artistSort: Self.artistOnly
        case .albumArtistSort: Self.albumArtists
        case .albumSort: Self.albumOnly
        default: []
        }
    }

    // Constants, since an array per song would be an allocation.
    private static let artistOnly: [TagType] = [.artist]
    private static let albumArtists: [TagType] = [.albumArtist, .artist]
    private static let albumOnly: [TagType] = [.album]
}
