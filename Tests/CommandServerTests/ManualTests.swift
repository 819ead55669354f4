import Foundation
import Testing

@testable import CommandServer

/// The command table beside the manual.
@Suite struct ManualTests {
    private static let page: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appending(path: "man/segue-protocol.7"), encoding: .utf8)) ?? ""
    }()

    /// Each command has an entry, under the very arguments that it takes.
    @Test(arguments: CommandTable.standard.commands.map(\.usage))
    func namesEveryCommand(_ usage: String) {
        let entry = usage.replacing("-", with: "\\-")
        #expect(Self.page.contains("\n.B \(entry)\n"), "man/segue-protocol.7 has no entry '\(usage)'")
    }
}
