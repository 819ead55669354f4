internal import Configuration
private import Glibc
internal import NIOCore

/// The file of a Unix socket.
enum UnixSocketFile {
    /// Makes room for a socket: its folder, and no dead socket in its place.
    ///
    /// - Throws: `ListenerError` when somebody answers there, or something else is in the way.
    static func prepare(_ path: String) throws {
        func failure(_ reason: String, isTaken: Bool = false) -> ListenerError {
            ListenerError(address: .unix(path: path, mode: 0), reason: reason, isTaken: isTaken)
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            makeFolders(String(path[..<slash]))
        }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw failure("a file that is no socket is there") }
        if answers(path) { throw failure("another server answers there", isTaken: true) }
        unsafe unlink(path)
    }

    static func setMode(_ mode: UInt32, of path: String) throws {
        guard unsafe chmod(path, mode_t(mode)) == 0 else {
            throw ListenerError(address: .unix(path: path, mode: mode), code: errno)
        }
    }

    private static func makeFolders(_ path: String) {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/" + part
            unsafe mkdir(place, 0o755)
        }
    }

    private static func answers(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return unsafe AbstractSocket.withAddress(path, isAbstract: false) { address, length in
            unsafe connect(descriptor, address, length) == 0
        }
    }
}

/// Sockets in Linux's abstract name space, which have no file.
enum AbstractSocket {
    /// - Returns: A socket that listens.
    static func listen(_ name: String) throws -> Int32 {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        let isBound = unsafe withAddress(name, isAbstract: true) { address, length in
            unsafe bind(descriptor, address, length) == 0
        }
        guard isBound, Glibc.listen(descriptor, 1_024) == 0 else {
            let code = errno
            close(descriptor)
            throw ListenerError(address: .abstract(name: name), code: code)
        }
        return descriptor
    }

    fileprivate static func withAddress<Result>(
        _ path: String,
        isAbstract: Bool,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let start = isAbstract ? 1 : 0
        let bytes = Array(path.utf8.prefix(107))
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
            for (index, byte) in bytes.enumerated() { unsafe target[start + index] = byte }
        }
        let head = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let length = socklen_t(head + start + bytes.count + (isAbstract ? 0 : 1))
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
