package import MediaHeaders
package import Songs

/// The receiver of a scan's results, which also knows which files need not be read again.
///
/// `take` is called by one thread at a time, the scan's writer; another thread may run the queries meanwhile. All
/// methods may block.
package protocol LibrarySink: Sendable {
    /// All known directories by URI; the root's is empty.
    ///
    /// Called once, at the start of a scan. A directory whose fingerprint has not changed is not queried further; one
    /// that is not found again is deleted.
    func folders() throws -> [ExactText: KnownFolder]
    /// The known files directly in a directory, by name.
    func known(in directory: String) throws -> [ExactText: KnownFile]
    /// Stores a batch as a whole or not at all: an interrupted scan continues after the last batch.
    func store(_ batch: ScanBatch) throws
}

/// A file as the library knows it; it is read again only if its state differs.
package struct KnownFile: Sendable, Hashable {
    /// In bytes.
    package var size: Int
    /// Nanoseconds since 1970.
    package var modified: Int64
    package var inode: UInt64

    package init(size: Int, modified: Int64, inode: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
    }
}

/// A directory as the library knows it.
package struct KnownFolder: Sendable, Hashable {
    /// The last fingerprint from `ScannedFolder`; `.none` for a directory that was never read completely.
    package var fingerprint: FolderFingerprint
    /// The last value from `ScannedFolder`.
    package var isMountPoint: Bool
    /// Seconds since 1970, from `ScannedFolder`; a directory with a different time is stored again.
    package var modified: Int

    package init(fingerprint: FolderFingerprint, isMountPoint: Bool = false, modified: Int = 0) {
        self.fingerprint = fingerprint
        self.isMountPoint = isMountPoint
        self.modified = modified
    }
}

/// A hash of the listed files of a directory: their names, sizes, times and inodes, in any order.
package struct FolderFingerprint: Sendable, Hashable, RawRepresentable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A value that no directory has.
    package static let none = FolderFingerprint(rawValue: 0)
}

/// A directory that was read completely, or that cannot be read.
package struct ScannedFolder: Sendable, Hashable {
    /// Relative to the music directory; the root's is empty.
    package var uri: String
    /// Nanoseconds since 1970.
    package var modified: Int64 = 0
    package var fingerprint = FolderFingerprint.none
    /// The name of the picture that stands for songs here without pictures of their own; `nil` for none.
    ///
    /// It may change while the songs stay the same.
    package var cover: String?
    /// Whether it is on another file system than its parent.
    ///
    /// If it is not there later, it is missing rather than empty.
    package var isMountPoint = false
    /// Why it cannot be read, in which case the library keeps its data about it and everything below it.
    ///
    /// `nil` when it can be read.
    package var problem: String?

    package init(uri: String) { self.uri = uri }
}

/// The contents of one transaction.
///
/// A directory is never in an earlier batch than its new and changed files, so its stored fingerprint covers them.
package struct ScanBatch: Sendable {
    /// New and changed files, including unreadable ones with their problems.
    package var files: [ScannedFile] = []
    /// New and changed directories.
    package var folders: [ScannedFolder] = []
    /// The URIs of deleted files.
    package var removedFiles: [String] = []
    /// The URIs of deleted directories, which include everything below them.
    package var removedFolders: [String] = []

    package init() {}

    package var isEmpty: Bool {
        files.isEmpty && folders.isEmpty && removedFiles.isEmpty && removedFolders.isEmpty
    }

    package mutating func append(_ other: ScanBatch) {
        files += other.files
        folders += other.folders
        removedFiles += other.removedFiles
        removedFolders += other.removedFolders
    }
}
