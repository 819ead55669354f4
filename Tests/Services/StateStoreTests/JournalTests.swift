import Foundation
import StateStore
import Synchronization
import TestSupport
import Testing
import Threads

/// Records numbered from 1.
func records(_ numbers: some Sequence<Int>) -> [Record] { numbers.map { Record("n", "\($0)", "some \"text\"") } }

func contents(_ path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map(Array.init) ?? [] }

/// A journal with what was in it.
struct OpenedJournal {
    let journal: Journal
    let records: [Record]
    let problems: [StateProblem]

    init(_ path: String, on thread: DiskThread = DiskThread(), _ settings: Journal.Settings = .init()) {
        var records: [Record] = []
        (journal, problems) = Journal.open(path: path, on: thread, settings: settings) { records.append($0) }
        self.records = records
    }
}

struct JournalTests {
    private let folder: TemporaryFolder
    private let path: String
    private let thread = DiskThread(named: "test-state")

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("queue.journal")
    }

    private func open(_ settings: Journal.Settings = .init()) -> OpenedJournal {
        OpenedJournal(path, on: thread, settings)
    }

    @Test func `what is added is there after a restart`() {
        let first = open()
        #expect(first.records.isEmpty)
        #expect(first.problems.isEmpty)
        first.journal.append(records(1...3))
        first.journal.append([])
        first.journal.append([Record("text", "a\nb", "")])
        #expect(first.journal.flush())
        let second = open()
        #expect(second.records == records(1...3) + [Record("text", "a\nb", "")])
        #expect(second.problems.isEmpty)
        second.journal.append(records([5]))
        #expect(second.journal.flush())
        #expect(open().records.count == 5)
    }

    /// Records that a caller waits for are written without the delay.
    @Test func `what is awaited is written at once`() {
        var settings = Journal.Settings()
        settings.delay = 5
        let journal = open(settings).journal
        for number in 1...3 {
            let bell = Doorbell()
            let written = Mutex(0)
            journal.append(records([number]))
            journal.whenWritten { [path] in
                written.withLock { $0 = contents(path).count { $0 == 0x0a } }
                bell.ring()
            }
            bell.wait()
            #expect(written.withLock(\.self) == number)
        }
    }

    /// Records that are made on the disk's thread keep their place among others.
    @Test func `records that are made later keep their order`() {
        let journal = open().journal
        let isMade = Mutex(false)
        journal.append(records(1...2))
        journal.append {
            isMade.withLock { $0 = true }
            return records(3...4)
        }
        journal.append(records([5]))
        #expect(!journal.isSettled)
        #expect(journal.flush())
        #expect(journal.isSettled && isMade.withLock { $0 })
        #expect(open().records == records(1...5))
        journal.compact { records(1...2).lazy.map(\.self) }
        journal.append { records([6]).lazy.map(\.self) }
        #expect(journal.flush())
        #expect(open().records == records([1, 2, 6]))
    }

    @Test func `each line is a checksum and a record`() {
        let journal = open().journal
        journal.append([Record("hello", "world")])
        #expect(journal.flush())
        // As `printf 'hello world' | gzip | tail -c8 | xxd` says.
        #expect(String(decoding: contents(path), as: UTF8.self) == "0d4a1185 hello world\n")
    }

    @Test func `what is added within a while is written once, by itself, and nothing without need`() async throws {
        var settings = Journal.Settings()
        settings.delay = 0.2
        let journal = open(settings).journal
        #expect(thread.isIdle)
        #expect(!FileManager.default.fileExists(atPath: path))
        let start = ContinuousClock.now
        for number in 1...100 { journal.append(records([number])) }
        #expect(contents(path).isEmpty)
        while !thread.isIdle { try await Task.sleep(for: .milliseconds(5)) }
        #expect(ContinuousClock.now - start >= .milliseconds(190))
        #expect(open().records.count == 100)
        let written = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        #expect(journal.flush())
        #expect(thread.isIdle)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date == written)
    }

    @Test func `a torn end is left out, at every byte`() throws {
        let journal = open().journal
        journal.append(records(1...4))
        #expect(journal.flush())
        let whole = contents(path)
        let ends = whole.indices.filter { whole[$0] == 0x0a }.map { $0 + 1 }
        for length in 0...whole.count {
            try folder.write("queue.journal", Array(whole[..<length]))
            let count = ends.count { $0 <= length }
            let isTorn = length > 0 && !ends.contains(length)
            let opened = open()
            #expect(opened.records == records(1...4).prefix(count).map { $0 })
            #expect(opened.problems == (isTorn ? [.tornTail(path: path)] : []))
            // Shorter than what may be left of the torn one.
            opened.journal.append([Record("x")])
            #expect(opened.journal.flush())
            let again = open()
            #expect(again.records == records(1...4).prefix(count) + [Record("x")])
            #expect(again.problems.isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["queue.journal"])
    }

    @Test func `any changed byte is noticed, and the damaged file kept`() throws {
        let journal = open().journal
        journal.append(records(1...3))
        #expect(journal.flush())
        let whole = contents(path)
        let ends = whole.indices.filter { whole[$0] == 0x0a }.map { $0 + 1 }
        for place in whole.indices.dropLast() {
            var bytes = whole
            bytes[place] ^= 0x04
            try folder.write("queue.journal", bytes)
            let opened = open()
            let good = ends.count { $0 <= place }
            #expect(opened.records == records(1...3).prefix(good).map { $0 })
            let aside = "\(path).damaged-1"
            #expect(opened.problems == [.damaged(path: path, line: good + 1, asideAs: aside)], "byte \(place)")
            #expect(contents(aside) == bytes)
            #expect(contents(path) == Array(whole[..<(good == 0 ? 0 : ends[good - 1])]))
            try FileManager.default.removeItem(atPath: aside)
        }
    }

    @Test func `damaged files do not replace one another, up to nine`() throws {
        for number in 1...11 {
            try folder.write("queue.journal", "rubbish \(number)\n")
            let aside = "\(path).damaged-\(min(number, 9))"
            #expect(open().problems == [.damaged(path: path, line: 1, asideAs: aside)])
            #expect(contents(aside) == Array("rubbish \(number)\n".utf8))
        }
        #expect(contents("\(path).damaged-1") == Array("rubbish 1\n".utf8))
    }

    @Test func `a folder in its place is put aside`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let opened = open()
        #expect(opened.records.isEmpty)
        #expect(opened.problems.count == 1)
        #expect("\(opened.problems)".contains("queue.journal.damaged-1"))
        opened.journal.append(records([1]))
        #expect(opened.journal.flush())
        #expect(open().records == records([1]))
    }

    @Test func `compacting replaces what was before it, and only that`() {
        let journal = open().journal
        journal.append(records(1...1000))
        #expect(journal.flush())
        journal.append(records(1001...1010))
        journal.compact(records(900...1010))
        journal.append(records([1011]))
        #expect(journal.flush())
        #expect(open().records == records(900...1011))
        journal.append(records([1012]))
        #expect(journal.flush())
        #expect(open().records == records(900...1012))
        journal.compact(records(1...1000), onlyIfWorthwhile: true)
        #expect(journal.flush())
        #expect(open().records == records(900...1012))
    }

    @Test func `the owner is asked once the file is twice as long as need be`() async throws {
        let asked = Watched(0)
        var settings = Journal.Settings()
        settings.smallest = 1000
        settings.onLarge = { asked.withLock { $0 += 1 } }
        let journal = open(settings).journal
        let one = 9 + records([10])[0].text.utf8.count + 1
        journal.append(records((0..<(1000 / one)).map { _ in 10 }))
        #expect(journal.flush())
        #expect(asked.current == 0)
        journal.append(records([10]))
        #expect(journal.flush())
        #expect(await asked.wait(within: .patience) { $0 == 1 })
        journal.append(records([10]))
        #expect(journal.flush())
        #expect(asked.current == 1)
        // 40 live ones: the next time is beyond 80.
        journal.compact(records((0..<40).map { _ in 10 }), onlyIfWorthwhile: true)
        journal.append(records((0..<(79 - (1000 / one + 2))).map { _ in 10 }))
        #expect(journal.flush())
        #expect(asked.current == 1)
        journal.append(records([10, 10]))
        #expect(journal.flush())
        #expect(await asked.wait(within: .patience) { $0 == 2 })
        journal.compact(records((0..<40).map { _ in 10 }), onlyIfWorthwhile: true)
        #expect(journal.flush())
        #expect(contents(path).count == 40 * one)
    }

    @Test func `a file that another program removed is written again`() async throws {
        let news = Watched<[StateProblem?]>([])
        let owner = Mutex<Journal?>(nil)
        var settings = Journal.Settings()
        settings.onProblem = { problem in news.withLock { $0.append(problem) } }
        settings.onLarge = { owner.withLock { $0?.compact(records(1...4)) } }
        let journal = open(settings).journal
        owner.withLock { $0 = journal }
        journal.append(records(1...3))
        #expect(journal.flush())
        try FileManager.default.removeItem(atPath: path)
        journal.append(records([4]))
        #expect(!journal.flush())
        #expect(await news.wait(within: .patience) { $0.count == 2 })
        #expect(news.current == [.vanished(path: path), nil])
        #expect(open().records == records(1...4))
        owner.withLock { $0 = nil }
    }

    @Test(arguments: [10, 40_000]) func `a backlog is replaced in memory while the disk fails`(count: Int) throws {
        try FileManager.default.removeItem(atPath: folder.path)
        let journal = open().journal
        journal.append(records(1...count))
        #expect(!journal.flush())
        journal.append(records([count + 1]))
        journal.compact(records((count - 5)...(count + 1)))
        #expect(!journal.flush())
        journal.append(records([count + 2]))
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        #expect(journal.flush())
        let expected = count == 10 ? 1...(count + 2) : (count - 5)...(count + 2)
        #expect(open().records == records(expected))
    }
}
