import AudioTypes
import Foundation
import TestSupport

/// `segue play` of something from the network, listened to at a sink of its own.
final class StreamPlayer: Sendable {
    let process: ChildProcess
    let capture: MonitorCapture
    private let seat: Seat
    private let events: Watched<Events>

    init(_ words: [String], environment: [String: String] = [:]) async throws {
        seat = try await Seat.take()
        capture = try await MonitorCapture(of: seat.server, sink: seat.sink)
        let events = Watched(Events())
        self.events = events
        process = try ChildProcess(
            Programs.path("segue"),
            ["play", "--json", "--device", seat.sink.name, "--server", seat.server.address] + words,
            environment: Programs.environment(seat.server.clientEnvironment.merging(environment) { $1 })
        ) { bytes in events.withLock { $0.append(bytes) } }
    }

    deinit { process.end() }

    // MARK: What it tells

    var told: [PlayEvent] { events.current.all }

    /// Waits until it has told something, or has told it already.
    @discardableResult
    func wait(
        for what: String,
        within deadline: Duration = .patience,
        where condition: @escaping @Sendable (PlayEvent) -> Bool
    ) async throws -> PlayEvent {
        _ = await events.wait(within: deadline) { $0.all.contains(where: condition) }
        guard let event = told.first(where: condition) else {
            throw ClientError(description: "\(what) was not told: \(told) \(process.errorText)")
        }
        return event
    }

    /// Whether it is waiting, as it has told last, and why.
    var waiting: String? {
        let last = told.last { $0.name == "status_changed" && $0.text["state"] != nil }
        return last?.text["state"] == "waiting" ? last?.text["reason"] ?? "" : nil
    }

    /// Whether its stream is lost and tried again, as it has told last.
    var isReconnecting: Bool { told.last { $0.name.hasPrefix("reconnect") }?.name == "reconnecting" }

    // MARK: What is heard

    /// Lets some more be heard.
    func hear(_ seconds: Double) async throws {
        try await capture.waitForFrames(frames(seconds), after: capture.frames, within: .seconds(20 + seconds))
    }

    /// Waits until a second of the medium is heard, or a later one.
    func waitForSecond(_ second: Int, within limit: Double = 20) async throws {
        let end = ContinuousClock.now + .seconds(limit)
        while (heardNow ?? -1) < second {
            guard ContinuousClock.now < end, process.isRunning else {
                throw ClientError(description: "\(second) was not heard: \(heard().text); \(process.errorText) \(told)")
            }
            try await hear(0.1)
        }
    }

    /// The second that is heard at this moment; `nil` in silence.
    var heardNow: Int? {
        let recording = capture.current
        let window = frames(0.06)
        let samples = recording.samples(in: max(0, recording.frames - window)..<recording.frames)
        return Analysis.position(samples, sampleRate: recording.format.sampleRate)
    }

    /// Waits until nothing is heard, for as long as that takes to be sure; returns where the silence began.
    @discardableResult
    func waitForSilence(within limit: Double = 30) async throws -> Int {
        try await capture.waitForSilence(of: .milliseconds(300), after: capture.frames, within: .seconds(limit))
    }

    /// Waits until something is heard again; returns how many seconds after `start` that was.
    func waitForSound(after start: ContinuousClock.Instant, within limit: Double = 30) async throws -> Double {
        let frame = try await capture.waitForSound(after: capture.frames, within: .seconds(limit))
        return (capture.current.time(of: frame) - start).seconds
    }

    func heard(from frame: Int = 0, period: Int? = nil) -> SecondsHeard {
        SecondsHeard(capture.current, from: frame, period: period)
    }

    func frames(_ seconds: Double) -> Int { capture.current.format.frames(in: seconds) }

    /// Ends it as Ctrl-C does.
    @discardableResult
    func quit() async throws -> ChildProcess.Result {
        process.kill(SIGINT)
        return try await process.wait(within: .patience)
    }
}

/// Something that `segue play --json` told.
struct PlayEvent: Sendable, CustomStringConvertible {
    var name: String
    var text: [String: String] = [:]
    var numbers: [String: Double] = [:]
    var arrival = ContinuousClock.now

    init?(_ line: some Collection<UInt8>) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
            let name = object["event"] as? String
        else { return nil }
        self.name = name
        for (key, value) in object where key != "event" {
            if let value = value as? String { text[key] = value }
            if let value = value as? Double { numbers[key] = value }
        }
    }

    var description: String { "\(name)\(text.filter { $0.key != "version" })\(numbers)" }
}

private struct Events: Sendable {
    private(set) var all: [PlayEvent] = []
    private var rest: [UInt8] = []

    mutating func append(_ bytes: [UInt8]) {
        rest += bytes
        while let end = rest.firstIndex(of: 0x0a) {
            if let event = PlayEvent(rest[..<end]) { all.append(event) }
            rest.removeSubrange(...end)
        }
    }
}
