internal import AudioTypes
internal import Songs

/// A stored playlist as it is in its file: one location per line, each with the comments before it.
///
/// MPD writes bare locations; so does Segue, except that the reach of a URL from a client of the network, and of a file from
/// another user, is in a comment. What another program said about a song in `#EXTINF` stays with the song through every change.
struct StoredM3U {
    struct Item {
        /// Lines such as `#EXTINF:12,Title`, with their line feeds.
        var comments = ""
        /// As written, without spaces around it.
        var location: String
    }

    /// Whether the first line is `#EXTM3U`.
    private(set) var isExtended = false
    var items: [Item] = []
    /// Comments behind the last song.
    private var rest = ""

    init() {}

    init(_ bytes: [UInt8]) {
        var text = bytes[...]
        if text.starts(with: byteOrderMark) { text = text.dropFirst(3) }
        var comments = ""
        // Zeros are what a failed power supply leaves of a line; no name has one in it.
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) where !line.contains(0) {
            let line = trimmed(String(decoding: line, as: UTF8.self))
            if line.isEmpty { continue }
            if line.hasPrefix("#") {
                if line == "#EXTM3U" { isExtended = true } else { comments += line + "\n" }
            } else {
                items.append(Item(comments: comments, location: line))
                comments = ""
            }
        }
        rest = comments
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        // Without comments it would be no more than a bare list again.
        if isExtended, items.contains(where: { !$0.comments.isEmpty }) { bytes += "#EXTM3U\n".utf8 }
        for item in items {
            bytes += item.bytes
        }
        return bytes + rest.utf8
    }
}

/// The facts of a stored playlist that are needed to add songs to its file as it is.
struct StoredM3UEnd: Sendable {
    /// How many songs there are.
    var count = 0
    /// Whether the last line lacks its end: another program wrote it so, or was stopped in the middle of it.
    var isOpen: Bool
    /// Whether there are comments behind the last song, which would be taken to be the next one's.
    private(set) var hasComments = false

    init(_ bytes: [UInt8]) {
        isOpen = bytes.last.map { $0 != 0x0a && $0 != 0x0d } ?? false
        let text = bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) where !line.contains(0) {
            guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
            let isComment = first == UInt8(ascii: "#")
            if !isComment { count += 1 }
            hasComments = isComment && !line.starts(with: "#EXTM3U".utf8)
        }
    }
}

let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

extension StoredM3U.Item {
    /// Begins the comment with the reach of a URL from a client of the network, or of a file from another user.
    private static let reachMark = "#SEGUE-REACH:"

    /// A song with the reach of the client that added it, so that loading the playlist cannot widen it.
    init(_ song: Song) {
        location = song.uri
        if song.reach != .anywhere { comments = "\(Self.reachMark)\(song.reach.text)\n" }
    }

    /// The addresses that a URL is fetched from; a URL without a reach was added on this machine.
    var reach: NetworkReach {
        comments.split(separator: "\n").filter { $0.hasPrefix(Self.reachMark) }
            .map { NetworkReach(text: $0.dropFirst(Self.reachMark.count)) ?? .networks([]) }
            .reduce(.anywhere) { $0.narrowed(to: $1) }
    }

    /// Its lines.
    var bytes: [UInt8] { Array(comments.utf8) + Array(location.utf8) + [0x0a] }

    /// The values of `#EXTINF`: seconds and a title.
    var information: (duration: Double?, title: String?) {
        for line in comments.split(separator: "\n").reversed() where line.hasPrefix("#EXTINF:") {
            let text = line.dropFirst(8)
            let comma = text.firstIndex(of: ",") ?? text.endIndex
            let seconds = Double(text[..<comma].prefix { $0 != " " })
            let title = trimmed(String(text[comma...].dropFirst()))
            return (seconds.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }, title.isEmpty ? nil : title)
        }
        return (nil, nil)
    }
}

private func trimmed(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text.drop { $0 == " " || $0 == "\t" })
}
