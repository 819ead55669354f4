private import Foundation
private import Glibc
private import Synchronization

/// A real icecast2 of a test's own, at `127.0.0.1` and a port that stays its own.
package final class IcecastServer: Sendable {
    package let folder: TemporaryFolder
    package let port: UInt16
    private let process: Mutex<ChildProcess?> = Mutex(nil)
    static let password = "secret"
    package static let sourcePassword = password

    /// What has to be installed.
    package static let missing = ChildProcess.missing("icecast2", "setpriv")

    private init() throws {
        folder = try TemporaryFolder()
        port = try steadyPort()
        _ = try folder.makeFolder("logs")
        try folder.write(
            "icecast.xml",
            """
            <icecast>
              <location>here</location><admin>nobody@localhost</admin><hostname>127.0.0.1</hostname>
              <limits>
                <clients>1000</clients><sources>10</sources><queue-size>524288</queue-size>
                <client-timeout>30</client-timeout><header-timeout>15</header-timeout>
                <source-timeout>10</source-timeout>
                <burst-on-connect>1</burst-on-connect><burst-size>65535</burst-size>
              </limits>
              <authentication>
                <source-password>\(Self.password)</source-password><relay-password>\(Self.password)</relay-password>
                <admin-user>admin</admin-user><admin-password>\(Self.password)</admin-password>
              </authentication>
              <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
              <fileserve>1</fileserve>
              <paths>
                <basedir>\(folder.path)</basedir><logdir>\(folder.file("logs"))</logdir>
                <webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot>
              </paths>
              <logging><accesslog>access</accesslog><errorlog>errors</errorlog><loglevel>3</loglevel></logging>
              <security><chroot>0</chroot></security>
            </icecast>

            """
        )
    }

    /// Starts a server and returns when it answers; it has no mount yet.
    package static func start() async throws -> IcecastServer {
        let server = try IcecastServer()
        try await server.start()
        return server
    }

    deinit { stop() }

    /// Starts it at its port and returns when it answers; sources have to come back by themselves.
    package func start() async throws {
        stop()
        // It crashes now and then when a client connects before its thread of statistics runs.
        while try await !attempt() {}
    }

    /// - Returns: Whether it lives; it crashes before it has set `server_start`, or not at all.
    private func attempt() async throws -> Bool {
        // It refuses to run as root.
        let child = try ChildProcess(
            "icecast2",
            ["-c", folder.file("icecast.xml")],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.file("logs")],
            unprivileged: true
        )
        process.withLock { $0 = child }
        let request = "GET /admin/stats HTTP/1.0\r\n\(Self.authorization("admin"))\r\n\r\n"
        let end = ContinuousClock.now + .patience
        while (try? ask(request))?.contains("server_start") != true {
            guard child.isRunning else {
                let status = try await child.wait().status
                guard status == .signal(SIGSEGV) else {
                    throw SoundServerError.notReady("icecast2: \(status) \(child.errorText)")
                }
                return false
            }
            guard ContinuousClock.now < end else { throw SoundServerError.notReady("icecast2 says nothing") }
            try await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    /// Kills it.
    package func stop() { process.withLock { $0.take() }?.end() }

    /// The server's process while it runs.
    package var currentProcess: ChildProcess? { process.withLock { $0 } }

    package func freeze() { process.withLock { $0 }?.kill(SIGSTOP) }

    package func thaw() { process.withLock { $0 }?.kill(SIGCONT) }

    /// What a listener opens.
    package func url(_ mount: String) -> String { "http://127.0.0.1:\(port)/\(mount)" }

    /// Changes the title that a mount's listeners are sent in the stream (ICY); not for Ogg.
    package func setTitle(_ title: String, of mount: String) throws {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let song = title.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let path = "/admin/metadata?mount=/\(mount)&mode=updinfo&charset=UTF-8&song=\(song)"
        let answer = try ask("GET \(path) HTTP/1.0\r\n\(Self.authorization("admin"))\r\n\r\n")
        guard answer.contains(" 200 ") else { throw ClientError(description: "\(path): \(answer.prefix(200))") }
    }

    /// How many listen to a mount.
    package func listeners(of mount: String) throws -> Int {
        let request = "GET /admin/listclients?mount=/\(mount) HTTP/1.0\r\n\(Self.authorization("admin"))\r\n\r\n"
        return try ask(request).components(separatedBy: "<listener>").count - 1
    }

    static func authorization(_ user: String) -> String {
        "Authorization: Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }

    private func ask(_ request: String) throws -> String {
        let client = LineClient(descriptor: try SocketAddress.ipv4(port).connect())
        client.send(request)
        var lines: [String] = []
        while let last = Optional(client.line()), last != "<closed>", last != "<silence>" { lines.append(last) }
        return lines.joined(separator: "\n")
    }
}
