internal import AudioTypes
internal import Glibc

/// `O_PATH` (open(2)), which Glibc's module leaves out: names a file without opening it for anything.
let pathOnly: Int32 = 0o10000000

/// An open file or directory, closed with its owner.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Opens a file without ever waiting for somebody at the other end of a pipe; `nil` sets `errno`.
    init?(_ path: FilePath, _ flags: Int32) {
        // Not kept before it is known to be one: giving it up would close it, and so lose `errno`.
        let number = unsafe open(path.cString, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return nil }
        self.number = number
    }

    init(adopting number: Int32) { self.number = number }

    deinit { close(number) }

    /// Where the file really is, all links followed, at this very moment.
    var realPath: FilePath? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe readlink("/proc/self/fd/\(number)", base, bytes.count)
        }
        guard count > 0, count <= Int(PATH_MAX), buffer[0] == UInt8(ascii: "/") else { return nil }
        return FilePath(bytes: buffer[..<count])
    }

    var state: FileState? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? FileState(status) : nil
    }

    /// The bytes at `offset`, fewer than `count` only at the end; `nil` sets `errno`.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe pread(number, base + done, count - done, off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { return nil }
            if got == 0 { break }
            done += got
        }
        buffer.removeLast(count - done)
        return buffer
    }
}

/// What the system says of a file, links followed.
package struct FileState: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case file, directory, other
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// Seconds since 1970.
    package var lastModified: Int { Int(modified / 1_000_000_000) }
    package var inode: UInt64 { identity.inode }
    /// When anything about it changed, in nanoseconds since 1970: no program can set that back.
    let changed: Int64
    let identity: Identity

    /// Names a file for good, whatever path leads to it.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        size = Int(status.st_size)
        modified = status.st_mtim.nanoseconds
        changed = status.st_ctim.nanoseconds
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}

extension timespec {
    var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
