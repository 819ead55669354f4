internal import NIOCore
internal import PlaylistStore
internal import ServerBasics
private import Synchronization
internal import Threads

/// Reads of the disk for programs on the bus, which no client of the protocol waits for.
///
/// Belongs to the server's event loop.
final class BusReads {
    private let work: WorkThreads
    private let loop: any EventLoop
    private lazy var hop = Hop(to: self, on: loop)
    private var waiting: [Int: () -> Void] = [:]
    private var newest = 0

    /// How many may be under way at a time.
    private static let limit = 64

    init(_ work: WorkThreads, loop: any EventLoop) {
        self.work = work
        self.loop = loop
    }

    /// - Parameter then: Called on the event loop.
    func perform<Value: Sendable>(
        on lane: WorkLane,
        _ body: @escaping @Sendable () throws -> Value,
        then: @escaping (Result<Value, any Error>) -> Void
    ) {
        guard waiting.count < Self.limit else {
            return then(.failure(WorkRefusal.tooMany("requests from the message bus")))
        }
        newest += 1
        let (number, hop) = (newest, hop)
        let box = Box<Value>()
        waiting[number] = { if let result = box.result { then(result) } }
        work.submit(to: lane) {
            box.put(Result { try body() })
            hop { $0.waiting.removeValue(forKey: number)?() }
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        private let stored = Mutex<Result<Value, any Error>?>(nil)

        var result: Result<Value, any Error>? { stored.withLock { $0 } }
        func put(_ result: Result<Value, any Error>) { stored.withLock { $0 = result } }
    }
}

/// The names of the stored playlists, in order, as of their last change.
///
/// Belongs to the server's event loop.
final class PlaylistNames {
    private let playlists: StoredPlaylists?
    private let reads: BusReads
    private let changed: () -> Void
    private(set) var names: [String] = []

    init(_ playlists: StoredPlaylists?, _ reads: BusReads, changed: @escaping () -> Void) {
        self.playlists = playlists
        self.reads = reads
        self.changed = changed
    }

    func refresh() {
        guard let playlists else { return }
        reads.perform(on: .playlists) {
            try playlists.list().map(\.name)
        } then: { [unowned self] result in
            guard let found = try? result.get() else { return }
            names = found
            changed()
        }
    }
}
