import Foundation
import Testing

/// ARCHITECTURE.md, the map, is short, and everything that it names exists.
///
/// Names in backquotes are checked outside of its picture: paths (with a `/`, or the end of a Swift or Markdown file),
/// types (`Player`), their members (`Player.pause`) and threads (`segue-decode`). Other words, such as commands, are not.
struct MapTests {
    private static let file = "ARCHITECTURE.md"
    private static let sources = Result { try SourceNames() }

    @Test func theMapIsShort() throws {
        let size = try Data(contentsOf: root.appending(path: Self.file)).count
        #expect(size <= 8_000, "\(Self.file) has \(size) bytes")
    }

    @Test func namesExist() throws {
        let names = try Self.text().matches(of: /`([^`]+)`/).map { String($0.1) }
        #expect(names.count > 50)
        let sources = try Self.sources.get()
        for name in Set(names).sorted() where !sources.has(name) {
            Issue.record("\(Self.file) names `\(name)`, which is not in the sources")
        }
    }

    @Test func linksExist() throws {
        for match in try Self.text().matches(of: /\]\(([^)]+)\)/) {
            let path = root.appending(path: String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(Self.file) links \(match.1)")
        }
    }

    @Test(arguments: [
        ("Transport", true), ("Transport.handle", true), ("Transport.Effect", true), ("Zone.setPaused", true),
        ("WorkQueue.index", true), ("Package.swift", true), ("Zones/Zone.swift", false), ("Sources/Player/Zones", true),
        ("Player/Zones/Zone.swift", true), ("Zone.swift", true), ("segue-decode", true), ("pause", true),
        ("Transporter", false), ("Transport.fly", false), ("Transport.Fly", false), ("Sources/Cellar", false),
        ("Zoo.swift", false), ("segue-sleep", false), ("Transport handle", false),
    ])
    func namesAreLookedUp(_ name: String, exists: Bool) throws {
        let sources = try Self.sources.get()
        #expect(sources.has(name) == exists)
    }

    /// The text without its picture.
    private static func text() throws -> String {
        let parts = try String(contentsOf: root.appending(path: file), encoding: .utf8).split(separator: "```")
        return parts.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }
}

/// The files of `Sources`, and the names that they declare.
private struct SourceNames {
    private static let folder = root.appending(path: "Sources")
    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let modifiers: Set<Substring> = [
        "package", "public", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
    ]

    /// The files' texts by path.
    private var texts: [String: String] = [:]
    /// The types that are declared.
    private var types: Set<Substring> = []
    /// The paths of files that declare or extend a type.
    private var files: [Substring: Set<String>] = [:]

    init() throws {
        let found = FileManager.default.enumerator(at: Self.folder, includingPropertiesForKeys: nil)
        while let file = found?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            texts[file.path] = text
            for line in text.split(separator: "\n") { read(line, of: file.path) }
        }
    }

    private mutating func read(_ line: Substring, of file: String) {
        let words = line.split(separator: " ", maxSplits: 8)
        guard let first = words.firstIndex(where: { !$0.hasPrefix("@") && !Self.modifiers.contains($0) }),
            first + 1 < words.count, Self.kinds.contains(words[first]) || words[first] == "extension"
        else { return }
        // Of `Pipeline.Settings`, the type that is extended.
        let name = words[first + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        guard let type = name.split(separator: ".").last else { return }
        if words[first] != "extension" { types.insert(type) }
        files[type, default: []].insert(file)
    }

    /// Whether a name in backquotes means something that exists, or is of no kind that is checked.
    func has(_ name: String) -> Bool {
        if name.contains("/") || name.hasSuffix(".swift") || name.hasSuffix(".md") { return hasPath(name) }
        if name.hasPrefix("segue-") { return texts.values.contains { $0.contains("\"\(name)\"") } }
        guard name.first?.isUppercase == true else { return true }
        let parts = name.split(separator: ".")
        guard let type = parts.first, types.contains(type) else { return false }
        return parts.count == 1 || parts.count == 2 && hasMember(parts[1], of: type)
    }

    private func hasPath(_ name: String) -> Bool {
        let folders = [root, Self.folder]
        if folders.contains(where: { FileManager.default.fileExists(atPath: $0.appending(path: name).path) }) {
            return true
        }
        return !name.contains("/") && texts.keys.contains { $0.hasSuffix("/\(name)") }
    }

    private func hasMember(_ member: Substring, of type: Substring) -> Bool {
        if member.first?.isUppercase == true { return types.contains(member) }
        guard let declaration = try? Regex("\\b(?:func|var|let|case) \(member)\\b") else { return false }
        return files[type, default: []].contains { texts[$0]?.firstMatch(of: declaration) != nil }
    }
}
