package import MediaScan
package import Songs

/// What a scanner found.
package enum LibraryChange: Sendable {
    /// A file that is new, or not as it was.
    case file(ScannedFile)
    /// A file or directory that is no more, with all below it.
    case removal(uri: String)
    /// A directory that was read.
    case directory(SeenDirectory)
}

/// A directory as it was read.
package struct SeenDirectory: Sendable {
    /// Relative to the music directory; empty for that itself.
    package var uri: String
    /// Seconds since 1970.
    package var modified: Int
    package var inode: UInt64
    /// The names of all files and directories in it that belong into the library.
    ///
    /// What else the library has there is no more. `nil` when they are not all known, as for a mount that is missing: then
    /// nothing is taken to be gone.
    package var contents: Set<ExactText>?
    /// What its files come to; `.none` when it was not gone through to the end.
    package var fingerprint = FolderFingerprint.none
    /// Whether it is another file system than the directory it lies in.
    package var isMountPoint = false
    /// The picture that stands for songs here that carry none.
    package var cover: String?
    /// Why it cannot be looked into; `nil` when it can.
    package var problem: String?

    package init(uri: String, modified: Int, inode: UInt64, contents: Set<ExactText>? = nil) {
        self.uri = uri
        self.modified = modified
        self.inode = inode
        self.contents = contents
    }
}

/// What changes did to the library.
package struct LibraryOutcome: Sendable, Hashable {
    /// A file that is somewhere else now, and kept its number.
    package struct Move: Sendable, Hashable {
        package let from: String
        package let to: String
        /// Whether that is a copy which had been there before, so that something may be said of it, too.
        package let isToCopy: Bool

        package init(from: String, to: String, isToCopy: Bool = false) {
            self.from = from
            self.to = to
            self.isToCopy = isToCopy
        }
    }

    package var added = 0
    package var changed = 0
    package var removed = 0
    /// In the order in which they were noticed.
    ///
    /// A move may be told after the file was told as removed, or added, by an earlier batch; then it is taken from those
    /// again, and over a whole scan each file is counted once.
    package var moves: [Move] = []

    package init() {}

    package var isEmpty: Bool { added == 0 && changed == 0 && removed == 0 && moves.isEmpty }
}

/// The directory that a URI lies in, and its last component.
func parts(ofURI uri: String) -> (directory: String, name: String) {
    guard let slash = uri.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", uri) }
    return (String(uri[..<slash]), String(uri[uri.utf8.index(after: slash)...]))
}

/// The names that a path consists of.
func components(ofPath path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
}

/// The URI of a name in a directory.
func uri(_ name: String, in directory: String) -> String { directory.isEmpty ? name : directory + "/" + name }
