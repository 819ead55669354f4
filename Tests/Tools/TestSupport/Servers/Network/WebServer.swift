private import Foundation
private import Glibc
private import Synchronization

/// A real nginx of a test's own, with one folder to serve, at `127.0.0.1` unless told otherwise, and a port that stays its
/// own.
///
/// It is one process, so that `stop` ends it as a crash or a lost network would: its readers are cut off.
package final class WebServer: Sendable {
    package let folder: TemporaryFolder
    package let port: UInt16
    package let isSecure: Bool
    let places: [Place]
    /// The address that it listens on; on `127.0.0.1` on `::1`, too.
    let host: String
    private let network: NetworkNamespace?
    private let process: Mutex<ChildProcess?> = Mutex(nil)
    private let isFrozen = Mutex(false)

    /// What has to be installed.
    package static let missing = ChildProcess.missing("nginx", "openssl", "setpriv")

    /// Whether this machine knows itself by IPv6.
    package static let hasIPv6: Bool = {
        let interfaces = (try? FileBytes.read("/proc/net/if_inet6")) ?? []
        return String(decoding: interfaces, as: UTF8.self).split(separator: "\n").contains { line in
            line.split(separator: " ").last == "lo"
        }
    }()

    /// The folder that is served at `/`.
    package var root: String { folder.file("root") }

    private init(places: [Place], isSecure: Bool, host: String, network: NetworkNamespace?) throws {
        self.places = places
        self.host = host
        self.network = network
        self.isSecure = isSecure
        folder = try TemporaryFolder()
        port = try steadyPort()
        for name in ["root", "faults", "work"] { _ = try folder.makeFolder(name) }
        if isSecure { try makeCertificate() }
        try writeUsers()
        try folder.write("nginx.conf", configuration)
    }

    /// Starts a server and returns when it accepts.
    ///
    /// - Parameters:
    ///   - places: Where it is other than a plain server of its folder.
    ///   - isSecure: Whether it speaks TLS, with a certificate that no authority signed.
    ///   - host: The address that it listens on.
    ///   - network: Where it runs, if not on this machine's own network; only root can have it elsewhere.
    package static func start(
        _ places: Place...,
        isSecure: Bool = false,
        host: String = "127.0.0.1",
        network: NetworkNamespace? = nil
    ) async throws -> WebServer {
        let server = try WebServer(places: places, isSecure: isSecure, host: host, network: network)
        try await server.start()
        return server
    }

    deinit { stop() }

    // MARK: Its life

    /// Starts it at its port, with the files it had, and returns when it accepts.
    package func start() async throws {
        stop()
        // A process that was killed leaves it behind.
        _ = unsafe unlink(logSocket)
        let command = ["nginx", "-p", folder.file("work"), "-c", folder.file("nginx.conf"), "-e", "stderr"]
        let words = network?.command(ServerUser.command(command)) ?? command
        let child = try ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            unprivileged: network == nil
        )
        process.withLock { $0 = child }
        try await waitForPort(port, of: child, at: host, in: network)
    }

    /// Kills it; its port then refuses connections.
    package func stop() {
        process.withLock { $0.take() }?.end()
        isFrozen.withLock { $0 = false }
    }

    /// Makes it stand still: it accepts (the kernel does) and says nothing.
    package func freeze() {
        isFrozen.withLock { $0 = true }
        process.withLock { $0 }?.kill(SIGSTOP)
    }

    package func thaw() {
        process.withLock { $0 }?.kill(SIGCONT)
        isFrozen.withLock { $0 = false }
    }

    package var isRunning: Bool { process.withLock { $0 }?.isRunning == true }

    // MARK: What it serves

    /// The URL of a file in `root`, or below a place.
    ///
    /// - Parameter user: A name and a password to be written into it, as `name:password`.
    package func url(_ path: String, user: String? = nil) -> String { url(path, user: user, at: host) }

    /// The same by IPv6, for which `hasIPv6` has to hold.
    package func url6(_ path: String) -> String { url(path, user: nil, at: "[::1]") }

    private func url(_ path: String, user: String?, at host: String) -> String {
        "\(isSecure ? "https" : "http")://\(user.map { "\($0)@" } ?? "")\(host):\(port)/\(path)"
    }

    /// Puts a file into `root` by a link, or by a copy where the file system wants one; takes the place of an older one
    /// at once.
    @discardableResult
    package func publish(_ file: String, as name: String) throws -> String {
        let manager = FileManager.default
        let target = "\(root)/\(name)"
        try manager.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        let staged = folder.file("staged-\(UInt32.random(in: 0...(.max)))")
        if (try? manager.linkItem(atPath: file, toPath: staged)) == nil {
            try manager.copyItem(atPath: file, toPath: staged)
        }
        guard unsafe rename(staged, target) == 0 else { throw ChildProcessError.cannotStart(target, errno) }
        // Renaming onto another link of the same file leaves both.
        _ = unsafe unlink(staged)
        return url(name)
    }

    /// Writes a file into `root`, taking the place of an older one at once.
    @discardableResult
    package func publish(bytes: [UInt8], as name: String) throws -> String {
        let source = try folder.write("staged-\(UInt32.random(in: 0...(.max)))", bytes)
        defer { _ = unsafe unlink(source) }
        return try publish(source, as: name)
    }

    @discardableResult
    package func publish(text: String, as name: String) throws -> String {
        try publish(bytes: Array(text.utf8), as: name)
    }

    /// Puts all files of a folder into a folder of `root`.
    ///
    /// - Returns: The URL of that folder, without a slash at its end.
    @discardableResult
    package func publish(folder: String, as name: String) throws -> String {
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(file)"
            let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if kind == .typeRegular { try publish(path, as: "\(name)/\(file)") }
        }
        return url(name)
    }

    package func remove(_ name: String) { _ = unsafe unlink("\(root)/\(name)") }

    // MARK: Faults

    /// Has it answer a path with a status (one of `Fault`) until it is mended.
    package func fail(_ path: String, with fault: Fault) throws {
        mend(path)
        let manager = FileManager.default
        let flag = folder.file("faults/\(fault.rawValue)/\(path)")
        try manager.createDirectory(
            atPath: (flag as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try FileBytes.write([], to: flag)
    }

    package func mend(_ path: String) {
        for fault in Fault.allCases { _ = unsafe unlink(folder.file("faults/\(fault.rawValue)/\(path)")) }
    }

    /// What a path may be made to answer.
    package enum Fault: Int, CaseIterable, Sendable {
        case forbidden = 403
        case missing = 404
        case tooMany = 429
        /// The connection is closed without a word.
        case closed = 444
        case broken = 500
        /// With `Retry-After: 1`, as 429 has.
        case unavailable = 503
    }

    // MARK: What it was asked

    /// The requests that have been answered so far, in the order of their ends.
    package var requests: [Request] {
        waitForLog()
        let text = (try? String(contentsOfFile: folder.file("work/requests"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Request($0) }
    }

    var logSocket: String { folder.file("work/log") }

    /// Returns when the log holds every request whose answer was sent before.
    ///
    /// nginx logs a request after the last byte of its answer, which the client may have long read by then. It is one
    /// process that finishes one request before it looks at another connection, so its next answer comes later.
    private func waitForLog() {
        guard isRunning, !isFrozen.withLock({ $0 }), let descriptor = try? SocketAddress.unix(logSocket).connect()
        else {
            return
        }
        let client = LineClient(descriptor: descriptor)
        client.send("GET / HTTP/1.0\r\n\r\n")
        _ = client.line()
    }

    /// Those of one path, without its query.
    package func requests(of path: String) -> [Request] { requests.filter { $0.path == "/\(path)" } }

    /// Waits until enough requests have ended.
    @discardableResult
    package func waitForRequests(
        within limit: Duration = .patience,
        until condition: ([Request]) -> Bool
    ) async throws -> [Request] {
        let end = ContinuousClock.now + limit
        while true {
            let requests = requests
            if condition(requests) { return requests }
            guard ContinuousClock.now < end else { throw ClientError(description: "only asked: \(requests)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// What this nginx says goes wrong.
    package var complaints: String { process.withLock { $0 }?.errorText ?? "" }
}
