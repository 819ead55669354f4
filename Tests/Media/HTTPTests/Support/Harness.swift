import AudioTypes
import Foundation
import HTTP
import TestSupport
import Testing
import Threads

/// What a client or a source reported.
final class Reports: Sendable {
    private let events = Watched<[StreamEvent]>([])

    var report: @Sendable (StreamEvent) -> Void { { [events] event in events.withLock { $0.append(event) } } }
    var all: [StreamEvent] { events.current }

    var failures: [StreamFailure] {
        all.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }
    var transfers: [StreamTransfer] {
        all.compactMap { if case .transferred(let transfer) = $0 { transfer } else { nil } }
    }
    var connections: [StreamStatus.Connection] {
        all.compactMap { if case .changed(let status) = $0 { status.connection } else { nil } }
    }

    /// Waits for a report.
    func wait(
        _ what: String,
        within limit: Duration = .patience,
        until condition: @escaping @Sendable (StreamEvent) -> Bool
    ) async throws {
        let came = await events.wait(within: limit) { events in
            for event in events where condition(event) { return true }
            return false
        }
        try #require(came, "\(what): \(all)")
    }

    /// Waits until it was connected so many times.
    func waitForConnections(_ count: Int) async throws {
        let came = await events.wait(within: .patience) { events in
            var found = 0
            for case .changed(let status) in events where status.connection == .connected { found += 1 }
            return found >= count
        }
        try #require(came, "\(count) connections: \(all)")
    }

    func waitForFailure() async throws {
        try await wait("a failure") { if case .failed = $0 { true } else { false } }
    }
}

extension HTTPOptions {
    /// Impatient ones, for tests of silence.
    static func impatient(_ limit: Double = 1.5) -> HTTPOptions {
        var options = HTTPOptions()
        options.silenceLimit = limit
        return options
    }
}

extension StreamOptions {
    init(http: HTTPOptions, reconnectLimit: Double? = nil) {
        self.init()
        self.http = http
        self.reconnectLimit = reconnectLimit
    }
}

func client(
    _ options: HTTPOptions = HTTPOptions(),
    _ reports: Reports = Reports(),
    interrupt: Interrupt = Interrupt()
) -> HTTPClient {
    HTTPClient(options, interrupt: interrupt, report: reports.report)
}

func source(
    _ url: String,
    _ options: StreamOptions = StreamOptions(),
    _ reports: Reports = Reports(),
    interrupt: Interrupt = Interrupt()
) -> HTTPSource {
    let client = HTTPClient(options.http, interrupt: interrupt, report: reports.report)
    return HTTPSource(url, client: client, options: options, report: reports.report)
}

extension HTTPSource {
    /// Reads on, at most so many bytes.
    func next(_ count: Int = 32_768) throws(HTTPError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let got = try unsafe read(into: buffer)
        return unsafe Array(buffer[..<got])
    }

    /// Reads on until so many bytes are there, or the end.
    func next(exactly count: Int) throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try next(min(32_768, count - bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    func rest() throws(HTTPError) -> [UInt8] { try next(exactly: .max) }
}

extension HTTPTransfer {
    func next(_ count: Int = 32_768) throws(HTTPError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe buffer.deallocate() }
        let got = try unsafe read(into: buffer)
        return unsafe Array(buffer[..<got])
    }

    func rest() throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try next()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }
}

/// Bytes of which every place can be told from every other.
func pattern(_ count: Int, seed: UInt32 = 1) -> [UInt8] {
    var state = seed &* 2_654_435_761 | 1
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 4)
    while bytes.count < count {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        bytes += [UInt8(truncatingIfNeeded: state), UInt8(truncatingIfNeeded: state >> 8)]
        bytes += [UInt8(truncatingIfNeeded: state >> 16), UInt8(truncatingIfNeeded: state >> 24)]
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// Runs `body`, which is to fail.
func failure<Value>(_ body: () throws(HTTPError) -> Value) -> HTTPError.Kind? {
    switch Result(catching: body) {
    case .success: nil
    case .failure(let error): error.kind
    }
}

/// How often the calling thread has gone to sleep.
func threadSleeps() -> Int {
    let text = threadFolder().flatMap { try? String(contentsOfFile: "\($0)/status", encoding: .utf8) } ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
    return line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
}

/// Where the system tells about the calling thread.
func threadFolder() -> String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")).map { "/proc/\($0)" }
}

/// Waits until a thread has been asleep for a while: one that waits for a near host tries it five times a second.
///
/// - Returns: `false` if the thread has ended.
func isAsleep(_ folder: String?) async throws -> Bool {
    let folder = try #require(folder)
    var last = ""
    var sightings = 0
    while sightings < 12 {
        guard let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8) else { return false }
        let lines = status.split(separator: "\n").filter { $0.hasPrefix("State:") || $0.contains("ctxt_switches") }
        let now = lines.joined()
        sightings = now == last && now.contains("S (sleeping)") ? sightings + 1 : 0
        last = now
        try await Task.sleep(for: .milliseconds(10))
    }
    return true
}
