private import Glibc
private import Synchronization
import TestSupport

enum LineSocketError: Error, Sendable {
    case cannotConnect(String)
    case closed
    case refused(String)
}

/// A connection to another player's control socket, line by line.
final class LineSocket: Sendable {
    private let descriptor: Int32
    private let rest = Mutex<[UInt8]>([])

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects as soon as the program accepts.
    static func connect(
        to path: String,
        of process: ChildProcess,
        within deadline: Duration = .seconds(20)
    ) async throws -> LineSocket {
        let end = ContinuousClock.now + deadline
        while true {
            if let descriptor = open(path) { return LineSocket(descriptor: descriptor) }
            guard ContinuousClock.now < end, process.isRunning else {
                throw LineSocketError.cannotConnect(process.outputText + process.errorText)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func open(_ path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, size)
            }
        }
        if code == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    func write(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw LineSocketError.closed
        }
    }

    /// The next line, waited for.
    func readLine() throws -> String {
        while true {
            let line = rest.withLock { rest -> String? in
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            if let line { return line }
            guard try receive(flags: 0) else { throw LineSocketError.closed }
        }
    }

    /// Forgets what has come.
    func discardInput() throws {
        while try receive(flags: Int32(MSG_DONTWAIT)) {}
        rest.withLock { $0.removeAll() }
    }

    /// - Returns: Whether anything came.
    private func receive(flags: Int32) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, flags)
        if count < 0, errno == EAGAIN { return false }
        guard count > 0 else { throw LineSocketError.closed }
        rest.withLock { $0 += buffer[..<count] }
        return true
    }
}
