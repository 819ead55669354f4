package import Songs

/// The sort order of songs.
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

    /// The elements in this order; equal elements keep their order.
    ///
    /// Tags are compared as in MPD: numbers by value, texts by code points, and by the sort tag if there is one.
    package func sorted<Element>(
        _ elements: [Element],
        song: (Element) -> Song,
        priority: (Element) -> Int = { _ in 0 }
    ) -> [Element] {
        switch key {
        case .lastModified: sorted(elements) { song($0).lastModified ?? 0 }
        case .added: sorted(elements) { song($0).added ?? 0 }
        case .priority: sorted(elements, by: priority)
        case .tag(let tag) where Self.isNumber(tag):
            sorted(elements) { element in Self.number(Self.value(song(element), tag)) }
        case .tag(let tag): sorted(elements) { TextKey(text: Self.value(song($0), tag)) }
        }
    }

    private func sorted<Element>(_ elements: [Element], by key: (Element) -> some Comparable) -> [Element] {
        // Swift's sort is stable; a descending sort needs its own comparison to stay so.
        let keyed = elements.map { (key($0), $0) }
        let sorted = isDescending ? keyed.sorted { $1.0 < $0.0 } : keyed.sorted { $0.0 < $1.0 }
        return sorted.map(\.1)
    }

    /// Ordered by UTF-8 bytes, and so by code points.
    private struct TextKey: Comparable {
        let text: String

        static func < (left: Self, right: Self) -> Bool {
            left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
        }

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    }

    /// Whether a tag's values are compared as numbers.
    package static func isNumber(_ tag: TagType) -> Bool { [.track, .disc, .movementNumber].contains(tag) }

    /// The number at the beginning of a value; 0 without one.
    package static func number(_ value: String) -> Int {
        Int(String(decoding: value.utf8.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
    }

    private static func value(_ song: Song, _ tag: TagType) -> String {
        for candidate in candidates(tag) {
            var found: String?
            _ = song.search(candidate) { value in
                found = value.text
                return true
            }
            if let found { return found }
        }
        return ""
    }

    /// The tags that determine a song's place in the order, the preferred one first.
    package static func candidates(_ tag: TagType) -> [TagType] {
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
