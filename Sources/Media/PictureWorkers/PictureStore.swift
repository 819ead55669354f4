package import Files
package import Pictures
internal import Threads

/// Small pictures of files: each made once for all who ask, and kept in memory and on disk.
///
/// A picture is known by its file's identity, size and time and by what is wanted of it, so a file that changes has
/// another. All calls block; they may come from any thread.
package final class PictureStore: Sendable {
    fileprivate struct Key: Hashable {
        let file: String
        let order: PictureOrder
    }

    fileprivate struct State {
        var kept: [Key: [UInt8]] = [:]
        /// In the order of their use, the last one last.
        var order: [Key] = []
        var byteCount = 0
        var failures: [Key: (error: PictureError, until: ContinuousClock.Instant)] = [:]
        var beingMade: Set<Key> = []
    }

    private enum Step {
        case found([UInt8])
        case failed(PictureError)
        case mine
    }

    private let state = Monitor(State())
    private let workers: WorkerPool
    private let files: PictureFolder?
    private let capacity: Int

    /// How long a file without a picture is not looked into again.
    fileprivate static let forgiveness = Duration.seconds(600)
    fileprivate static let failureLimit = 1_000

    /// - Parameters:
    ///   - program: The one that decodes.
    ///   - workers: How many of its processes there are at once, at most.
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
        self.workers = WorkerPool(program: program, limit: workers)
        files = folder.map { PictureFolder($0, capacity: diskCapacity) }
        self.capacity = capacity
    }

    /// The picture of an open file, encoded as the order says.
    package func picture(_ order: PictureOrder, of file: borrowing Descriptor) throws(PictureError) -> [UInt8] {
        let status: FileStatus
        do { status = try file.status } catch { throw .system("\(error)") }
        guard status.kind == .file else { throw .notAPicture }
        let key = Key(file: status.cacheName, order: order)
        switch state.wait(for: { Self.step(&$0, key) }) {
        case .found(let bytes): return bytes
        case .failed(let error): throw error
        case .mine: break
        }
        do throws(PictureError) {
            let bytes = try load(key, of: file)
            state.change { $0.keep(bytes, key, within: capacity) }
            return bytes
        } catch {
            state.change { $0.fail(error, key) }
            throw error
        }
    }

    private static func step(_ state: inout State, _ key: Key) -> Step? {
        if let bytes = state.kept[key] {
            state.order.removeAll { $0 == key }
            state.order.append(key)
            return .found(bytes)
        }
        if let failure = state.failures[key] {
            if failure.until > .now { return .failed(failure.error) }
            state.failures[key] = nil
        }
        return state.beingMade.insert(key).inserted ? .mine : nil
    }

    private func load(_ key: Key, of file: borrowing Descriptor) throws(PictureError) -> [UInt8] {
        let name = "\(key.file)-\(key.order.cacheName).\(key.order.format.fileExtension)"
        if let bytes = files?.contents(of: name, key.order.format) { return bytes }
        let bytes = try workers.make(key.order, of: file).bytes
        files?.keep(bytes, as: name)
        return bytes
    }
}

extension PictureStore.State {
    fileprivate mutating func keep(_ bytes: [UInt8], _ key: PictureStore.Key, within capacity: Int) {
        beingMade.remove(key)
        kept[key] = bytes
        order.append(key)
        byteCount += bytes.count
        while byteCount > capacity, order.count > 1 {
            byteCount -= kept.removeValue(forKey: order.removeFirst())?.count ?? 0
        }
    }

    fileprivate mutating func fail(_ error: PictureError, _ key: PictureStore.Key) {
        beingMade.remove(key)
        // What may be otherwise the next time is tried again: at once, or soon where trying costs much.
        let forgiveness: Duration
        switch error {
        case .system: return
        case .ended, .tookTooLong: forgiveness = .seconds(60)
        default: forgiveness = PictureStore.forgiveness
        }
        let now = ContinuousClock.now
        if failures.count >= PictureStore.failureLimit { failures = failures.filter { $0.value.until > now } }
        if failures.count >= PictureStore.failureLimit { failures = [:] }
        failures[key] = (error, now + forgiveness)
    }
}
