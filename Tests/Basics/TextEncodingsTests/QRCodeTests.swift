import Foundation
import TestSupport
import TestThreads
import Testing

@testable import TextEncodings

/// QR codes, read by another program.
@Suite(.blocking)
struct QRCodeTests {
    private static let link = "http://192.168.1.5:6680/#/join/00112233445566778899aabbccddeeff"

    @Test(
        "a camera reads the text that it was made of",
        .enabled("zbarimg or libqrencode is not installed") {
            QRCode("x") != nil && ChildProcess.missing("zbarimg").isEmpty
        }
    )
    func isRead() throws {
        let code = try #require(QRCode(Self.link))
        #expect(QRCode(rows: code.rows) == code)
        #expect(try read(code.rows.map { row in row.map { $0 == "1" } }) == Self.link)
        // As a terminal shows it: light on dark, two rows in each line.
        let blocks = code.lines.flatMap { line in
            [line.map { "▄ ".contains($0) }, line.map { "▀ ".contains($0) }]
        }
        #expect(code.lines.count == (code.width + 5) / 2 && code.lines.allSatisfy { $0.count == code.width + 4 })
        #expect(try read(blocks) == Self.link)
    }

    /// - Parameter rows: Whether each module is black.
    private func read(_ rows: [[Bool]]) throws -> String {
        let (scale, margin) = (4, 4)
        let width = (rows[0].count + 2 * margin) * scale
        let blank = [[Bool]](repeating: [], count: margin)
        let lines = (blank + rows + blank).map { row in
            let all = [Bool](repeating: false, count: margin) + row
            return all.map { String(repeating: $0 ? "1" : "0", count: scale) }.joined()
                .padding(toLength: width, withPad: "0", startingAt: 0)
        }
        let folder = try TemporaryFolder()
        let picture =
            "P1\n\(width) \(lines.count * scale)\n"
            + lines.flatMap { [String](repeating: $0, count: scale) }.joined(separator: "\n") + "\n"
        let file = try folder.write("code.pbm", picture)
        return try ChildProcess.run("zbarimg", ["-q", "--raw", file]).outputText
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("rows that are no code's")
    func malformed() {
        #expect(QRCode(rows: []) == nil && QRCode(rows: ["10", "1"]) == nil && QRCode(rows: ["ü"]) == nil)
        #expect(QRCode(rows: [String](repeating: String(repeating: "1", count: 178), count: 178)) == nil)
    }
}
