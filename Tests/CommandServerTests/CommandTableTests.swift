import Foundation
import LineProtocol
import Testing

@testable import CommandServer

/// The command table, beside what is said of it elsewhere.
@Suite struct CommandTableTests {
    private static let page: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appending(path: "man/segue-protocol.7"), encoding: .utf8)) ?? ""
    }()

    @Test func namesAreSortedAndUnique() {
        let names = CommandTable.standard.commands.map(\.name)
        #expect(names == Set(names).sorted())
    }

    /// Each command has an entry in the manual, under the very arguments that it takes.
    @Test(arguments: CommandTable.standard.commands.map(\.usage))
    func isInTheManual(_ usage: String) {
        let entry = usage.replacing("-", with: "\\-")
        #expect(Self.page.contains("\n.B \(entry)\n"), "man/segue-protocol.7 has no entry '\(usage)'")
    }

    /// MPD's classes (`reference/line-protocol.md`, section 3.4); stickers need only `control` here.
    @Test(arguments: [
        ("binarylimit close commands notcommands password ping protocol tagtypes", nil),
        ("status currentsong idle stats playlistinfo plchanges outputs lsinfo albumart partition subscribe", .read),
        ("add addid addtagid cleartagid load rangeid", .add),
        ("play pause stop next seekcur setvol random clear delete move prio shuffle swap crossfade", .player),
        ("save rm rename playlistadd playlistclear sendmessage sticker", .control),
        ("enableoutput moveoutput newpartition delpartition config kill", Permissions.admin),
    ])
    func permissions(_ names: String, _ permission: Permissions?) throws {
        for name in names.split(separator: " ") {
            let command = try #require(CommandTable.standard[String(name)], "no command \(name)")
            #expect(command.permission == permission, "\(name)")
        }
    }
}

/// Places and stretches of the queue, as clients write them.
@Suite struct QueueArgumentTests {
    @Test(arguments: [
        ("0", 0..<1), ("3", 3..<4), ("1:3", 1..<3), ("2:", 2..<5), ("0:99", 0..<5), ("-1", 0..<5), ("5:9", 5..<5),
    ])
    func rangesOfFive(_ word: String, _ positions: Range<Int>) throws {
        #expect(try QueueRange(parsing: word).positions(of: 5) == positions)
    }

    @Test(arguments: [
        ("5", "Bad song index"), ("6:9", "Bad song index"), ("3:1", "Malformed range: 3:1"),
        ("x", "Integer or range expected: x"), ("1:x", "Integer or range expected: 1:x"),
    ])
    func badRanges(_ word: String, _ text: String) {
        #expect(throws: AckError(.badArgument, text)) { try QueueRange(parsing: word).positions(of: 5) }
    }

    @Test(arguments: [("0", 0), ("7", 7), ("+0", 4), ("+2", 6), ("-0", 3), ("-3", 0)])
    func insertPositions(_ word: String, _ position: Int) throws {
        #expect(try InsertPosition(parsing: word).position(current: 3, through: 7) == position)
    }

    @Test(arguments: ["8", "+4", "-4", "x", ""])
    func badInsertPositions(_ word: String) {
        #expect(throws: AckError.self) { try InsertPosition(parsing: word).position(current: 3, through: 7) }
    }
}
