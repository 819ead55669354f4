internal import NIOCore
internal import NIOHTTP1
internal import Outputs
internal import ServerBasics
internal import Zones

/// The stream of an output as a response, which goes on until the client leaves or the stream ends.
final class WebStream: WebAnswer {
    private enum State {
        /// For a place among the listeners.
        case waiting
        case begun
        case ended
    }

    let stream: any SharedStream
    /// The zone whose stream it was when it began.
    let zone: Zone
    private(set) var withTitles = false
    private let channel: any Channel
    private let head: HTTPResponseHead
    /// Called when there is no place.
    private let full: () -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: channel.eventLoop)
    private var seat: (any SharedStreamSeat)?
    private var state = State.waiting
    /// Called with the number of bytes that the client has taken.
    private let progressed: (Int) -> Void

    init(
        _ stream: any SharedStream,
        of zone: Zone,
        _ channel: any Channel,
        _ head: HTTPResponseHead,
        progressed: @escaping (Int) -> Void,
        full: @escaping () -> Void
    ) {
        (self.stream, self.zone, self.channel, self.head) = (stream, zone, channel, head)
        (self.progressed, self.full) = (progressed, full)
    }

    func begin(withTitles: Bool) {
        self.withTitles = withTitles
        seat = stream.listen(withTitles: withTitles) { [onLoop] event in onLoop { $0.receive(event) } }
    }

    private func receive(_ event: SharedStreamEvent) {
        switch event {
        case .begun: begin()
        case .bytes(let bytes): send(bytes)
        case .full:
            guard state == .waiting else { return }
            leave()
            full()
        case .ended: closeWhenEnded()
        }
    }

    private func begin() {
        guard state == .waiting else { return }
        state = .begun
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
    }

    private func send(_ bytes: [UInt8]) {
        guard state == .begun else { return }
        let written = channel.writeAndFlush(
            HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: bytes)))
        )
        written.assumeIsolated().whenSuccess { [weak self] in
            self?.seat?.took(bytes.count)
            self?.progressed(bytes.count)
        }
    }

    /// The client is gone, or is to be.
    func leave() {
        state = .ended
        seat?.leave()
        seat = nil
    }

    func write(_ bytes: [UInt8], _ writer: ReplyWriter) {}

    // Its bytes come by themselves.
    func ping() {}

    func closeWhenEnded() {
        let (channel, hasBegun) = (channel, state == .begun)
        leave()
        guard hasBegun else { return channel.close(promise: nil) }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in channel.close(promise: nil) }
    }
}
