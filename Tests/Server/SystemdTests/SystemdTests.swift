import Foundation
import Glibc
import LineProtocol
import Settings
import Systemd
import Testing

/// A socket of the test's, closed at its end.
private final class TestSocket {
    let descriptor: Int32

    init(_ family: Int32, _ type: UInt32) { descriptor = socket(family, Int32(type), 0) }

    deinit { close(descriptor) }

    /// Binds to a Unix path, or with `@` to an abstract name.
    func bindUnix(_ name: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(2 + bytes.count))
            }
        }
        #expect(status == 0)
    }

    /// Binds to a free port.
    func bindLoopback() -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(unsafe bind(descriptor, $0, length) == 0)
                #expect(unsafe getsockname(descriptor, $0, &length) == 0)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}

@Suite struct SystemdTests {
    private func name() -> String { "segue-test-\(UInt64.random(in: 0...(.max)))" }

    @Test(arguments: [true, false])
    func messagesArriveAsOneDatagram(isAbstract: Bool) {
        let place = isAbstract ? "@" + name() : FileManager.default.temporaryDirectory.path + "/" + name()
        defer { unsafe unlink(place) }
        let manager = TestSocket(AF_UNIX, SOCK_DGRAM.rawValue)
        manager.bindUnix(place)
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": place])
        #expect(notifier?.send(.ready, .status("two\nlines")) == true)
        #expect(manager.receive() == "READY=1\nSTATUS=two lines")
        #expect(notifier?.send(.reloading) == true)
        #expect(manager.receive() == "RELOADING=1")
        #expect(notifier?.send(.stopping) == true)
        #expect(manager.receive() == "STOPPING=1")
    }

    @Test func nobodyListeningIsNoProblem() {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/nonexistent/x"])?.send(.ready) == false)
        let long = "/" + String(repeating: "x", count: 200)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": long])?.send(.ready) == false)
    }

    private func inherit(
        _ socket: TestSocket,
        _ listeners: [Listener],
        named names: String? = nil
    ) -> (sockets: [InheritedSocket], problems: [String]) {
        var environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"]
        environment["LISTEN_FDNAMES"] = names
        return InheritedSocket.all(
            environment: environment,
            listeners: listeners,
            first: socket.descriptor
        )
    }

    @Test func anInheritedPortGetsWhatIsConfiguredForIt() {
        let socket = TestSocket(AF_INET, SOCK_STREAM.rawValue)
        let port = socket.bindLoopback()
        #expect(listen(socket.descriptor, 1) == 0)
        let kitchen = Listener(.tcp(host: "127.0.0.1", port: port), zone: "kitchen", permissions: .read)
        let other = Listener(.tcp(host: nil, port: port))
        let found = inherit(socket, [other, kitchen])
        #expect(found.sockets == [InheritedSocket(descriptor: socket.descriptor, listener: kitchen)])
        #expect(InheritedSocket.remaining([other, kitchen], besides: found.sockets) == [other])
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        let plain = Listener(.tcp(host: "127.0.0.1", port: port))
        #expect(inherit(socket, []).sockets.map(\.listener) == [plain])
    }

    @Test(
        "a socket's name tells its protocol",
        arguments: [nil, "", "web", "web:web", "segued.socket", "webs", ":web"]
    )
    func inheritedSocketsHaveNames(names: String?) {
        let socket = TestSocket(AF_INET, SOCK_STREAM.rawValue)
        _ = socket.bindLoopback()
        #expect(listen(socket.descriptor, 1) == 0)
        #expect(
            inherit(socket, [], named: names).sockets.map(\.isWeb) == [
                names?.hasPrefix("web:") == true || names == "web"
            ]
        )
    }

    @Test func inheritedUnixSocketsAreKnownByTheirNames() {
        let path = FileManager.default.temporaryDirectory.path + "/" + name()
        defer { unsafe unlink(path) }
        let inFiles = TestSocket(AF_UNIX, SOCK_STREAM.rawValue)
        inFiles.bindUnix(path)
        #expect(listen(inFiles.descriptor, 1) == 0)
        let configured = Listener(.unix(path: path, mode: 0o666), zone: "kitchen")
        #expect(inherit(inFiles, [configured]).sockets.map(\.listener) == [configured])
        let abstract = TestSocket(AF_UNIX, SOCK_STREAM.rawValue)
        let label = name()
        abstract.bindUnix("@" + label)
        #expect(listen(abstract.descriptor, 1) == 0)
        #expect(inherit(abstract, []).sockets.map(\.listener) == [Listener(.abstract(name: label))])
    }

    @Test func whatIsNoListeningSocketIsNamed() {
        let socket = TestSocket(AF_UNIX, SOCK_STREAM.rawValue)
        let found = inherit(socket, [])
        #expect(found.sockets.isEmpty)
        #expect(
            found.problems == ["the service manager's descriptor \(socket.descriptor) is not a listening stream socket"]
        )
    }

    @Test(arguments: [
        [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
        ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "-1"],
        ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "x"],
    ])
    func socketsOfOthersAreLeftAlone(environment: [String: String]) {
        let found = InheritedSocket.all(environment: environment, listeners: [])
        #expect(found.sockets.isEmpty && found.problems.isEmpty)
    }

    @Test(arguments: [
        ("tcp::1", "tcp:[::]:1", true), ("tcp::1", "tcp:0.0.0.0:1", true), ("tcp:[::1]:1", "tcp:[0:0::1]:1", true),
        ("tcp::1", "tcp::2", false), ("tcp:127.0.0.1:1", "tcp::1", false), ("@a", "unix:@a", true),
        ("@a", "unix:/a", false),
    ])
    func placesAreCompared(one: String, other: String, isSame: Bool) throws {
        let one = try Listener.Address(parsing: one)
        let other = try Listener.Address(parsing: other)
        #expect(one.isSamePlace(as: other) == isSame)
        #expect(other.isSamePlace(as: one) == isSame)
    }
}
