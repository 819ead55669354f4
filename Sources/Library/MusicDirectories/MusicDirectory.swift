package import AudioTypes
internal import Glibc
internal import Songs

/// The music directory as MPD's protocol shows it: files and directories by URIs relative to its root.
///
/// Nothing is kept but the path, so another program's changes are seen at once. Every function is synchronous and may wait
/// for a disk: call them from a thread that may block, never from an event loop or an actor.
package struct MusicDirectory: Sendable, Hashable {
    /// Its path, without a slash at the end.
    package let root: String
    /// Whether links that lead to places in the directory are followed, as MPD's `follow_inside_symlinks` says (`yes` unless
    /// configured).
    package let followsInsideLinks: Bool
    /// Whether links may lead out of the directory, as MPD's `follow_outside_symlinks` says (`yes` unless configured).
    package let followsOutsideLinks: Bool

    package init(root: String, followsInsideLinks: Bool = true, followsOutsideLinks: Bool) {
        self.root = root.count > 1 && root.utf8.last == UInt8(ascii: "/") ? String(root.dropLast()) : root
        self.followsInsideLinks = followsInsideLinks
        self.followsOutsideLinks = followsOutsideLinks
    }

    var followsAllLinks: Bool { followsInsideLinks && followsOutsideLinks }

    /// Where the file of a URI is; it exists, and only links that are followed lead there.
    ///
    /// Nothing is decoded: `%2e` is a percent sign and two letters. The empty URI and `/` are the root.
    package func resolve(_ uri: String) throws(MusicFilesError) -> FilePath {
        let file = try open(uri, pathOnly)
        if followsOutsideLinks { return try path(of: uri) }
        guard let path = file.realPath else { throw .doesNotExist(uri) }
        return path
    }

    /// What the system says of the file of a URI.
    package func state(of uri: String) throws(MusicFilesError) -> FileState {
        guard let state = try open(uri, pathOnly).state else { throw .system(errno, uri) }
        return state
    }

    /// Opens the file of a URI, and looks where it is only then: between a check and its use a link could change.
    func open(_ uri: String, _ flags: Int32) throws(MusicFilesError) -> Descriptor {
        guard let file = Descriptor(try path(of: uri), flags) else { throw .system(errno, uri) }
        if followsAllLinks { return file }
        guard let path = file.realPath, let top = realRoot else { throw .outside(uri) }
        if contains(top, path) {
            if !followsInsideLinks, path != place(of: try checked(uri), in: top) { throw .doesNotExist(uri) }
        } else {
            guard followsOutsideLinks else { throw .outside(uri) }
            // Who leads out is not to be found by way of another link.
            _ = try open(parent(of: uri), pathOnly)
        }
        return file
    }

    /// Whether a link in a directory that may be shown is followed to what was opened.
    func follows(linkTo file: borrowing Descriptor) -> Bool {
        if followsInsideLinks == followsOutsideLinks { return followsInsideLinks }
        guard let path = file.realPath, let top = realRoot else { return false }
        return contains(top, path) ? followsInsideLinks : followsOutsideLinks
    }

    /// The path that a URI names, before links are followed.
    func path(of uri: String) throws(MusicFilesError) -> FilePath {
        let name = try checked(uri)
        guard let path = FilePath(bytes: Array((name.isEmpty ? root : root + "/" + name).utf8)) else {
            throw .malformed(uri)
        }
        return path
    }

    /// The URI of an absolute path below the root, also when it is written by another way that leads there.
    package func uri(ofPath path: String) -> String? {
        uri(ofPath: path, below: root)
            ?? realRoot.flatMap { uri(ofPath: path, below: String(decoding: $0.bytes, as: UTF8.self)) }
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

    private var realRoot: FilePath? {
        FilePath(bytes: Array(root.utf8)).flatMap { Descriptor($0, pathOnly | O_DIRECTORY)?.realPath }
    }
}

/// A URI as a relative path with sound components; the root's is empty.
private func checked(_ uri: String) throws(MusicFilesError) -> String {
    if uri.isEmpty || uri == "/" { return "" }
    guard !uri.utf8.contains(0), !uri.utf8.contains(UInt8(ascii: "\n")), isLocalPath(uri) else { throw .malformed(uri) }
    return uri
}

/// Whether `path` is the directory `top` or below it.
private func contains(_ top: FilePath, _ path: FilePath) -> Bool {
    let (top, path) = (top.bytes, path.bytes)
    guard path.starts(with: top) else { return false }
    return top == [UInt8(ascii: "/")] || path.count == top.count || path[top.count] == UInt8(ascii: "/")
}

/// Where a relative path is in the directory `top` when no link is on the way.
private func place(of name: String, in top: FilePath) -> FilePath? {
    let slash = [UInt8(ascii: "/")]
    return name.isEmpty ? top : FilePath(bytes: (top.bytes == slash ? [] : top.bytes) + slash + Array(name.utf8))
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
