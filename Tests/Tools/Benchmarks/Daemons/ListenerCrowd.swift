private import Foundation
private import Glibc
private import Synchronization
import TestSupport

/// Many listeners of a stream, which read as fast as it comes, and one that reads nothing.
final class ListenerCrowd: Sendable {
    private let descriptors: [Int32]
    private let idler: Int32
    private let received: Mutex<[Int]>
    private let isEnding = Atomic(false)

    /// - Parameter path: What they ask for.
    init(_ count: Int, at port: UInt16, path: String = "/") throws {
        let request = Array("GET \(path) HTTP/1.0\r\n\r\n".utf8)
        let made = try (0...count).map { _ in
            let descriptor = try SocketAddress.ipv4(port).connect()
            _ = unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
            return descriptor
        }
        (idler, descriptors) = (made[count], Array(made.dropLast()))
        received = Mutex(Array(repeating: 0, count: count))
        Thread.detachNewThread { [self] in read() }
    }

    private func read() {
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnding.load(ordering: .acquiring) {
            _ = unsafe poll(&polls, nfds_t(polls.count), 500)
            for index in polls.indices where polls[index].revents != 0 {
                let count = unsafe recv(polls[index].fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 { received.withLock { $0[index] += count } } else { polls[index].fd = -1 }
            }
        }
        for descriptor in descriptors + [idler] { close(descriptor) }
    }

    /// Bytes of each so far.
    var bytes: [Int] { received.withLock { $0 } }

    func end() { isEnding.store(true, ordering: .releasing) }
}
