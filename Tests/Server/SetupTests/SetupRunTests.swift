import Files
import Settings
import TestSupport
import Testing

@testable import Setup

/// What a setup does to files, and that all of it can be undone.
struct SetupRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.path + "/segue/segued.toml" }
    private var record: String { SetupRecord.path(besides: file) }

    private func text(_ path: String) -> String? {
        (try? fileContents(path, atMost: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func run(_ log: CommandLog) -> SetupRun { SetupRun(recordPath: record) { log.run($0) } }

    @Test func aNewFileIsRemovedAndCommandsAreTakenBackLastFirst() throws {
        let log = CommandLog()
        let steps: [SetupStep] = [
            .run(["one"], undo: ["un-one"]), .write(path: file, before: nil, after: "a = \"ü\\n\"\n", isSecret: true),
            .run(["two"], undo: ["un-two", "with words"]), .run(["three"], undo: nil),
        ]
        try run(log).perform(steps)
        #expect(text(file) == "a = \"ü\\n\"\n")
        #expect(try FileStatus(of: file).permissions & 0o777 == 0o600)
        #expect(log.lines == ["one", "two", "three"])

        let read = try #require(try SetupRecord.read(record))
        #expect(try run(log).undo(read) == [])
        #expect(log.lines == ["one", "two", "three", "un-two with words", "un-one"])
        #expect(text(file) == nil)
        #expect(text(record) == nil)
    }

    @Test func afterTwoSetupsTheFirstFileComesBackWithItsPermissions() throws {
        makeFolders(folder.path + "/segue")
        try AtomicFile.write(Array("one\n".utf8), to: file, access: .asBefore)
        try Descriptor(file, .reading).setPermissions(0o640)
        let log = CommandLog()
        try run(log).perform([.write(path: file, before: "one\n", after: "two\n", isSecret: false)])
        try run(log).perform([.write(path: file, before: "two\n", after: "three\n", isSecret: true)])
        #expect(try FileStatus(of: file).permissions & 0o777 == 0o600)
        #expect(try run(log).undo(try #require(try SetupRecord.read(record))) == [])
        #expect(text(file) == "one\n")
        #expect(try FileStatus(of: file).permissions & 0o777 == 0o640)
    }

    @Test func whatItsOwnerChangedSinceStays() throws {
        let log = CommandLog()
        try run(log).perform([.write(path: file, before: nil, after: "two\n", isSecret: false)])
        try AtomicFile.write(Array("mine\n".utf8), to: file, access: .asBefore)
        let problems = try run(log).undo(try #require(try SetupRecord.read(record)))
        #expect(problems.count == 1 && problems[0].contains("changed since"))
        #expect(text(file) == "mine\n")
    }

    @Test func aFailedCommandEndsItAndWhatWasDoneCanBeUndone() throws {
        let log = CommandLog(failing: "two")
        let steps: [SetupStep] = [
            .write(path: file, before: nil, after: "x", isSecret: false), .run(["two"], undo: ["un-two"]),
            .run(["three"], undo: nil),
        ]
        #expect(throws: SetupPlan.Failure.self) { try run(log).perform(steps) }
        #expect(log.lines == ["two"])
        #expect(try run(log).undo(try #require(try SetupRecord.read(record))) == [])
        #expect(text(file) == nil)
    }

    @Test func aFileThatChangedMeanwhileIsNotWritten() throws {
        makeFolders(folder.path + "/segue")
        try AtomicFile.write(Array("other\n".utf8), to: file, access: .asBefore)
        #expect(throws: SetupPlan.Failure.self) {
            try run(CommandLog()).perform([.write(path: file, before: "one\n", after: "two\n", isSecret: false)])
        }
        #expect(text(file) == "other\n")
    }

    @Test func aRecordThatOthersCanWriteIsNotTrusted() throws {
        makeFolders(folder.path + "/segue")
        try AtomicFile.write(Array("run rm -rf x\n".utf8), to: record, access: .asBefore)
        try Descriptor(record, .reading).setPermissions(0o666)
        #expect(throws: SetupPlan.Failure.self) { _ = try SetupRecord.read(record) }
        try Descriptor(record, .reading).setPermissions(0o600)
        #expect(try SetupRecord.read(record)?.commands == [["rm", "-rf", "x"]])
        try AtomicFile.write(Array("fly away\n".utf8), to: record, access: .onlyOwner)
        #expect(throws: SetupPlan.Failure.self) { _ = try SetupRecord.read(record) }
    }
}

/// Commands that are written down in place of being run.
private final class CommandLog {
    private(set) var lines: [String] = []
    private let failing: String?

    init(failing: String? = nil) { self.failing = failing }

    func run(_ words: [String]) -> Bool {
        lines.append(words.joined(separator: " "))
        return words[0] != failing
    }
}
