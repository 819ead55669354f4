package import AudioTypes
package import Mixing
package import Outputs
private import Synchronization
internal import Threads

/// Encodes the heard frames into a stream while it is wanted, and silence while nothing is heard.
///
/// It takes frames as fast as they come, so another clock has to set the pace. Without listeners it takes none.
package final class StreamOutput: FeedOutput, TitledOutput, AttributedOutput {
    package let feed: FrameFeed
    private let destination: any StreamDestination
    /// Whether titles are in the stream itself, which ends with each title for another one to begin.
    private let carriesTitles: Bool
    /// As last told by the destination.
    private let demand = Mutex(StreamDemand.none)
    private let silence: SilenceGap.Timing
    private let nextTitle = Mutex<StreamTitle?>(nil)
    private let finished = Doorbell()

    /// Frames encoded at once.
    private static let chunk = 4_096

    /// - Parameter encoder: Used only on the output's thread from here on.
    init(
        _ encoder: sending StreamEncoder,
        to destination: any StreamDestination,
        carriesTitles: Bool = false,
        silence: SilenceGap.Timing = .patient
    ) {
        self.silence = silence
        feed = FrameFeed(format: encoder.format, hasTaker: false)
        self.destination = destination
        self.carriesTitles = carriesTitles && encoder.encoding.codec.carriesTitles
        let transfer = Mutex<StreamEncoder?>(encoder)
        WorkThread.startWhenPossible(named: "segue-stream") { [self] in
            if let encoder = transfer.withLock({ $0.take() }) { run(encoder) }
            finished.ring()
        }
        destination.open { [weak self] demand in self?.set(demand) }
        destination.followAttributes { [weak self] in self?.feed.tell(.attributesChanged) }
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        guard !feed.attach(ring, at: position, events: events) else { return }
        events(demand.withLock { $0 }.event)
        if feed.hasTaker { events(.restored) }
    }

    package func close() {
        feed.close()
        finished.wait()
        destination.close()
    }

    private func set(_ new: StreamDemand) {
        demand.withLock { $0 = new }
        feed.setTaker(new == .wanted, new.event)
        feed.ring()
    }

    // MARK: What listeners are told

    package func show(_ title: StreamTitle) {
        if carriesTitles { nextTitle.withLock { $0 = title } } else { destination.show(title.text) }
    }

    package var sharedStream: (any SharedStream)? { destination.shared }

    package var attributes: [String: String] { destination.attributes }

    package func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        try destination.setAttribute(name, to: value)
    }

    // MARK: The thread

    private func run(_ encoder: StreamEncoder) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * format.bytesPerFrame, alignment: 64)
        defer { unsafe buffer.deallocate() }
        var gap = SilenceGap(silence)
        var seconds = 0.0
        var isSilent = true
        while let count = unsafe feed.read(into: buffer) {
            let length = format.seconds(for: count)
            let now = HostTime.now
            do {
                if count > 0 {
                    let silence = gap.framesCame(length, at: now)
                    try writeSilence(silence, encoder)
                    unsafe try encoder.write(
                        UnsafeRawBufferPointer(rebasing: buffer[..<(count * format.bytesPerFrame)])
                    )
                    seconds += silence + length
                    isSilent = false
                    continue
                }
                guard feed.hasTaker else {
                    gap.stop()
                    seconds = 0
                    feed.wait()
                    continue
                }
                gap.begin(at: now)
                let silence = gap.due(at: now)
                try writeSilence(silence, encoder)
                seconds += silence
                if seconds > 0 { try pass(seconds, isSilent: isSilent, of: encoder) }
                (seconds, isSilent) = (0, true)
                feed.wait(until: gap.deadline)
            } catch {
                feed.fail("\(error)")
            }
        }
    }

    private func writeSilence(_ seconds: Double, _ encoder: StreamEncoder) throws {
        var rest = format.frames(in: min(seconds, Self.longestSilence))
        guard rest > 0 else { return }
        let size = format.bytesPerFrame
        let zeros = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * size, alignment: 64)
        defer { unsafe zeros.deallocate() }
        unsafe zeros.initializeMemory(as: UInt8.self, repeating: 0)
        while rest > 0 {
            let count = min(rest, Self.chunk)
            unsafe try encoder.write(UnsafeRawBufferPointer(rebasing: zeros[..<(count * size)]))
            rest -= count
        }
    }

    /// Seconds of silence at most, such as after the machine's sleep.
    private static let longestSilence = 10.0

    private func pass(_ seconds: Double, isSilent: Bool, of encoder: StreamEncoder) throws {
        destination.send(try encoder.encode(seconds, isSilent: isSilent))
        if let title = nextTitle.withLock({ $0.take() }) { destination.send(try encoder.restart(with: title)) }
    }
}
