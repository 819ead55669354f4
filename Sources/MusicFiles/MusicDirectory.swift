package import AudioTypes
internal import Glibc

/// The music directory as MPD's protocol shows it: files and directories by URIs relative to its root.
///
/// Nothing is kept but the path, so another program's changes are seen at once. Every function is synchronous and may wait
/// for a disk: call them from a thread that may block, never from an event loop or an actor.
package struct MusicDirectory: Sendable, Hashable {
    /// Its path, without a slash at the end.
    package let root: String
    /// Whether links may lead out of the directory, as MPD's `follow_outside_symlinks` says (`yes` unless configured).
    package let followsOutsideLinks: Bool

    package init(root: String, followsOutsideLinks: Bool) {
        self.root = root.count > 1 && root.utf8.last == UInt8(ascii: "/") ? String(root.dropLast()) : root
        self.followsOutsideLinks = followsOutsideLinks
    }

    /// Where the file of a URI is; it exists, and is inside unless outside links are followed.
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
        guard isInside(file) else { throw .outside(uri) }
        return file
    }

    /// Whether what was opened may be shown.
    func isInside(_ file: borrowing Descriptor) -> Bool {
        if followsOutsideLinks { return true }
        guard let path = file.realPath, let top = realRoot else { return false }
        return contains(top, path)
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
        for top in [root, realRoot.map { String(decoding: $0.bytes, as: UTF8.self) }].compactMap(\.self) {
            guard path.utf8.starts(with: (top == "/" ? top : top + "/").utf8) else { continue }
            let rest = String(decoding: path.utf8.dropFirst(top == "/" ? 1 : top.utf8.count + 1), as: UTF8.self)
            if let uri = withoutDots(rest) { return uri }
        }
        return nil
    }

    private var realRoot: FilePath? {
        FilePath(bytes: Array(root.utf8)).flatMap { Descriptor($0, pathOnly | O_DIRECTORY)?.realPath }
    }
}

/// A URI as a relative path with sound components; the root's is empty.
private func checked(_ uri: String) throws(MusicFilesError) -> String {
    if uri.isEmpty || uri == "/" { return "" }
    guard !uri.utf8.contains(0), !uri.utf8.contains(UInt8(ascii: "\n")) else { throw .malformed(uri) }
    for component in uri.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        let isDots = component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8)
        guard !component.isEmpty, !isDots else { throw .malformed(uri) }
    }
    return uri
}

/// Whether `path` is the directory `top` or below it.
private func contains(_ top: FilePath, _ path: FilePath) -> Bool {
    let (top, path) = (top.bytes, path.bytes)
    guard path.starts(with: top) else { return false }
    return top == [UInt8(ascii: "/")] || path.count == top.count || path[top.count] == UInt8(ascii: "/")
}

/// A relative path with `.` and `..` taken out; `nil` when it leads out or is empty.
private func withoutDots(_ path: String) -> String? {
    var components: [Substring] = []
    for component in path.split(separator: "/") where component != "." {
        if component != ".." {
            components.append(component)
        } else if components.popLast() == nil {
            return nil
        }
    }
    return components.isEmpty ? nil : components.joined(separator: "/")
}
