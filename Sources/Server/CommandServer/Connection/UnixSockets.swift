private import Glibc
internal import NIOCore
internal import ServerRequests
internal import ServerRooms
internal import Settings

/// The file of a Unix socket.
enum UnixSocketFile {
    /// Makes room for a socket: its folder, and no dead socket in its place.
    ///
    /// - Throws: `ListenerError` when a server answers there, or the path is something other than a socket.
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

    private static func makeFolders(_ path: String) {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/" + part
            unsafe mkdir(place, 0o755)
        }
    }

    private static func answers(_ path: String) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        defer { close(descriptor) }
        return unsafe UnixSocket.withAddress(path, isAbstract: false) { address, length in
            // A server that listens but accepts no connection at the moment is there, too.
            unsafe connect(descriptor, address, length) == 0 || errno == EAGAIN
        }
    }
}

/// Sockets of this machine that listen.
enum UnixSocket {
    /// - Parameters:
    ///   - address: A path whose file is not there yet, or an abstract name, which has no file.
    /// - Returns: A socket that listens; no client could connect before its file had its mode.
    static func listen(at address: Listener.Address) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard bind(descriptor, to: address), Glibc.listen(descriptor, 1_024) == 0 else {
            let code = errno
            close(descriptor)
            throw ListenerError(address: address, code: code)
        }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, to address: Listener.Address) -> Bool {
        switch address {
        case .unix(let path, let mode):
            unsafe withAddress(path, isAbstract: false) { unsafe Glibc.bind(descriptor, $0, $1) == 0 }
                && chmod(path, mode_t(mode)) == 0
        case .abstract(let name):
            unsafe withAddress(name, isAbstract: true) { unsafe Glibc.bind(descriptor, $0, $1) == 0 }
        case .tcp, .tls: false
        }
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
