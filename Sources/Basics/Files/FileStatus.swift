package import AudioTypes
internal import Glibc

/// The system's facts of a file (stat(2)).
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, folder, link, pipe
        /// A device or a socket.
        case other
    }

    /// Identifies a file, by whatever path it is reached.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
    }

    package let kind: Kind
    /// Permission bits.
    package let permissions: UInt32
    /// The user who owns it, by number.
    package let owner: UInt32
    /// In bytes.
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// When anything about it changed, in nanoseconds since 1970: no program can set that back.
    package let changed: Int64
    package let inode: UInt64
    package let device: UInt64
    /// How many names lead to it; none when it was removed while open.
    package let nameCount: UInt64

    /// Seconds since 1970.
    package var lastModified: Int { Int(modified / 1_000_000_000) }
    /// Letters and digits that no other file has, nor this one after a change.
    package var cacheName: String {
        [device, inode, UInt64(clamping: size), UInt64(bitPattern: modified)].map { String($0, radix: 36) }
            .joined(separator: "-")
    }
    package var identity: Identity { Identity(device: device, inode: inode) }

    init(_ status: stat) {
        kind = Kind(mode: status.st_mode)
        permissions = UInt32(status.st_mode & 0o7777)
        owner = status.st_uid
        size = Int(status.st_size)
        modified = status.st_mtim.nanoseconds
        changed = status.st_ctim.nanoseconds
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        nameCount = UInt64(status.st_nlink)
    }

    /// Of a file that cannot be looked at.
    package static let unknown = FileStatus(stat())

    /// Follows links unless told otherwise.
    package init(of path: FilePath, followsLink: Bool = true) throws(SystemError) {
        var status = stat()
        let result = unsafe followsLink ? stat(path.cString, &status) : lstat(path.cString, &status)
        guard result == 0 else { throw .current }
        self.init(status)
    }

    /// Follows links unless told otherwise.
    package init(of path: String, followsLink: Bool = true) throws(SystemError) {
        try self.init(of: FilePath(checking: path), followsLink: followsLink)
    }
}

extension FileStatus.Kind {
    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            default: .other
            }
    }
}

extension timespec {
    fileprivate var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}

extension FilePath {
    /// A path of text; one that no file can have leads nowhere.
    init(checking path: String) throws(SystemError) {
        guard let path = FilePath(bytes: path.utf8) else { throw .noSuchFile }
        self = path
    }
}
