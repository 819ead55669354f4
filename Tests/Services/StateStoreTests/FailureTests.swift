import Files
import Foundation
import StateStore
import TestSupport
import Testing

/// The last number that was said to be on the disk.
private func lastFlushed(_ text: String) -> Int {
    text.split(separator: "\n").compactMap { $0.hasPrefix("flushed ") ? Int($0.dropFirst(8)) : nil }.last ?? 0
}

/// What happens to a process that writes state: it is killed, the disk is full, or may not be written.
@Suite(.enabled("setpriv is not installed") { ChildProcess.missing("setpriv").isEmpty }, .timeLimit(.minutes(5)))
struct FailureTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("journal")
    }

    private func writer(
        _ arguments: String...,
        live: Bool = false,
        unprivileged: Bool = false,
        onOutput: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws -> ChildProcess {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "state-writer").path
        return try ChildProcess(
            program,
            arguments,
            input: live ? .live : .nothing,
            unprivileged: unprivileged,
            onOutput: onOutput
        )
    }

    @Test func `killed at any moment, it has kept what was flushed and nothing is broken`() async throws {
        var generator = SystemRandomNumberGenerator()
        var flushed = 0
        for _ in 0..<25 {
            // A different amount of work each time, counted by what it says.
            let target = flushed + 20 * Int.random(in: 1...60, using: &generator)
            let said = Watched("")
            let child = try writer("append", path) { bytes in
                said.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
            #expect(await said.wait(within: .patience) { lastFlushed($0) >= target })
            child.kill(SIGKILL)
            _ = try await child.wait()
            flushed = said.withLock { lastFlushed($0) }
            let opened = OpenedJournal(path)
            let numbers = opened.records.compactMap { $0.arguments.first.flatMap { Int($0) } }
            let last = try #require(numbers.last)
            #expect(last >= flushed)
            #expect(numbers == Array((last - numbers.count + 1)...last))
            #expect(numbers.count >= min(last, 100))
            #expect(opened.problems.allSatisfy { $0 == .tornTail(path: path) })
        }
        #expect(contents(path).count < 200_000, "it was compacted")
    }

    @Test func `a full disk is said once, costs nothing, and is forgotten when there is room`() async throws {
        let result = try await writer("limit", path, "500").wait()
        let lines = result.outputText.split(separator: "\n")
        #expect(
            lines == [
                "problem: cannot write \(path): File too large; it is kept in memory and tried again",
                "flushed: false", "flushed: false", "after a kill now: []", "well", "flushed: true",
            ]
        )
        let opened = OpenedJournal(path)
        #expect(opened.records == (1...200).map { Record("n", "\($0)") })
        #expect(opened.problems.isEmpty)
    }

    @Test func `a folder that may not be written is said, and tried again`() async throws {
        let place = try folder.makeFolder("closed", permissions: 0o555)
        let child = try writer("watch", place + "/journal", live: true, unprivileged: true)
        try await child.waitForOutput("problem: cannot write \(place)/journal: Permission denied")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
        try await child.waitForOutput("well")
        child.closeInput()
        let result = try await child.wait()
        #expect(result.outputText.split(separator: "\n").map { $0.prefix(7) } == ["problem", "well", "flushed"])
        #expect(OpenedJournal(place + "/journal").records == [Record("n", "1")])
    }

    @Test func `while nothing changes, the disk's thread is not woken and nothing is written`() async throws {
        let heard = Watched<[Substring]>([])
        let child = try writer("watch", path, live: true) { bytes in
            heard.withLock { $0 += String(decoding: bytes, as: UTF8.self).split(separator: "\n") }
        }
        func exchange() async throws -> Substring? {
            let count = heard.current.count
            child.write("\n")
            try #require(await heard.wait(within: .patience) { $0.count > count })
            return heard.current.last
        }
        // Until it has written its one record and gone to sleep.
        while try await exchange() != "idle" || diskThread(of: child.pid)?.isAsleep != true {}
        let before = try diskThread(of: child.pid)?.sleeps
        let modified = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        for _ in 0..<50 { _ = try await exchange() }
        #expect(try diskThread(of: child.pid)?.sleeps == before)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == modified)
        child.closeInput()
        #expect(try await child.wait().status == .code(0))
    }

    /// Whether the disk's thread of a process sleeps, and how often it has gone to sleep.
    private func diskThread(of process: Int32) throws -> (isAsleep: Bool, sleeps: Int)? {
        let folder = "/proc/\(process)/task"
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard try String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8) == "segue-state\n" else {
                continue
            }
            let lines = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8).split(separator: "\n")
            let sleeps = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }?.split(separator: "\t").last
            return (lines.contains { $0.hasPrefix("State:\tS") }, try #require(sleeps.flatMap { Int($0) }))
        }
        return nil
    }

    @Test func `a folder is one process's until that ends`() async throws {
        let first = try writer("lock", folder.path, live: true)
        try await first.waitForOutput("locked")
        do {
            _ = try StateLock.acquire(folder: folder.path)
            Issue.record("it was given twice")
        } catch {
            #expect(error == .inUse(folder: folder.path, pid: first.pid))
            #expect("\(error)".contains("process \(first.pid)"))
        }
        first.end()
        let lock = try StateLock.acquire(folder: folder.path)
        #expect(throws: StateProblem.inUse(folder: folder.path, pid: getpid())) {
            _ = try StateLock.acquire(folder: folder.path)
        }
        _ = consume lock
        _ = try StateLock.acquire(folder: folder.path)
    }

    @Test func `a folder that is not there cannot be locked, and is made`() throws {
        let place = folder.file("a/b")
        do {
            _ = try StateLock.acquire(folder: place)
            Issue.record("there is no folder")
        } catch {
            #expect(error == .cannotLock(path: place + "/lock", ENOENT))
        }
        makeFolders(place)
        _ = try StateLock.acquire(folder: place)
    }
}
