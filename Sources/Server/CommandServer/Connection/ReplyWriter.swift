private import Glibc
internal import NIOCore
internal import ServerRequests
internal import ServerRooms

/// The way back to a client: straight into its socket while that has room, else through the channel.
///
/// Most replies are short and fit at once; the way through the channel costs several times what the reply itself does.
/// Bytes that do not fit wait in the channel, and all that comes later waits behind them.
final class ReplyWriter {
    private let channel: any Channel
    /// The channel's own; it is used only while the channel is active, which is until it closes the socket.
    ///
    /// `nil` where what is sent is encrypted first.
    private let socket: NIOBSDSocket.Handle?
    /// How many writes the channel still holds, and how many bytes.
    private var waiting = 0
    private(set) var waitingBytes = 0

    /// - Parameter isEncrypted: Whether all has to go through the channel.
    init(_ channel: any Channel, isEncrypted: Bool) {
        self.channel = channel
        if isEncrypted {
            socket = nil
            return
        }
        let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        self.socket = socket
    }

    func write(_ bytes: [UInt8]) {
        let sent = sendAtOnce(bytes)
        guard sent < bytes.count else { return }
        let count = bytes.count - sent
        waiting += 1
        waitingBytes += count
        let rest = channel.allocator.buffer(bytes: bytes[sent...])
        channel.writeAndFlush(rest).assumeIsolated().whenComplete { [self] _ in
            waiting -= 1
            waitingBytes -= count
        }
    }

    /// - Returns: How many bytes the socket took; an error is left for the channel to meet.
    private func sendAtOnce(_ bytes: [UInt8]) -> Int {
        guard waiting == 0, let socket, channel.isActive else { return 0 }
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        return max(0, count)
    }
}
