private import Glibc

/// An error number of the system.
package struct SystemError: Error, Sendable, Hashable, RawRepresentable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let noSuchFile = SystemError(rawValue: ENOENT)
    package static let permissionDenied = SystemError(rawValue: EACCES)
    package static let isDirectory = SystemError(rawValue: EISDIR)

    static var current: SystemError { SystemError(rawValue: errno) }
}

extension SystemError: CustomStringConvertible {
    /// The system's own words, such as `No such file or directory`.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe strerror_r(rawValue, &buffer, buffer.count) == 0 else { return "error \(rawValue)" }
        let text = unsafe buffer.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe String(cString: $0) } ?? ""
        }
        return text.isEmpty ? "error \(rawValue)" : text
    }
}

/// What a path leads to, links followed.
struct FileStatus {
    enum Kind {
        case regular, directory, pipe, other
    }

    /// Names a file for good, whatever path leads to it.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    let kind: Kind
    let identity: Identity

    init(of file: FileName) throws(SystemError) {
        var status = stat()
        let result = unsafe file.withCString { unsafe stat($0, &status) }
        guard result == 0 else { throw .current }
        self.init(status)
    }

    fileprivate init(_ status: stat) {
        self.kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            default: .other
            }
        self.identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}

/// Whether this process may read the file; the error if not.
func checkReadable(_ file: FileName) throws(SystemError) {
    let result = unsafe file.withCString { unsafe faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) }
    guard result == 0 else { throw .current }
}

/// The path of the current directory; empty when it is gone.
func currentDirectory() -> [UInt8] {
    guard let path = unsafe getcwd(nil, 0) else { return [] }
    defer { unsafe free(path) }
    return unsafe Array(String(cString: path).utf8)
}

/// What a directory says of one of its files.
struct DirectoryEntry {
    let name: [UInt8]
    /// `nil` when only the file itself can tell: a symbolic link, or a file system that does not say.
    let kind: FileStatus.Kind?
}

/// What is in a directory but `.` and `..`, in the directory's own order.
func contents(of directory: FileName) throws(SystemError) -> [DirectoryEntry] {
    guard let stream = unsafe directory.withCString({ unsafe opendir($0) }) else { throw .current }
    defer { unsafe closedir(stream) }
    var entries: [DirectoryEntry] = []
    while let entry = unsafe readdir(stream) {
        // The structure is as long as the name needs, so the array that its type declares is not copied whole.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        let length = unsafe strlen(UnsafePointer<CChar>(OpaquePointer(start)))
        let name = unsafe Array(UnsafeBufferPointer(start: start, count: length))
        guard name != [0x2e], name != [0x2e, 0x2e] else { continue }
        let type = unsafe Int(entry.pointee.d_type)
        let kind: FileStatus.Kind? = type == DT_REG ? .regular : type == DT_DIR ? .directory : nil
        entries.append(DirectoryEntry(name: name, kind: kind))
    }
    return entries
}

/// A file that is open for reading.
///
/// Reading from it never waits for ever, whatever the path led to.
struct OpenFile: ~Copyable {
    private let descriptor: Int32
    private let isOwned: Bool
    let status: FileStatus

    /// Opens a file without waiting: not even a pipe that nobody writes to makes this block.
    init(_ file: FileName) throws(SystemError) {
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let descriptor = unsafe file.withCString { unsafe open($0, flags) }
        guard descriptor >= 0 else { throw .current }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = SystemError.current
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.isOwned = true
        self.status = FileStatus(status)
    }

    /// A descriptor that stays open, such as standard input.
    init(borrowing descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .current }
        self.descriptor = descriptor
        self.isOwned = false
        self.status = FileStatus(status)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Reads up to `limit` bytes, fewer only at the end.
    ///
    /// - Parameter patience: How long a pipe may be silent, in milliseconds; negative waits for ever.
    func read(upTo limit: Int, patience: Int32) throws(ReadError) -> [UInt8] {
        // A pipe that nobody has opened for writing yet reads like one at its end; polling it waits.
        if isOwned, status.kind == .pipe { try wait(patience) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while content.count < limit {
            let count = unsafe Glibc.read(descriptor, &buffer, min(buffer.count, limit - content.count))
            if count > 0 {
                content.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                break
            } else if errno == EAGAIN {
                try wait(patience)
            } else if errno != EINTR {
                throw .system(.current)
            }
        }
        return content
    }

    private func wait(_ patience: Int32) throws(ReadError) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe Glibc.poll(&poll, 1, patience)
        if count == 0 { throw .silent }
        if count < 0, errno != EINTR { throw .system(.current) }
    }
}

enum ReadError: Error {
    case system(SystemError)
    /// Nothing came within the time allowed.
    case silent
}

extension FileName {
    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let terminated = (bytes + [0]).map { CChar(bitPattern: $0) }
        return unsafe terminated.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("an array with a zero in it") }
            return unsafe body(start)
        }
    }
}
