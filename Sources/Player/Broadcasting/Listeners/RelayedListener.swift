internal import NIOCore
internal import Outputs

/// A listener whose connection is on another event loop: gets as many bytes as it has taken, and some more.
///
/// Belongs to the stream's event loop.
final class RelayedListener: PacketReader {
    private let server: ListenerServer
    private let receive: @Sendable (SharedStreamEvent) -> Void
    /// `nil` until it listens, and after that has ended.
    private var reading: TitledReading?
    /// Bytes that were passed on and not taken yet.
    private var waiting = 0
    private var lastProgress = NIODeadline.now()

    /// In bytes: no more are passed on while so many wait.
    private static let most = 64 << 10

    init(_ server: ListenerServer, _ receive: @escaping @Sendable (SharedStreamEvent) -> Void) {
        (self.server, self.receive) = (server, receive)
    }

    func begin(withTitles: Bool) {
        guard let first = server.admit(self) else { return receive(.full) }
        reading = TitledReading(from: first, withTitles: withTitles)
        receive(.begun)
        pump()
    }

    func took(_ count: Int) {
        waiting -= count
        lastProgress = .now()
        pump()
    }

    func pump() {
        guard waiting < Self.most else {
            if .now() - lastProgress > StreamListener.stallTime { close() }
            return
        }
        while waiting < Self.most, let parts = reading?.next(of: server) {
            let bytes = parts.flatMap(\.readableBytesView)
            waiting += bytes.count
            receive(.bytes(bytes))
        }
    }

    func close() {
        guard reading != nil else { return }
        leave()
        receive(.ended)
    }

    func leave() {
        reading = nil
        server.left(self)
    }
}

/// The place of a relayed listener, for other threads.
final class RelayedSeat: SharedStreamSeat {
    private let loop: any EventLoop
    private let listener: NIOLoopBoundBox<RelayedListener?>

    init(
        _ server: NIOLoopBound<ListenerServer>,
        on loop: any EventLoop,
        withTitles: Bool,
        _ receive: @escaping @Sendable (SharedStreamEvent) -> Void
    ) {
        self.loop = loop
        listener = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: loop)
        loop.execute { [listener] in
            let relayed = RelayedListener(server.value, receive)
            listener.value = relayed
            relayed.begin(withTitles: withTitles)
        }
    }

    func took(_ count: Int) { loop.execute { [listener] in listener.value?.took(count) } }

    func leave() {
        loop.execute { [listener] in
            listener.value?.leave()
            listener.value = nil
        }
    }
}
