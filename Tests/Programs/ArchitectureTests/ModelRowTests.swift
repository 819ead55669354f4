import Foundation
import Testing

/// The rows of the model of AVAudioSession, Now Playing and pictures, each with the tests that name it, or a reason.
///
/// A test names its rows in its comment: `Row 60`, `Rows 59, 60 and 62`, `rows 16 to 21`.
struct ModelRowTests {
    private static let rows: [Int: String] = [
        56: "reason codes", 59: "new device", 60: "device lost", 61: "interruption at a lost route",
        62: "previous route", 63: "category change as a reason", 64: "override", 65: "wake", 66: "no suitable route",
        67: "configuration change", 68: "port types", 69: "output volume", 72: "the sound server asks to cork",
        112: "media selection", 113: "automatic selection", 116: "sleep prevented", 117: "background policy",
        119: "now playing info", 120: "elapsed time", 121: "Seeked", 122: "election", 123: "command disabled",
        124: "command status", 125: "skip interval", 126: "position command", 127: "repeat and shuffle",
        128: "like, bookmark, language", 129: "headset button", 139: "phases of a picture", 140: "picture cache",
        141: "downsampling", 142: "EXIF orientation", 143: "HEIC",
    ]

    /// Why nothing tests a row.
    private static let reasons: [Int: String] = [
        63: "a category chooses no sink here, so a change of it changes no route",
        117: "a film's pictures are shown by a program in a terminal, which has no background: Ctrl-Z stops it whole",
    ]

    @Test func everyRowHasATestOrAReason() throws {
        let named = try Self.namedRows()
        for (row, name) in Self.rows.sorted(by: { $0.key < $1.key }) {
            #expect(named.contains(row) != (Self.reasons[row] != nil), "row \(row), \(name)")
        }
    }

    @Test func rangesAndListsAreRead() {
        #expect(Self.numbers(in: "Rows 2, 10 to 12 and 4, 16 to 17: more than 3") == [2, 10, 11, 12, 4, 16, 17])
        #expect(Self.numbers(in: "Row 60: 5 sinks") == [60])
        #expect(Self.numbers(in: "the rows of 3 tables").isEmpty)
    }

    /// The rows that comments of tests name.
    private static func namedRows() throws -> Set<Int> {
        let folder = root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var rows: Set<Int> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", file.path != #filePath else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let comment = line.firstRange(of: "//") else { continue }
                rows.formUnion(numbers(in: String(line[comment.upperBound...])))
            }
        }
        return rows
    }

    /// The numbers after `row` or `rows`, where they are a list.
    private static func numbers(in comment: String) -> [Int] {
        let list = /\b[Rr]ows? (\d+(?:(?:, | and | to )\d+)*)/
        return comment.matches(of: list).flatMap { listedNumbers($0.1) }
    }
}
