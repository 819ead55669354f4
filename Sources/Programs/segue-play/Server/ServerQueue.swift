import AudioTypes
import Glibc
import ProtocolClient
import Synchronization

/// Why a server did not take over a queue: one line that says what to do.
struct HandoverProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The queue that the server takes over.
struct HandedQueue: Sendable {
    enum Repeating: Sendable {
        case nothing, item, queue
    }

    /// The entries in playing order.
    var entries: [MediaEntry]
    /// The index of the current entry.
    var index: Int
    var time: MediaTime
    var repeating: Repeating
    var speed: Double
    var keepsPitch: Bool
}

/// The queue of this machine's segued, for a handover.
///
/// Every call blocks until the server has answered.
final class ServerQueue: Sendable {
    private let connection: Mutex<RemoteConnection>

    /// Connects.
    init() throws(HandoverProblem) {
        do {
            let connection = try RemoteConnection.open(LocalServer.choice)
            // Only segued can prepare playback at a position, and start at a sample.
            guard try connection.run("commands").values("command").contains("buffer") else {
                throw HandoverProblem("the server at \(connection.address) is not a segued")
            }
            self.connection = Mutex(connection)
        } catch let problem as HandoverProblem {
            throw problem
        } catch {
            throw HandoverProblem("\(error)")
        }
    }

    /// Replaces the server's queue.
    ///
    /// - Parameter plays: Whether it starts at once, rather than waiting at its position.
    func replace(with queue: HandedQueue, plays: Bool) throws(HandoverProblem) {
        let songs = try queue.entries.map { entry throws(HandoverProblem) in try Self.song(entry) }
        try perform { connection throws(RemoteError) in
            let replies = try connection.runAll([Request("clear")] + songs.map { Request("addid", $0) })
            let ids = replies.compactMap { $0["Id"] }
            guard ids.count == songs.count else { throw RemoteError.malformed(connection.address, line: "OK") }
            var requests = zip(ids, queue.entries).compactMap { id, entry in
                Self.range(of: entry).map { Request("rangeid", [id, $0] + Self.tags(of: entry)) }
            }
            requests += [
                Request("random", "0"), Request("consume", "0"),
                Request("repeat", queue.repeating == .nothing ? "0" : "1"),
                Request("single", queue.repeating == .item ? "1" : "0"),
                Request("pitch", queue.keepsPitch ? "timeDomain" : "varispeed"), Request("speed", "\(queue.speed)"),
                Request("seekid", ids[queue.index], "\(max(0, queue.time.seconds))"),
            ]
            // In one command list, so that nothing is heard in between.
            try connection.run(requests + (plays ? [] : [Request("pause", "1")]))
        }
    }

    /// Seeks in the current song.
    func seek(to time: MediaTime) throws(HandoverProblem) {
        try perform { connection throws(RemoteError) in try connection.run("seekcur", "\(max(0, time.seconds))") }
    }

    /// Waits until the server has buffered the first samples of its position.
    func waitUntilReady() throws(HandoverProblem) {
        let steps = 200
        for _ in 0..<steps {
            let isReady = try perform { connection throws(RemoteError) in
                let replies = try connection.run([Request("buffer"), Request("status")])
                guard replies.count == 2, replies[1]["error"] == nil else { return Bool?.none }
                return replies[0]["playbackbufferempty"] == "0"
            }
            guard let isReady else { throw HandoverProblem("the server cannot play it: segue status") }
            if isReady { return }
            var pause = timespec(tv_sec: 0, tv_nsec: 10_000_000)
            _ = unsafe nanosleep(&pause, nil)
        }
        throw HandoverProblem("the server was not ready in time")
    }

    /// Starts playback on the server.
    func begin() throws(HandoverProblem) {
        try perform { connection throws(RemoteError) in try connection.run("pause", "0") }
    }

    @discardableResult
    private func perform<Value: Sendable>(
        _ body: @Sendable (RemoteConnection) throws(RemoteError) -> Value
    ) throws(HandoverProblem) -> Value {
        let result = connection.withLock { connection in
            Result { () throws(RemoteError) in try body(connection) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw HandoverProblem("\(error)")
        }
    }

    // MARK: Songs

    /// The URI of an entry for the server.
    private static func song(_ entry: MediaEntry) throws(HandoverProblem) -> String {
        guard entry.location != "-" else {
            throw HandoverProblem("standard input can only be played here")
        }
        guard let path = entry.filePath else { return entry.location }
        guard let resolved = unsafe path.cString.withUnsafeBufferPointer({ unsafe realpath($0.baseAddress, nil) })
        else {
            throw HandoverProblem("\(entry.location): \(unsafe String(cString: strerror(errno)))")
        }
        defer { unsafe free(resolved) }
        let text = unsafe String(validatingCString: resolved)
        guard let text else { throw HandoverProblem("\(entry.location): its name is not UTF-8") }
        return text
    }

    /// The tags that a CUE sheet or a playlist gives, as words of a request.
    private static func tags(of entry: MediaEntry) -> [String] {
        let names = ["title", "artist", "album", "track", "date", "genre"].map { ($0, $0) }
        return (names + [("album_artist", "albumartist")]).flatMap { name, tag in
            entry.tags[all: name].filter { !$0.isEmpty }.flatMap { [tag, $0] }
        }
    }

    private static func range(of entry: MediaEntry) -> String? {
        guard entry.start != nil || entry.end != nil else { return nil }
        return "\((entry.start ?? .zero).seconds):\(entry.end.map { "\($0.seconds)" } ?? "")"
    }
}
