internal import Caching
package import Files
package import PictureValues
package import Threads

/// Small pictures of files: each made once for all who ask, and kept in memory and on disk.
///
/// A picture is known by its file's identity, size and time and by what is wanted of it, so a file that changes has
/// another. All calls block; they may come from any thread.
package final class PictureStore: Sendable {
    private struct Key: Hashable {
        let file: String
        let order: PictureOrder
    }

    private typealias Requests = PictureRequests<Key, Result<[UInt8], PictureError>>

    private struct State {
        var requests: Requests
        /// Encoded pictures, charged by their bytes.
        var memory: BoundedCache<Key, [UInt8]>
        var failures = PictureFailures<Key>(limit: 1_000)
        /// Of the pictures that are being made.
        var cancellations: [Int: Cancellation] = [:]

        /// Keeps a picture, unless it would take the place of most others.
        mutating func remember(_ bytes: [UInt8], _ key: Key) {
            // With an allowance for key and entry.
            let cost = bytes.count + 256
            if cost <= memory.capacity / 4 { memory.keep(bytes, for: key, cost: cost) }
        }
    }

    private enum Beginning {
        case known(Result<[UInt8], PictureError>)
        case wished(Requests.Ticket)
    }

    private let state: Monitor<State>
    private let workers: WorkerPool
    private let files: PictureFolder?

    /// How many different pictures may be wanted at a time.
    private static let wishLimit = 256

    /// - Parameters:
    ///   - program: The one that decodes.
    ///   - workers: How many of its processes work at once, at most.
    ///   - folder: Where pictures are kept; it is made when it is needed. `nil`: only in memory.
    ///   - diskCapacity: In bytes.
    ///   - capacity: In bytes of memory.
    package init(
        program: String,
        workers: Int,
        folder: String?,
        diskCapacity: Int = 256 << 20,
        capacity: Int = 16 << 20
    ) {
        let requests = Requests(running: workers, limit: Self.wishLimit)
        state = Monitor(State(requests: requests, memory: BoundedCache(capacity: capacity)))
        self.workers = WorkerPool(program: program)
        files = folder.map { PictureFolder($0, capacity: diskCapacity) }
    }

    /// The picture of an open file, encoded as the order says.
    ///
    /// - Parameter cancellation: Ends the wait; the picture is made on only for others who wait for it.
    package func picture(
        _ order: PictureOrder,
        of file: borrowing Descriptor,
        _ priority: PicturePriority = .visible,
        _ cancellation: Cancellation = Cancellation()
    ) throws(PictureError) -> [UInt8] {
        let status: FileStatus
        do { status = try file.status } catch { throw .system("\(error)") }
        guard status.kind == .file else { throw .notAPicture }
        let key = Key(file: status.cacheName, order: order)
        return try picture(key, priority, cancellation) { worker, cancellation throws(PictureError) in
            try worker.make(order, of: file, cancellation)
        }
    }

    /// One picture of several.
    ///
    /// - Parameters:
    ///   - parts: Encoded ones, as many as the order's layout has.
    ///   - sources: The files that the parts were made of, as ``Files/FileStatus/cacheName`` names it.
    package func picture(
        _ order: PictureOrder,
        ofParts parts: [[UInt8]],
        madeOf sources: [String],
        _ priority: PicturePriority = .visible,
        _ cancellation: Cancellation = Cancellation()
    ) throws(PictureError) -> [UInt8] {
        let key = Key(file: sources.joined(separator: "+"), order: order)
        return try picture(key, priority, cancellation) { worker, cancellation throws(PictureError) in
            try worker.make(order, ofParts: parts, cancellation)
        }
    }

    private typealias Make = (PictureWorker, Cancellation) throws(PictureError) -> EncodedPicture

    private func picture(
        _ key: Key,
        _ priority: PicturePriority,
        _ cancellation: Cancellation,
        _ make: Make
    ) throws(PictureError) -> [UInt8] {
        switch state.change({ Self.begin(&$0, key, priority) }) {
        case .known(let result): return try result.get()
        case .wished(let ticket):
            cancellation.onCancel { [self] in leave(ticket) }
            if ticket.mustLoad { load(key, for: ticket.request, make) }
            switch state.wait(for: { $0.requests.outcome(ticket) }) {
            case .finished(let result): return try result.get()
            case .left: throw .cancelled
            }
        }
    }

    private static func begin(_ state: inout State, _ key: Key, _ priority: PicturePriority) -> Beginning {
        if let bytes = state.memory.value(for: key) { return .known(.success(bytes)) }
        if let error = state.failures.error(key, at: .now) { return .known(.failure(error)) }
        guard let ticket = state.requests.join(key, priority) else {
            return .known(.failure(.system("has to wait: too many pictures are wanted; try again later")))
        }
        return .wished(ticket)
    }

    private func leave(_ ticket: Requests.Ticket) {
        state.change { state in
            // With the lock held, so that it does not reach the worker's next picture.
            if state.requests.leave(ticket) { state.cancellations[ticket.request]?.cancel() }
        }
    }

    // MARK: Loading

    private func load(_ key: Key, for request: Int, _ make: Make) {
        let result = loaded(key, for: request, make)
        state.change { state in
            switch result {
            case .success(let bytes): state.remember(bytes, key)
            case .failure(let error): state.failures.record(error, key, at: .now)
            }
            state.requests.finish(request, with: result)
        }
    }

    private func loaded(_ key: Key, for request: Int, _ make: Make) -> Result<[UInt8], PictureError> {
        let name = "\(key.file)-\(key.order.cacheName).\(key.order.format.fileExtension)"
        if let bytes = files?.contents(of: name, key.order.format) { return .success(bytes) }
        let result = made(for: request, make)
        if case .success(let bytes) = result { files?.keep(bytes, as: name) }
        return result
    }

    private func made(for request: Int, _ make: Make) -> Result<[UInt8], PictureError> {
        let cancellation = Cancellation()
        let turn = state.wait { state in
            let turn = state.requests.turn(request)
            if turn == .begin { state.cancellations[request] = cancellation }
            return turn
        }
        guard turn == .begin else { return .failure(.cancelled) }
        let worker = workers.take()
        defer { workers.giveBack(worker) }
        let result: Result<[UInt8], PictureError>
        do {
            result = .success(try make(worker, cancellation).bytes)
        } catch {
            result = .failure(error)
        }
        let isWanted = state.change { state in
            state.cancellations[request] = nil
            return state.requests.end(request)
        }
        if isWanted { return result }
        // It may have been told to end just after its answer.
        worker.end()
        return .failure(.cancelled)
    }
}
