private import Foundation
private import Glibc

/// A radio station: what it sends goes on in real time whether or not anybody takes it.
///
/// Its clock starts with the object. After an outage it goes on with what is on air *then*, as a studio does, so what
/// is heard tells how far behind the live edge a listener is.
package final class IcecastSource: Sendable {
    package let mount: String
    package let programme: Programme
    /// When its first byte was on air.
    package let epoch = ContinuousClock.now
    private let server: IcecastServer
    private let name: String
    /// The current connection, −1 when there is none; a thread that finds another one there ends.
    private let descriptor = Watched<Int32>(-1)

    /// Connects, and goes on air; the first seconds are sent at once, as if it had been there for a while.
    package init(
        _ programme: Programme,
        to server: IcecastServer,
        mount: String = "radio",
        name: String = "Test Radio",
        lead: Double = 5
    ) throws {
        (self.programme, self.server, self.mount, self.name) = (programme, server, mount, name)
        self.lead = lead
        try connect()
    }

    deinit { drop() }

    /// How far ahead of its clock it sends, in seconds: what fills a new listener's buffer.
    package let lead: Double

    package var url: String { server.url(mount) }
    /// The port of its server.
    package var port: UInt16 { server.port }

    /// What is sent at this moment, in seconds of its programme.
    package var time: Double { (ContinuousClock.now - epoch).seconds + lead }

    /// How long its server takes to send a new listener so many bytes, in milliseconds.
    package func milliseconds(toBytes count: Int) throws -> Double {
        let start = ContinuousClock.now
        let client = LineClient(descriptor: try SocketAddress.ipv4(server.port).connect())
        client.send("GET /\(mount) HTTP/1.0\r\nIcy-MetaData: 1\r\n\r\n")
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total = 0
        while total < count {
            let received = unsafe recv(client.descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { throw ClientError(description: "\(mount) sends nothing") }
            total += received
        }
        return (ContinuousClock.now - start).seconds * 1000
    }

    /// Goes off air; the server sends its listeners away.
    package func drop() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
            descriptor = -1
        }
    }

    /// Goes on air again, with what is on now; the last seconds are sent at once.
    package func connect() throws {
        drop()
        let socket = try SocketAddress.ipv4(server.port).connect()
        let client = LineClient(descriptor: dup(socket))
        let head = [
            "SOURCE /\(mount) HTTP/1.0", IcecastServer.authorization("source"), "Content-Type: \(programme.type)",
            "ice-name: \(name)", "ice-public: 0", "", "",
        ]
        client.send(head.joined(separator: "\r\n"))
        let answer = client.line()
        guard answer.contains(" 200") else {
            close(socket)
            throw ClientError(description: "the source of \(mount): \(answer)")
        }
        descriptor.withLock { $0 = socket }
        let start = Int(max(0, time - lead) * programme.bytesPerSecond)
        let entrance = programme.entrance(at: start)
        let thread = Thread { [weak self, descriptor] in
            _ = Connections.send(entrance.head, to: socket)
            var sent = entrance.start
            while let self, self.sendWhatIsDue(after: &sent, to: socket) { usleep(20_000) }
            // Forgotten first: numbers of closed descriptors are soon used again.
            descriptor.withLock { if $0 == socket { $0 = -1 } }
            close(socket)
        }
        thread.name = "icecast-source"
        thread.start()
    }

    /// - Returns: Whether it is still on air.
    private func sendWhatIsDue(after sent: inout Int, to socket: Int32) -> Bool {
        guard descriptor.withLock({ $0 == socket }) else { return false }
        let due = Int(time * programme.bytesPerSecond)
        while sent < due {
            let place = sent % programme.bytes.count
            let end = min(programme.bytes.count, place + due - sent)
            guard Connections.send(programme.bytes[place..<end], to: socket) else { return false }
            sent += end - place
        }
        return true
    }
}
