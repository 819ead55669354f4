internal import Glibc

/// What `.mpdignore` files leave out: patterns (fnmatch(3)) for names in their directory and below.
struct IgnoreList {
    static let fileName = ".mpdignore"

    private var patterns: [String] = []

    init() {}

    /// What the directories above `uri` say.
    init(_ music: MusicDirectory, above uri: String) {
        guard !uri.isEmpty else { return }
        self = adding(music, "")
        for (index, byte) in zip(uri.utf8.indices, uri.utf8) where byte == UInt8(ascii: "/") {
            self = adding(music, String(uri[..<index]))
        }
    }

    /// This list and the one in a directory, where there is one.
    func adding(_ music: MusicDirectory, _ uri: String) -> IgnoreList {
        let path = uri.isEmpty ? Self.fileName : uri + "/" + Self.fileName
        guard let text = try? music.contents(of: path, limit: 65_536) else { return self }
        var list = self
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let pattern = Self.trimmed(line)
            if !pattern.isEmpty { list.patterns.append(pattern) }
        }
        return list
    }

    func matches(_ name: String) -> Bool { patterns.contains { unsafe fnmatch($0, name, 0) == 0 } }

    /// The pattern in a line; empty for a comment.
    private static func trimmed(_ line: Substring) -> String {
        if line.first == "#" { return "" }
        var rest = line
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest.drop { $0 == " " || $0 == "\t" })
    }
}

extension MusicDirectory {
    /// A file's bytes; an error when it has more than `limit`.
    func contents(of uri: String, limit: Int) throws(MusicFilesError) -> [UInt8] {
        let file = try open(uri, O_RDONLY)
        guard let state = file.state else { throw .system(errno, uri) }
        guard state.kind == .file else { throw .inaccessible(uri, errno: EISDIR) }
        guard state.size <= limit else { throw .inaccessible(uri, errno: EFBIG) }
        guard let bytes = file.bytes(at: 0, count: state.size) else { throw .system(errno, uri) }
        return bytes
    }
}
