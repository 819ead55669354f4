import AudioTypes
import Foundation
import HTTP
import TestSupport
import Testing
import Threads

@testable import HLS
@testable import Segments

/// Whether there are a real server and encoders.
let isEquipped = WebServer.missing.isEmpty && MediaFixtures.missing.isEmpty

/// A session that is read on a thread of its own, as a player reads it.
final class Listening: Sendable {
    struct State: Sendable {
        var presentation: SegmentPresentation?
        var parts: [(part: SessionPart, bytes: [UInt8])] = []
        /// What ended it: an error's text, or nothing at the end of the presentation.
        var end: String??
        var events: [StreamEvent] = []
        /// What is done to the session between two reads.
        var order: (@Sendable (SegmentSession) -> Void)?
    }

    let state = Watched(State())
    let interrupt = Interrupt()

    /// - Parameters:
    ///   - chunk: Bytes of a read at most.
    ///   - isShort: Whether little is buffered, as at the start.
    ///   - pause: Called before each read, for players whose buffers are full.
    init(
        _ url: String,
        _ options: StreamOptions = StreamOptions(),
        track: TrackSelection = .automatic,
        chunk: Int = 32_768,
        isShort: Bool = false,
        pause: @escaping @Sendable () -> Void = {}
    ) {
        let (state, interrupt) = (state, interrupt)
        Thread.detachNewThread {
            let report: @Sendable (StreamEvent) -> Void = { event in state.withLock { $0.events.append(event) } }
            let client = HTTPClient(options.http, interrupt: interrupt, report: report)
            do {
                let document = try client.fetch(url, atMost: 1 << 20)
                let request = PresentationRequest(
                    document,
                    url: url,
                    client: client,
                    track: track,
                    limit: options.preferredPeakBitRate
                )
                let session = SegmentSession(
                    HLSPlaylists(request),
                    client: client,
                    options: options,
                    decryptor: OpenSSLDecryptor.Factory(),
                    report: report
                )
                if isShort { session.record(buffered: 0, of: 60) }
                let presentation = try session.open()
                state.withLock { $0.presentation = presentation }
                try Self.read(session, state, chunk, pause)
                state.withLock { $0.end = .some(nil) }
            } catch {
                state.withLock { $0.end = .some("\(error)") }
            }
        }
    }

    deinit { interrupt.raise() }

    /// A player that reads so many times, 4 KB each, and then nothing until it is let.
    static func gated(_ url: String, after limit: Int) -> (gate: Watched<Bool>, listening: Listening) {
        let gate = Watched(false)
        let reads = Watched(0)
        let listening = Listening(url, chunk: 4096) {
            let count = reads.withLock { reads in
                reads += 1
                return reads
            }
            if count > limit { _ = gate.waitBlocking(within: .patience) { $0 } }
        }
        return (gate, listening)
    }

    private static func read(
        _ session: SegmentSession,
        _ state: Watched<State>,
        _ chunk: Int,
        _ pause: () -> Void
    ) throws {
        var buffer = [UInt8](repeating: 0, count: chunk)
        while let part = try session.nextPart() {
            state.withLock { $0.parts.append((part, [])) }
            while true {
                pause()
                if let order = state.withLock({ state in
                    defer { state.order = nil }
                    return state.order
                }) {
                    order(session)
                }
                let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe session.read(into: $0) }
                guard count > 0 else { break }
                let bytes = buffer[..<count]
                state.withLock { $0.parts[$0.parts.count - 1].bytes += bytes }
            }
        }
    }

    // MARK: What came of it

    /// Waits for its end.
    ///
    /// - Returns: The error it ended with.
    @discardableResult
    func waitForEnd(within limit: Duration = .patience) async throws -> String? {
        try await wait("the end", within: limit) { $0.end != nil }
        return state.current.end ?? nil
    }

    func wait(
        _ what: String,
        within limit: Duration = .patience,
        until condition: @escaping @Sendable (borrowing State) -> Bool
    ) async throws {
        let came = await state.wait(within: limit, until: condition)
        try #require(came, "waited for \(what): \(description)")
    }

    /// Waits until so many bytes have come in all.
    func waitForBytes(_ count: Int) async throws {
        try await wait("\(count) bytes") { $0.parts.reduce(0) { $0 + $1.bytes.count } >= count }
    }

    func order(_ body: @escaping @Sendable (SegmentSession) -> Void) { state.withLock { $0.order = body } }

    var bytes: [UInt8] { Array(state.current.parts.map(\.bytes).joined()) }
    var reasons: [SessionPart.Reason] { state.current.parts.map(\.part.reason) }
    var failures: [StreamFailure] {
        state.current.events.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }
    var transfers: [StreamTransfer] {
        state.current.events.compactMap { if case .transferred(let transfer) = $0 { transfer } else { nil } }
    }
    var connections: [StreamStatus.Connection] {
        state.current.events.compactMap { if case .changed(let status) = $0 { status.connection } else { nil } }
    }
    var description: String {
        let state = state.current
        let parts = state.parts.map { "\($0.part): \($0.bytes.count) bytes" }
        return "\(parts)\n\(state.events.map { "\($0)" }.joined(separator: "\n"))\n\(String(describing: state.end))"
    }
}

/// What a demuxer and a decoder make of a part, mono at 48 kHz.
func decoded(_ bytes: [UInt8]) throws -> [Float] {
    let folder = try TemporaryFolder()
    let path = try folder.write("part", bytes)
    let output = try ChildProcess.run(
        "ffmpeg",
        ["-v", "error", "-i", path, "-f", "f32le", "-ac", "1", "-ar", "48000", "-"]
    ).output
    return unsafe output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
}

/// The seconds that are heard in all parts one after the other.
func secondsHeard(_ listening: Listening) throws -> SecondsHeard {
    let samples = try listening.state.current.parts.flatMap { try decoded($0.bytes) }
    return SecondsHeard(samples, sampleRate: 48_000)
}
