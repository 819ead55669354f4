package import AudioTypes

/// A folder whose files are opened by relative paths, and which links that are not followed lead neither through nor out of.
package struct FileTree: Sendable, Hashable {
    /// Why a file is not opened.
    package enum Refusal: Error {
        case system(SystemError)
        /// A link leads out of the tree.
        case outside
        /// A link leads to another place in the tree.
        ///
        /// - Parameter name: Of the file or of a folder on the way.
        case inside(_ name: String)
    }

    /// Its path, without a slash at the end.
    package let root: String
    package let followsInside: Bool
    package let followsOutside: Bool

    package init(root: String, followsInside: Bool, followsOutside: Bool) {
        self.root = root.utf8.count > 1 && root.utf8.last == UInt8(ascii: "/") ? String(root.dropLast()) : root
        self.followsInside = followsInside
        self.followsOutside = followsOutside
    }

    /// The rule for links at this moment: the root may be a link itself.
    package var linkRule: LinkRule {
        let isNeeded = followsInside != followsOutside
        return LinkRule(root: isNeeded ? realRoot : nil, followsInside: followsInside, followsOutside: followsOutside)
    }

    package var realRoot: FilePath? { (try? Descriptor(root, .place))?.realPath }

    /// The path that a relative one names, before links are followed; `nil` when no file can have it.
    package func path(of name: String) -> FilePath? {
        FilePath(bytes: Array((name.isEmpty ? root : root + "/" + name).utf8))
    }

    /// Opens a file, and looks where it is only then: between a check and its use a link could change.
    ///
    /// A file that links which are not followed might lead to is not opened for reading before its place is known: opening
    /// alone does something to some devices.
    ///
    /// - Parameter name: Relative, without `.` and `..`; empty for the root.
    package func open(_ name: String, _ mode: OpenMode) throws(Refusal) -> Descriptor {
        guard let path = path(of: name) else { throw .system(.noSuchFile) }
        let followsAll = followsInside && followsOutside
        let opensAtOnce = followsAll || mode.isOfFolder || mode.names
        let file = try Self.opening { () throws(SystemError) in try Descriptor(path, opensAtOnce ? mode : .place) }
        if followsAll { return file }
        try check(name, file)
        return opensAtOnce ? file : try Self.opening { () throws(SystemError) in try file.reopened(mode) }
    }

    /// Whether only links that are followed lead to a file.
    private func check(_ name: String, _ file: borrowing Descriptor) throws(Refusal) {
        guard let path = file.realPath, let top = realRoot else { throw .outside }
        if path.isWithin(top) {
            if !followsInside, path != place(of: name, in: top) { throw .inside(name) }
        } else {
            guard followsOutside, !name.isEmpty else { throw .outside }
            // A link that leads out is not to be found by way of another one.
            _ = try open(name.utf8.lastIndex(of: slash).map { String(name[..<$0]) } ?? "", .place)
        }
    }

    /// Where a relative path is in the folder `top` when no link is on the way.
    private func place(of name: String, in top: FilePath) -> FilePath? {
        name.isEmpty ? top : FilePath(bytes: (top.bytes == [slash] ? [] : top.bytes) + [slash] + Array(name.utf8))
    }

    private static func opening(_ body: () throws(SystemError) -> Descriptor) throws(Refusal) -> Descriptor {
        do { return try body() } catch { throw .system(error) }
    }
}

private let slash = UInt8(ascii: "/")
