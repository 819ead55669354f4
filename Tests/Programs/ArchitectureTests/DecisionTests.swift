import Foundation
import Testing

/// Each floor's `DECISIONS.md` has the decisions about its code, under numbers that are unique over all floors.
///
/// A decision begins a paragraph with its number and title: `**30. The event loop only decides.**`
struct DecisionTests {
    @Test func numbersAreUnique() throws {
        var floors: [Int: String] = [:]
        for (floor, numbers) in try Self.decisions() {
            #expect(!numbers.isEmpty, "Sources/\(floor)/DECISIONS.md has no decision")
            for number in numbers {
                #expect(floors[number] == nil, "decision \(number) is in \(floor) and in \(floors[number] ?? "")")
                floors[number] = floor
            }
        }
    }

    @Test func readmesLinkTheDecisions() throws {
        for floor in try Self.decisions().keys {
            let readme = root.appending(path: "Sources/\(floor)/README.md")
            let text = try String(contentsOf: readme, encoding: .utf8)
            #expect(text.contains("(DECISIONS.md)"), "Sources/\(floor)/README.md does not link DECISIONS.md")
        }
    }

    /// Comments, messages of tests and Markdown name decisions by number.
    @Test func namedDecisionsExist() throws {
        let known = Set(try Self.decisions().values.joined())
        for file in try Self.texts() {
            for number in Self.named(in: try String(contentsOf: file, encoding: .utf8)) {
                #expect(known.contains(number), "\(Self.path(of: file)) names decision \(number)")
            }
        }
    }

    @Test func referencesAreRead() {
        #expect(Self.named(in: "as decision 3 says, and Decisions 5, 7 to 9 and 11, 2 of") == [3, 5, 7, 8, 9, 11, 2])
        #expect(Self.named(in: "    /// By decisions 4\n    /// and 6: 8.\n(decision\n  12)") == [4, 6, 12])
        #expect(Self.named(in: "a decision within 5 s; indecision 7").isEmpty)
    }

    /// ARCHITECTURE.md lists the numbers of each floor behind the link to its decisions.
    @Test func architectureListsTheNumbers() throws {
        let text = try String(contentsOf: root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        var listed: [String: [Int]] = [:]
        for match in text.matches(of: #/\]\(Sources/(\w+)/DECISIONS\.md\)([^)]*)\)/#) {
            let list = match.2.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            listed[String(match.1)] = listedNumbers(list[...])
        }
        let decisions = try Self.decisions().mapValues { $0.sorted() }
        for floor in Set(listed.keys).union(decisions.keys) {
            #expect(listed[floor] == decisions[floor], "ARCHITECTURE.md's list for \(floor)")
        }
    }

    /// The numbers of decisions by floor, in the order of the file.
    private static func decisions() throws -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        let folder = root.appending(path: "Sources")
        for floor in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: "\(floor)/DECISIONS.md")
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            found[floor] = lines.compactMap { $0.firstMatch(of: /^\*\*(\d+)\.\s/).flatMap { Int($0.1) } }
        }
        return found
    }

    /// Swift and Markdown files that have the word, without this one.
    private static func texts() throws -> [URL] {
        let word = Data("ecision".utf8)
        var found = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
        for folder in ["Sources", "Tests"] {
            let folder = root.appending(path: folder)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL { found.append(file) }
        }
        return try found.filter { file in
            guard ["swift", "md"].contains(file.pathExtension), file.path != #filePath else { return false }
            return try Data(contentsOf: file).range(of: word) != nil
        }
    }

    private static func path(of file: URL) -> Substring { file.path.dropFirst(root.path.count) }

    /// The numbers after `decision` or `decisions`, where they are a list, also over several lines of a comment.
    private static func named(in text: String) -> [Int] {
        let line = text.replacing(#/\s*\n\s*(?:///? )?/#, with: " ")
        let list = /\b[Dd]ecisions? (\d+(?:(?:, | and | to )\d+)*)/
        return line.matches(of: list).flatMap { listedNumbers($0.1) }
    }
}
