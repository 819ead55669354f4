import Foundation
import StateStore
import TestSupport
import Testing

struct PositionFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let thread = DiskThread(named: "test-state")

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("position")
    }

    private func open(
        interval: Double = 600,
        _ onProblem: @escaping @Sendable (StateProblem?) -> Void = { _ in }
    )
        -> PositionFile.Opened
    {
        var settings = PositionFile.Settings()
        settings.interval = interval
        settings.onProblem = onProblem
        return PositionFile.open(path: path, on: thread, settings: settings)
    }

    private func position(_ elapsed: Int) -> Record { Record("play", "7", "\(elapsed).000", "a song") }

    @Test func `what was set last is there after a restart`() {
        let first = open()
        #expect(first.record == nil)
        #expect(first.problem == nil)
        for elapsed in 1...5 {
            first.file.set(position(elapsed))
            #expect(first.file.flush())
            #expect(open().record == position(elapsed))
        }
        let second = open()
        second.file.set(position(9))
        #expect(second.file.flush())
        #expect(open().record == position(9))
        #expect(contents(path).count == 4096)
    }

    @Test func `nothing is written while nothing changes`() async throws {
        let file = open(interval: 0).file
        #expect(thread.isIdle)
        file.set(position(1))
        while !thread.isIdle { try await Task.sleep(for: .milliseconds(2)) }
        let before = contents(path)
        file.set(position(1))
        #expect(thread.isIdle)
        #expect(file.flush())
        #expect(contents(path) == before)
        let again = open().file
        again.set(position(1))
        #expect(thread.isIdle)
    }

    @Test func `changes within the interval are one write, of the last`() {
        let file = open(interval: 600).file
        file.set(position(1))
        #expect(file.flush())
        let first = contents(path)
        for elapsed in 2...50 { file.set(position(elapsed)) }
        #expect(!thread.isIdle)
        #expect(contents(path) == first)
        #expect(file.flush())
        #expect(open().record == position(50))
        // The number that is written with it.
        #expect(String(decoding: contents(path).prefix(11), as: UTF8.self).hasSuffix(" 2 "))
    }

    @Test func `what goes on by itself is asked for each time it is written`() async throws {
        let file = open(interval: 0.01).file
        let asked = Watched(0)
        file.observe {
            asked.withLock { count in
                count += 1
                return count > 3 ? nil : position(count)
            }
        }
        #expect(await asked.wait(within: .patience) { $0 > 5 })
        // It was not told more than three times, and is asked nevertheless.
        #expect(open().record == position(3))
        #expect(!thread.isIdle)
        file.observe(nil)
        while !thread.isIdle { try await Task.sleep(for: .milliseconds(2)) }
        file.observe { position(8) }
        file.set(position(9))
        file.observe(nil)
        #expect(file.flush())
        #expect(open().record == position(9))
    }

    @Test func `what a source tells too late is passed over`() async throws {
        let file = open(interval: 0.01).file
        let (isAsked, mayAnswer) = (Watched(false), Watched(false))
        file.observe {
            isAsked.withLock { $0 = true }
            _ = mayAnswer.waitBlocking(within: .patience) { $0 }
            return position(1)
        }
        #expect(await isAsked.wait(within: .patience) { $0 })
        file.set(position(2))
        file.observe(nil)
        mayAnswer.withLock { $0 = true }
        #expect(file.flush())
        #expect(open().record == position(2))
    }

    @Test func `a torn write leaves what was there before, at every byte`() throws {
        let file = open().file
        for elapsed in 1...3 {
            file.set(position(elapsed))
            #expect(file.flush())
        }
        let before = contents(path)
        file.set(position(4))
        #expect(file.flush())
        let after = contents(path)
        let changed = before.indices.filter { before[$0] != after[$0] }
        for place in changed {
            try folder.write("position", Array(after[..<place] + before[place...]))
            let record = open().record
            #expect(record == position(3) || record == position(4) && place > changed.last ?? 0, "byte \(place)")
        }
        for place in changed {
            var bytes = after
            bytes[place] ^= 0x40
            try folder.write("position", bytes)
            #expect(open().record == position(3))
        }
    }

    @Test func `a file that is no such thing is said, and written over`() throws {
        try folder.write("position", "rubbish")
        let opened = open()
        #expect(opened.record == nil)
        #expect(opened.problem == .noPosition(path: path))
        opened.file.set(position(1))
        #expect(opened.file.flush())
        #expect(open().record == position(1))
    }

    @Test func `what is too long is refused`() {
        let file = open().file
        #expect(!file.set(Record("play", String(repeating: "x", count: 2048))))
        #expect(thread.isIdle)
        #expect(file.set(Record("play", String(repeating: "x", count: 2000))))
    }

    @Test func `a folder that is missing is said once, and what was set is written later`() async throws {
        try FileManager.default.removeItem(atPath: folder.path)
        let news = Watched<[StateProblem?]>([])
        let file = open(interval: 0.01) { problem in news.withLock { $0.append(problem) } }.file
        file.set(position(1))
        #expect(!file.flush())
        #expect(!file.flush())
        #expect(news.current == [.cannotWrite(path: path, ENOENT)])
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        #expect(file.flush())
        #expect(news.current.count == 2)
        #expect(open().record == position(1))
    }
}
