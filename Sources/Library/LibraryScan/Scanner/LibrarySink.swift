package import Songs

/// What a scan fills, and asks which files it need not look into again.
///
/// `take` is called by one thread at a time, the scan's writer; the questions may come from another one meanwhile. All of it
/// may block.
package protocol LibrarySink: Sendable {
    /// All directories that anything is known of, by URI; the root's is empty.
    ///
    /// Asked once, when a scan begins. A directory whose fingerprint is the same again is not asked about any further; one
    /// that is not found again is gone.
    func folders() throws -> [ExactText: KnownFolder]
    /// The files known in a directory, not below it, by their names.
    func known(in directory: String) throws -> [ExactText: KnownFile]
    /// Stores a batch, all of it or nothing: a scan that is killed goes on behind the last one.
    func take(_ batch: ScanBatch) throws
}

/// A file as the library knows it; one that still looks like this is not read again.
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
    /// What `ScannedFolder` said last; `.none` for a directory that was never gone through to the end.
    package var fingerprint: FolderFingerprint
    /// What `ScannedFolder` said last.
    package var isMountPoint: Bool
    /// Seconds since 1970, as `ScannedFolder` said last; a directory of another time is stored again.
    package var modified: Int

    package init(fingerprint: FolderFingerprint, isMountPoint: Bool = false, modified: Int = 0) {
        self.fingerprint = fingerprint
        self.isMountPoint = isMountPoint
        self.modified = modified
    }
}

/// What all shown files of a directory come to: their names, sizes, times and inodes, in any order.
package struct FolderFingerprint: Sendable, Hashable, RawRepresentable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// That of no directory.
    package static let none = FolderFingerprint(rawValue: 0)
}

/// A directory that was gone through to the end, or that cannot be.
package struct ScannedFolder: Sendable, Hashable {
    /// Relative to the music directory; the root's is empty.
    package var uri: String
    /// Nanoseconds since 1970.
    package var modified: Int64 = 0
    package var fingerprint = FolderFingerprint.none
    /// The name of the picture that stands for the songs here that carry none; `nil` when there is none.
    ///
    /// It may change while the songs do not.
    package var cover: String?
    /// Whether it is another file system than the directory it lies in.
    ///
    /// One that is not there is missing, not empty.
    package var isMountPoint = false
    /// Why it cannot be looked into; then what is known of it and below it stays.
    ///
    /// `nil` when it can.
    package var problem: String?

    package init(uri: String) { self.uri = uri }
}

/// What one transaction stores.
///
/// A directory is in no earlier batch than its new and changed files, so its fingerprint vouches for them.
package struct ScanBatch: Sendable {
    /// New and changed files; also those that cannot be read, with their problems.
    package var files: [ScannedFile] = []
    /// Directories that are new or changed.
    package var folders: [ScannedFolder] = []
    /// The URIs of files that are gone.
    package var removedFiles: [String] = []
    /// The URIs of directories that are gone, with all that was below them.
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
