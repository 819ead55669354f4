private import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import ServerRequests
internal import ServerRooms

/// The way back to a client: straight into its socket while that has room, else through the channel.
///
/// Most replies are short and fit at once; the way through the channel costs several times what the reply itself does.
/// Bytes that do not fit wait in the channel, and all that comes later waits behind them.
final class ReplyWriter {
    /// The form in which the lines of a dialogue are sent.
    enum Framing {
        case lines
        case webSocket(WebSocketFraming)
        /// Each request by HTTP has a response of its own; `nil` between them.
        case http((any WebAnswer)?)
    }

    private let channel: any Channel
    /// The channel's own; it is used only while the channel is active, which is until it closes the socket.
    ///
    /// `nil` where what is sent is encrypted first.
    private let socket: NIOBSDSocket.Handle?
    private var framing: Framing
    /// How many writes the channel still holds, and how many bytes.
    private var waiting = 0
    private(set) var waitingBytes = 0

    /// - Parameter isEncrypted: Whether all has to go through the channel.
    init(_ channel: any Channel, isEncrypted: Bool, _ framing: Framing = .lines) {
        self.channel = channel
        self.framing = framing
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
        switch framing {
        case .lines: send(bytes)
        case .webSocket(var frames):
            send(frames.frames(of: bytes))
            framing = .webSocket(frames)
        case .http(let response): response?.write(bytes, self)
        }
    }

    /// Writes bytes as they are; only where no handler of the channel makes them.
    func send(_ bytes: [UInt8]) {
        let sent = sendAtOnce(bytes)
        guard sent < bytes.count else { return }
        let rest = channel.allocator.buffer(bytes: bytes[sent...])
        count(rest.readableBytes, channel.writeAndFlush(rest))
    }

    /// Counts bytes as waiting until they are written, so that nothing passes them; all that is written by others is counted,
    /// or the last part of it.
    func count(_ bytes: Int, _ written: EventLoopFuture<Void>) {
        waiting += 1
        waitingBytes += bytes
        written.assumeIsolated().whenComplete { [self] _ in
            waiting -= 1
            waitingBytes -= bytes
        }
    }

    /// - Returns: How many bytes the socket took; an error is left for the channel to meet.
    private func sendAtOnce(_ bytes: [UInt8]) -> Int {
        guard waiting == 0, let socket, channel.isActive else { return 0 }
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        return max(0, count)
    }

    // MARK: HTTP

    /// Writes a whole response past the handlers that make responses, whose way costs several times as much.
    ///
    /// - Returns: `nil` where it has to go through them: something waits before it, or the socket takes nothing.
    func sendResponse(_ bytes: [UInt8]) -> EventLoopFuture<Void>? {
        let sent = sendAtOnce(bytes)
        guard sent > 0 else { return nil }
        guard sent < bytes.count else { return channel.eventLoop.makeSucceededVoidFuture() }
        let rest = channel.allocator.buffer(bytes: bytes[sent...])
        let context = try? channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        guard let written = context?.writeAndFlush(NIOAny(rest)) else { return channel.close() }
        count(rest.readableBytes, written)
        return written
    }

    /// Lets the lines that follow be the response to a request.
    func begin(_ response: any WebAnswer) { framing = .http(response) }

    /// Ends HTTP: from now on lines are the messages of a WebSocket.
    func speakWebSocket() { framing = .webSocket(WebSocketFraming()) }

    /// Sends a sign of life to one that stays.
    func ping() {
        switch framing {
        case .lines: break
        case .webSocket: send(WebSocketFraming.control(.ping))
        case .http(let response): response?.ping()
        }
    }

    // MARK: The end

    /// Ends the connection once the client has all that was written to it.
    ///
    /// - Parameter code: Why a WebSocket ends.
    func finish(_ code: WebSocketErrorCode = .normalClosure) {
        switch framing {
        case .lines: closeWhenWritten()
        case .webSocket:
            send(WebSocketFraming.close(code))
            if code == .normalClosure { closeWhenWritten() } else { closeGently() }
        case .http(let response?): response.closeWhenEnded()
        case .http(nil): channel.close(promise: nil)
        }
    }

    /// Lets a client that still sends read why the connection ends, before it is closed.
    private func closeGently() {
        let channel = channel
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
        }
        channel.eventLoop.scheduleTask(in: Self.gentleness) { channel.close(promise: nil) }
    }

    private static let gentleness = TimeAmount.seconds(2)

    private func closeWhenWritten() {
        let channel = channel
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in channel.close(promise: nil) }
    }
}
