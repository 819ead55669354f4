internal import Files
package import NIOCore
internal import ServerBasics
package import Settings
package import Threads

/// The file of a `LevelJournal`, which is on the disk before a level is changed.
///
/// Belongs to the server's event loop; a thread writes.
package final class LevelFile {
    private let path: String
    private let work: WorkThreads
    private let log: @Sendable (LogLevel, String) -> Void
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// The number of the newest content, and of the newest that is on the disk.
    private var newest = 0
    private var written = 0
    private var content: [UInt8] = []
    private var isWriting = false
    private var hasFailed = false
    private var waiting: [(number: Int, body: (Bool) -> Void)] = []

    package init(
        _ path: String,
        _ work: WorkThreads,
        loop: any EventLoop,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.path = path
        self.work = work
        self.loop = loop
        self.log = log
    }

    /// The journal of an earlier process; blocks.
    func read() -> LevelJournal {
        LevelJournal(parsing: (try? fileContents(path, atMost: LevelJournal.sizeLimit)) ?? [])
    }

    /// Writes the journal; a thread may still be writing what was before.
    func write(_ journal: LevelJournal) {
        newest += 1
        content = journal.bytes
        writeNext()
    }

    /// Calls back when all that was to be written is on the disk, at once if it is; with `false` when it cannot be written.
    func whenWritten(_ body: @escaping (Bool) -> Void) {
        guard written < newest else { return body(!hasFailed) }
        waiting.append((newest, body))
    }

    private func writeNext() {
        guard !isWriting, written < newest else { return }
        isWriting = true
        work.submit(to: .streams) { [path, content, newest, onLoop] in
            let error = Self.write(content, to: path)
            onLoop { $0.wrote(newest, error) }
        }
    }

    private static func write(_ content: [UInt8], to path: String) -> SystemError? {
        do throws(SystemError) {
            if content.isEmpty {
                try AtomicFile.remove(path)
            } else {
                try AtomicFile.write(content, to: path, access: .onlyOwner, temporarySuffix: ".new")
            }
            return nil
        } catch {
            return content.isEmpty && error == .noSuchFile ? nil : error
        }
    }

    private func wrote(_ number: Int, _ error: SystemError?) {
        isWriting = false
        written = number
        if let error, !hasFailed {
            log(.warning, "cannot write \(path): \(error); other programs' volumes stay as they are")
        }
        hasFailed = error != nil
        let due = waiting.filter { $0.number <= number }
        waiting.removeAll { $0.number <= number }
        for (_, body) in due { body(!hasFailed) }
        writeNext()
    }
}
