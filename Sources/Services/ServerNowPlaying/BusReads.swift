package import NIOCore
internal import ServerBasics
private import Synchronization
package import Threads

/// Reads of the disk for programs on the bus, which no client of the protocol waits for.
///
/// Belongs to the server's event loop.
package final class BusReads {
    private let work: WorkThreads
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var waiting: [Int: () -> Void] = [:]
    private var newest = 0

    /// How many may be under way at a time.
    private static let limit = 64

    package init(_ work: WorkThreads, loop: any EventLoop) {
        self.work = work
        self.loop = loop
    }

    /// - Parameter then: Called on the event loop.
    package func perform<Value: Sendable>(
        on workQueue: WorkQueue,
        _ body: @escaping @Sendable () throws -> Value,
        then: @escaping (Result<Value, any Error>) -> Void
    ) {
        guard waiting.count < Self.limit else {
            return then(.failure(WorkRefusal.tooMany("requests from the message bus")))
        }
        newest += 1
        let (number, onLoop) = (newest, onLoop)
        let box = Box<Value>()
        waiting[number] = { if let result = box.result { then(result) } }
        work.submit(to: workQueue) {
            box.put(Result { try body() })
            onLoop { $0.waiting.removeValue(forKey: number)?() }
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        private let stored = Mutex<Result<Value, any Error>?>(nil)

        var result: Result<Value, any Error>? { stored.withLock { $0 } }
        func put(_ result: Result<Value, any Error>) { stored.withLock { $0 = result } }
    }
}
