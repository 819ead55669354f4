package import Songs

/// What songs are sorted by.
package struct SongSort: Sendable, Hashable {
    package enum Key: Sendable, Hashable {
        case tag(TagType)
        case lastModified
        case added
        case priority
    }

    package let key: Key
    package let isDescending: Bool

    /// A name such as `Title`, `-Last-Modified` or `prio`.
    package init(_ name: String) throws(SongFilterError) {
        isDescending = name.utf8.first == UInt8(ascii: "-")
        let name = isDescending ? String(name.dropFirst()) : name
        switch name.lowercased() {
        case "last-modified": key = .lastModified
        case "added": key = .added
        case "prio": key = .priority
        default:
            guard let tag = TagType(name: name) else { throw SongFilterError("Unknown sort tag") }
            key = .tag(tag)
        }
    }

    /// The elements in order; those that are equal in it keep theirs.
    ///
    /// Tags are compared as MPD does: numbers by value, texts by their characters' numbers, and by the tag for sorting where there is one.
    package func sorted<Element>(
        _ elements: [Element],
        song: (Element) -> Song,
        priority: (Element) -> Int = { _ in 0 }
    ) -> [Element] {
        switch key {
        case .lastModified: sorted(elements) { song($0).lastModified ?? 0 }
        case .added: sorted(elements) { song($0).added ?? 0 }
        case .priority: sorted(elements, by: priority)
        case .tag(let tag) where [.track, .disc, .movementNumber].contains(tag):
            sorted(elements) { element in Int(Self.value(song(element), tag).prefix { $0.isNumber }) ?? 0 }
        case .tag(let tag): sorted(elements) { Self.value(song($0), tag) }
        }
    }

    private func sorted<Element>(_ elements: [Element], by key: (Element) -> some Comparable) -> [Element] {
        // Swift's sort is stable; descending must be a comparison of its own to stay so.
        let keyed = elements.map { (key($0), $0) }
        let sorted = isDescending ? keyed.sorted { $1.0 < $0.0 } : keyed.sorted { $0.0 < $1.0 }
        return sorted.map(\.1)
    }

    private static func value(_ song: Song, _ tag: TagType) -> String {
        for candidate in candidates(tag) {
            var found: String?
            _ = song.search(candidate) { value in
                found = String(decoding: value, as: UTF8.self)
                return true
            }
            if let found { return found }
        }
        return ""
    }

    /// The tags that say where a song belongs, the best one first.
    private static func candidates(_ tag: TagType) -> [TagType] {
        switch tag {
        case .artist: [.artistSort, .artist]
        case .album: [.albumSort, .album]
        case .albumArtist: [.albumArtistSort, .albumArtist, .artistSort, .artist]
        case .title: [.titleSort, .title]
        case .composer: [.composerSort, .composer]
        default: [tag] + tag.substitutes
        }
    }
}
