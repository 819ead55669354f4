package import AudioTypes
package import Charsets
package import Files
package import LibraryScan
internal import Songs

/// The music directory as MPD's protocol shows it: files and directories by URIs relative to its root.
///
/// Nothing is kept but the path, so another program's changes are seen at once. Every function is synchronous and may wait
/// for a disk: call them from a thread that may block, never from an event loop or an actor.
package struct MusicDirectory: Sendable, Hashable {
    private let tree: FileTree
    /// Its path, without a slash at the end.
    package var root: String { tree.root }
    /// Whether links that lead to places in the directory are followed, as MPD's `follow_inside_symlinks` says (`yes` unless
    /// configured).
    package var followsInsideLinks: Bool { tree.followsInside }
    /// Whether links may lead out of the directory, as MPD's `follow_outside_symlinks` says (`yes` unless configured).
    package var followsOutsideLinks: Bool { tree.followsOutside }
    /// Its files that are being read, and those that have ended the process; `nil` when that is not kept.
    package let marks: ReadingMarks?
    /// The character sets of texts in it that declare none, by folder.
    package let charsets: CharsetRules

    package init(
        root: String,
        followsInsideLinks: Bool = true,
        followsOutsideLinks: Bool,
        marks: ReadingMarks? = nil,
        charsets: CharsetRules = CharsetRules()
    ) {
        self.marks = marks
        self.charsets = charsets
        tree = FileTree(root: root, followsInside: followsInsideLinks, followsOutside: followsOutsideLinks)
    }

    var followsAllLinks: Bool { followsInsideLinks && followsOutsideLinks }

    /// Where the file of a URI is; it exists, and only links that are followed lead there.
    ///
    /// Nothing is decoded: `%2e` is a percent sign and two letters. The empty URI and `/` are the root.
    package func resolve(_ uri: String) throws(MusicDirectoryError) -> FilePath {
        let file = try open(uri, .place)
        if followsOutsideLinks { return try path(of: uri) }
        guard let path = file.realPath else { throw .doesNotExist(uri) }
        return path
    }

    /// The system's status of the file of a URI.
    package func state(of uri: String) throws(MusicDirectoryError) -> FileStatus {
        let file = try open(uri, .place)
        do { return try file.status } catch { throw .system(error, uri) }
    }

    /// Opens the file of a URI, unless a link leads there that is not followed.
    func open(_ uri: String, _ mode: OpenMode) throws(MusicDirectoryError) -> Descriptor {
        let name = try checked(uri)
        do {
            return try tree.open(name, mode)
        } catch {
            switch error {
            case .system(let error): throw .system(error, uri)
            case .outside: throw .outside(uri)
            case .inside(let name): throw .doesNotExist(name)
            }
        }
    }

    /// The links that are followed at this moment.
    var linkRule: LinkRule { tree.linkRule }

    /// The path that a URI names, before links are followed.
    func path(of uri: String) throws(MusicDirectoryError) -> FilePath {
        guard let path = tree.path(of: try checked(uri)) else { throw .malformed(uri) }
        return path
    }

    /// The URI of an absolute path below the root, also when it is written by another way that leads there.
    package func uri(ofPath path: String) -> String? {
        uri(ofPath: path, below: root)
            ?? tree.realRoot.flatMap { uri(ofPath: path, below: String(decoding: $0.bytes, as: UTF8.self)) }
    }

    /// The URI of a path or a `file:` URL of a client that names the root or something below it; `nil` for all else.
    ///
    /// As in MPD only the letters are compared, so nothing waits for a disk, and `%20` in a URL is three letters of a name.
    package func uri(ofWritten location: String) -> String? {
        let path = location.utf8.starts(with: "file:///".utf8) ? String(location.utf8.dropFirst(7)) ?? "" : location
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        return isSame(path, root) || isSame(path, root + "/") ? "" : uri(ofPath: path, below: root)
    }

    private func uri(ofPath path: String, below top: String) -> String? {
        guard path.utf8.starts(with: (top == "/" ? top : top + "/").utf8) else { return nil }
        let rest = String(decoding: path.utf8.dropFirst(top == "/" ? 1 : top.utf8.count + 1), as: UTF8.self)
        return withoutDots(rest)
    }
}

/// A URI as a relative path with sound components; the root's is empty.
private func checked(_ uri: String) throws(MusicDirectoryError) -> String {
    if uri.isEmpty || uri == "/" { return "" }
    guard !uri.utf8.contains(0), !uri.utf8.contains(UInt8(ascii: "\n")), isLocalPath(uri) else { throw .malformed(uri) }
    return uri
}

/// A relative path with `.` and `..` taken out; `nil` when it leads out or is empty.
private func withoutDots(_ path: String) -> String? {
    var components: [Substring] = []
    for component in path.utf8.split(separator: UInt8(ascii: "/")) where !component.elementsEqual(".".utf8) {
        if !component.elementsEqual("..".utf8) {
            components.append(Substring(component))
        } else if components.popLast() == nil {
            return nil
        }
    }
    return components.isEmpty ? nil : components.joined(separator: "/")
}
