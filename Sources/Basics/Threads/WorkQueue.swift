/// A kind of blocking work, with its limits.
///
/// Work in one queue never waits for a thread of another queue. Each place has a queue of its own for the same kind of
/// work, so that a dead file system holds up only the work on it.
package struct WorkQueue: Sendable, Hashable {
    /// The kind of work, as refusals name it: "searches by regular expression".
    package let work: String
    /// The resource that the work waits for, such as a directory; empty where the kind has one queue.
    package let place: String
    /// Threads at a time for one place.
    package let threads: Int
    /// Threads at a time for all places of the kind.
    package let threadsInAll: Int
    /// How many of the clients' jobs may wait for a thread, for one place.
    package let waiting: Int

    package init(_ work: String, place: String = "", threads: Int, inAll threadsInAll: Int? = nil, waiting: Int) {
        self.work = work
        self.place = place
        self.threads = threads
        self.threadsInAll = max(threads, threadsInAll ?? threads)
        self.waiting = waiting
    }
}

/// Why work is refused.
package enum WorkRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The queue is full.
    case tooMany(String)
    /// The system cannot start a thread.
    case noThread(ThreadError)

    package var description: String {
        switch self {
        case .tooMany(let work): "too many \(work) are waiting; try again later"
        case .noThread(let error): error.description
        }
    }
}
