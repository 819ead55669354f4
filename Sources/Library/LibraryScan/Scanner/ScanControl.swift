private import Synchronization

/// Holds a scan, ends it, and says how far it is; from any thread.
package final class ScanControl: Sendable {
    private struct Wishes {
        var isPaused = false
        var isCancelled = false
    }

    private let wishes = Monitor(Wishes())
    private let state = Mutex(ScanProgress())
    /// Whether there is any wish: looked at for every file.
    private let isDisturbed = Atomic(false)
    /// Tells the scan of a wish.
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Holds the scan behind the files that are being read.
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

    /// Ends the scan: what was read is kept.
    package func cancel() {
        wishes.change { wishes in
            wishes.isCancelled = true
            isDisturbed.store(true, ordering: .releasing)
        }
        notify()
    }

    func listen(_ listener: (@Sendable () -> Void)?) { self.listener.withLock { $0 = listener } }

    private func notify() { listener.withLock(\.self)?() }

    /// How far the scan is.
    package var progress: ScanProgress { state.withLock(\.self) }

    /// Sleeps while the scan is held.
    ///
    /// - Returns: Whether it goes on.
    func mayGoOn() -> Bool {
        guard isDisturbed.load(ordering: .acquiring) else { return true }
        return wishes.wait { wishes in
            if wishes.isCancelled { return false }
            return wishes.isPaused ? nil : true
        }
    }

    var isPaused: Bool { wishes.read(\.isPaused) }
    var isCancelled: Bool { wishes.read(\.isCancelled) }

    func note(_ change: (inout ScanProgress) -> Void) { state.withLock { change(&$0) } }
}

/// How far a scan is.
package struct ScanProgress: Sendable, Hashable {
    /// Files that were looked at, whether they had to be read or not.
    package var files = 0
    /// Files that were read because they are new or changed.
    package var filesRead = 0
    package var folders = 0
    /// Files and directories that cannot be used.
    package var problems = 0
    /// Files that were taken out.
    package var removed = 0
    /// From 0 to 1: by the directories, of which each stands for its part of the one it lies in.
    package var fraction = 0.0
    /// The URI of the directory that is being looked at.
    package var folder = ""
    package var isPaused = false
    /// How long the scan has been going on, pauses included.
    package var elapsed: Duration { (end ?? .now) - start }
    /// Files per second since the beginning.
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
