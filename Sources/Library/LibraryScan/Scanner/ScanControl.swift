private import Synchronization
internal import Threads

/// Pauses or cancels a scan, and reports its progress; from any thread.
package final class ScanControl: Sendable {
    private struct Wishes {
        var isPaused = false
        var isCancelled = false
    }

    private let wishes = Monitor(Wishes())
    private let state = Mutex(ScanProgress())
    /// Whether a pause or a cancellation is requested; checked for every file.
    private let isDisturbed = Atomic(false)
    /// Notifies the scan of a request.
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Pauses the scan after the files that are being read.
    package func pause() {
        wishes.change { wishes in
            wishes.isPaused = true
            isDisturbed.store(true, ordering: .releasing)
        }
        state.withLock { $0.isPaused = true }
        notify()
    }

    package func resume() {
        wishes.change { wishes in
            wishes.isPaused = false
            isDisturbed.store(wishes.isCancelled, ordering: .releasing)
        }
        state.withLock { $0.isPaused = false }
    }

    /// Cancels the scan; results so far are kept.
    package func cancel() {
        wishes.change { wishes in
            wishes.isCancelled = true
            isDisturbed.store(true, ordering: .releasing)
        }
        notify()
    }

    func listen(_ listener: (@Sendable () -> Void)?) { self.listener.withLock { $0 = listener } }

    private func notify() { listener.withLock(\.self)?() }

    /// The scan's progress.
    package var progress: ScanProgress { state.withLock(\.self) }

    /// Sleeps while the scan is paused.
    ///
    /// - Returns: Whether to continue.
    func mayGoOn() -> Bool {
        guard isDisturbed.load(ordering: .acquiring) else { return true }
        return wishes.wait { wishes in
            if wishes.isCancelled { return false }
            return wishes.isPaused ? nil : true
        }
    }

    var isPaused: Bool { wishes.read(\.isPaused) }
    var isCancelled: Bool { wishes.read(\.isCancelled) }

    func record(_ change: (inout ScanProgress) -> Void) { state.withLock { change(&$0) } }
}

/// The progress of a scan.
package struct ScanProgress: Sendable, Hashable {
    /// Files that were checked, whether or not they had to be read.
    package var files = 0
    /// Files that were read because they are new or changed.
    package var filesRead = 0
    package var folders = 0
    /// Files and directories that cannot be used.
    package var problems = 0
    /// Files that were removed from the library.
    package var removed = 0
    /// From 0 to 1; each directory stands for an equal share of its parent's share.
    package var fraction = 0.0
    /// The URI of the current directory.
    package var folder = ""
    package var isPaused = false
    /// The time since the start of the scan, including pauses.
    package var elapsed: Duration { (end ?? .now) - start }
    /// Files per second since the start.
    package var rate: Double {
        let seconds = elapsed / .seconds(1)
        return seconds > 0 ? Double(files) / seconds : 0
    }

    private var start = ContinuousClock.now
    private var end: ContinuousClock.Instant?

    package init() {}

    mutating func begin() {
        self = ScanProgress()
    }

    mutating func finish() {
        end = .now
        fraction = 1
    }
}
