import Foundation

/// The examples of manual pages, as their readers see them.
enum ManualPage {
    /// The blocks of examples in a section or a part of one.
    static func examples(in part: String, of page: String) throws -> [String] {
        var root = URL(filePath: #filePath)
        while root.lastPathComponent != "Tests" { root.deleteLastPathComponent() }
        let path = root.deletingLastPathComponent().appending(path: "man/\(page)")
        let text = try String(contentsOf: path, encoding: .utf8)
        guard let start = text.firstRange(of: try Regex("\n\\.S[HS] \(part)\n"))?.upperBound else { return [] }
        let section = text[start...].split(separator: #/\n\.S[HS] /#, maxSplits: 1).first ?? ""
        return section.split(separator: "\n.EX\n").dropFirst().compactMap { block -> String? in
            guard let end = block.firstRange(of: "\n.EE")?.lowerBound else { return nil }
            return String(block[..<end]).replacing("\\-", with: "-").replacing("\\(aq", with: "'")
                .replacing("\\(dq", with: "\"").replacing("\\e", with: "\\")
        }
    }

    /// The commands of a block's lines, which go on behind a backslash and behind a pipe.
    static func commands(_ block: String) -> [String] {
        var commands: [String] = []
        var isOpen = false
        for line in block.split(separator: "\n") {
            if isOpen { commands[commands.count - 1] += "\n" + line } else { commands.append(String(line)) }
            isOpen = line.hasSuffix("\\") || line.hasSuffix("|")
        }
        return commands
    }
}
