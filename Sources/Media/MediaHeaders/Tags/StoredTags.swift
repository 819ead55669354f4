package import AudioTypes
package import Charsets
internal import Songs

/// The tags of a medium as the library reads them: each value by itself, and letters as they were written.
///
/// libavformat joins several values, or has the first one; loses lists of genres, and takes bytes of Latin-1 for UTF-8.
package struct StoredTags {
    private let tags: [(TagType, String)]

    /// Reads a local file.
    ///
    /// - Parameter charset: Of texts that declare none; `nil` to judge by them.
    package init(of access: any ByteAccess, charset: Charset? = nil) {
        var reader = HeaderReader()
        var file = ScannedFile(uri: "", size: access.size, modified: 0, inode: 0)
        _ = reader.read(access, into: &file, texts: UndeclaredText(in: charset))
        tags = file.tags
    }

    /// Reads the first bytes of a medium; tags that go beyond them are left out.
    ///
    /// - Parameter charset: Of texts that declare none; `nil` to judge by them.
    package init(in head: [UInt8], charset: Charset? = nil) {
        var reader = HeaderReader()
        var file = ScannedFile(uri: "", size: head.count, modified: 0, inode: 0)
        _ = reader.read(head, into: &file, texts: UndeclaredText(in: charset))
        tags = file.tags
    }

    /// Tags whose values in libavformat are kept: they also have the number of tracks or discs, and descriptions of comments.
    private static let lessThanKnown: Set<TagType> = [.track, .disc, .comment]

    /// Puts the values in the place of libavformat's.
    package func replace(in found: inout Tags) {
        var names: [TagType: [String]] = [:]
        for name in found.names {
            if let tag = TagType(mediaTag: name) { names[tag, default: []].append(name) }
        }
        var values: [TagType: [String]] = [:]
        for (tag, value) in tags { values[tag, default: []].append(value) }
        for (tag, values) in values {
            let usual = tag == .albumArtist ? "album_artist" : tag.name.lowercased()
            let known = names[tag] ?? []
            if Self.lessThanKnown.contains(tag), !known.isEmpty, !found.hasUnreadable(known) { continue }
            let name = known.contains(usual) ? usual : known.first ?? usual
            found.set(name, to: nil)
            for value in values { found.append(value, to: name) }
        }
    }
}

extension Tags {
    /// Whether values have letters that libavformat could not read.
    fileprivate func hasUnreadable(_ names: [String]) -> Bool {
        names.contains { name in self[all: name].contains { $0.unicodeScalars.contains("\u{fffd}") } }
    }
}
