internal import AudioTypes
internal import Glibc

/// `O_PATH` (open(2)), which Glibc's module leaves out: names a file without opening it for anything.
private let pathOnly: Int32 = 0o10000000

/// An open file or directory, closed with the last one who works in it.
final class OpenFolder: Sendable {
    let number: Int32

    private init(adopting number: Int32) { self.number = number }

    deinit { close(number) }

    /// A directory by its path; `nil` sets `errno`.
    static func open(_ path: [CChar]) -> OpenFolder? {
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        return number < 0 ? nil : OpenFolder(adopting: number)
    }

    /// A directory in this one; `nil` sets `errno`.
    func open(_ name: [CChar], followsLink: Bool) -> OpenFolder? {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
        let number = unsafe openat(self.number, name, flags)
        return number < 0 ? nil : OpenFolder(adopting: number)
    }

    /// A file in this one for reading, never waiting for somebody at the other end of a pipe; below zero sets `errno`.
    func openFile(_ name: [CChar]) -> Int32 {
        unsafe openat(number, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }

    /// Where a name in this directory leads, all links followed; `nil` sets `errno`.
    func destination(of name: [CChar]) -> [UInt8]? {
        let file = unsafe openat(number, name, pathOnly | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return Self.realPath(of: file)
    }

    var realPath: [UInt8]? { Self.realPath(of: number) }

    private static func realPath(of number: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe readlink("/proc/self/fd/\(number)", base, bytes.count)
        }
        guard count > 0, count <= Int(PATH_MAX), buffer[0] == UInt8(ascii: "/") else { return nil }
        return Array(buffer[..<count])
    }

    /// What a name in this directory is itself, links not followed.
    func link(_ name: [CChar]) -> FileStatus? {
        var status = stat()
        return unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(status) : nil
    }

    /// The names of what is or may lead to a directory; `nil` when this one cannot be read.
    func subfolders() -> [String]? {
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        guard let stream = unsafe fdopendir(duplicate) else {
            close(duplicate)
            return nil
        }
        defer { unsafe closedir(stream) }
        unsafe rewinddir(stream)
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let type = unsafe Int(entry.pointee.d_type)
            guard type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN else { continue }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            guard let name = unsafe String(validatingCString: start), name != ".", name != ".." else { continue }
            names.append(name)
        }
        return names
    }

    var state: FileStatus? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? FileStatus(status) : nil
    }

    /// A small file's bytes, at most `limit`; `nil` when it cannot be read.
    func contents(of name: [CChar], limit: Int) -> [UInt8]? {
        let file = openFile(name)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: min(limit, max(0, Int(status.st_size))))
        let got = unsafe pread(file, &bytes, bytes.count, 0)
        guard got >= 0 else { return nil }
        return Array(bytes[..<got])
    }
}

/// What the system says of a file.
struct FileStatus: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case file
        case folder
        case link
        case other
    }

    var kind: Kind
    var size: Int
    /// Nanoseconds since 1970.
    var modified: Int64
    var inode: UInt64
    var device: UInt64
    /// Whether the file has several names.
    var isShared: Bool

    /// Names a file for good, whatever path leads to it.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    var identity: Identity { Identity(device: device, inode: inode) }

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        isShared = status.st_nlink > 1
    }

    /// What an open file is; `nil` sets `errno`.
    init?(of descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
