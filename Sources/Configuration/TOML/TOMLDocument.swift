internal import TOMLKit

/// Reads TOML into values that know their lines.
enum TOMLDocument {
    /// - Throws: What the parser says, with the line.
    static func parse(_ text: String) throws(ParseProblem) -> Node {
        do {
            let table = try TOMLTable(string: text)
            let lines = KeyLines(of: text)
            return Node(line: 1, value: .table(entries(of: table, at: [], lines)))
        } catch let error as TOMLParseError {
            throw ParseProblem(line: error.source.begin.line, text: firstLine(error.description))
        } catch {
            throw ParseProblem(line: nil, text: "\(error)")
        }
    }

    struct ParseProblem: Error {
        let line: Int?
        let text: String
    }

    private static func firstLine(_ text: String) -> String {
        String(text.prefix { !$0.isNewline })
    }

    private static func entries(of table: TOMLTable, at path: [KeyLines.Step], _ lines: KeyLines) -> [Node.Entry] {
        table.keys.compactMap { key in
            guard let value = table[key] else { return nil }
            return Node.Entry(key: key, node: node(value, at: path + [.key(key)], lines))
        }
    }

    private static func node(
        _ value: any TOMLValueConvertible,
        at path: [KeyLines.Step],
        _ lines: KeyLines
    ) -> Node {
        let result: Node.Value =
            switch value.type {
            case .string: .text(value.string ?? "")
            case .int: .integer(value.int ?? 0)
            case .double: .number(value.double ?? 0)
            case .bool: .truth(value.bool ?? false)
            case .date, .time, .dateTime: .date
            case .array:
                .list(
                    (value.array.map(Array.init) ?? []).enumerated().map { index, element in
                        node(element, at: path + [.index(index)], lines)
                    }
                )
            case .table: .table(value.table.map { entries(of: $0, at: path, lines) } ?? [])
            }
        return Node(line: lines[path], value: result)
    }
}
