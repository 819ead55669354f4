package import LibraryScan
package import MediaHeaders
package import Songs

/// A change that a scanner found.
package enum LibraryChange: Sendable {
    /// A new or changed file.
    case file(ScannedFile)
    /// A file or directory that no longer exists, including everything below it.
    case removal(uri: String)
    /// A directory that was read.
    case directory(SeenDirectory)
}

/// The contents of a directory that was read.
package struct SeenDirectory: Sendable {
    /// Relative to the music directory; empty for the music directory itself.
    package var uri: String
    /// Seconds since 1970.
    package var modified: Int
    package var inode: UInt64
    /// The names of all files and directories in it that belong in the library.
    ///
    /// Other entries of the library in this directory are removed. `nil` when the names are not all known, for example
    /// because a mount is missing; then nothing is removed.
    package var contents: Set<ExactText>?
    /// The fingerprint of its files; `.none` when the directory was not read completely.
    package var fingerprint = FolderFingerprint.none
    /// Whether it is on another file system than its parent.
    package var isMountPoint = false
    /// The picture that stands for songs here without pictures of their own.
    package var cover: String?
    /// Why it cannot be read; `nil` when it can.
    package var problem: String?

    package init(uri: String, modified: Int, inode: UInt64, contents: Set<ExactText>? = nil) {
        self.uri = uri
        self.modified = modified
        self.inode = inode
        self.contents = contents
    }
}

/// The effect of changes on the library.
package struct LibraryOutcome: Sendable, Hashable {
    /// A file that was moved, and kept its number.
    package struct Move: Sendable, Hashable {
        package let from: String
        package let to: String
        /// Whether the target is a copy that had existed before, and so may have stickers and queue entries of its own.
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
    /// In the order of their discovery.
    ///
    /// An earlier batch may have counted the file as removed or added; that count is then corrected, so that each file
    /// is counted once per scan.
    package var moves: [Move] = []

    package init() {}

    package var isEmpty: Bool { added == 0 && changed == 0 && removed == 0 && moves.isEmpty }
}

/// The directory that contains a URI, and its last component.
func parts(ofURI uri: String) -> (directory: String, name: String) {
    guard let slash = uri.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", uri) }
    return (String(uri[..<slash]), String(uri[uri.utf8.index(after: slash)...]))
}

/// The components of a path.
func components(ofPath path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
}

/// The URI of a name in a directory.
func uri(_ name: String, in directory: String) -> String { directory.isEmpty ? name : directory + "/" + name }
