package import TextEncodings

/// A line of a reply: its key and its value.
package typealias ReplyLine = (key: String, value: String)

/// The shape of a reply's records: which lines belong to one, and what they say, for programs that want JSON.
///
/// Replies are lines of text, and stay so for clients of MPD's protocol. A shape says once what the lines of a command mean;
/// the shapes are those of segue-json(7). Lines that a shape does not know are left out, so a newer server is understood,
/// and so are fields whose lines are absent, so an older one is.
package struct RecordShape: Sendable {
    /// The keys each of which begins a record; none where the whole reply is one record.
    package let beginnings: [String]
    /// The keys of lines that hold for the records behind them, until they come again.
    package let headings: [String]
    package let fields: [RecordField]
    /// The keys of lines that JSON leaves out.
    let omitted: Set<String>
    /// The keys that the fields know.
    private let known: Set<String>

    /// - Parameter omitted: The keys of lines that JSON leaves out.
    package init(
        _ beginnings: String...,
        headings: [String] = [],
        fields: [RecordField],
        omitting omitted: Set<String> = []
    ) {
        self.beginnings = beginnings
        self.headings = headings
        self.fields = fields
        self.omitted = omitted
        known = Set(fields.flatMap(\.keys))
    }

    /// Whether the shape says what a line with a key means.
    package func describes(_ key: String) -> Bool {
        omitted.contains(key) || beginnings.contains(key) || fields.contains { $0.takes(key) }
    }

    /// The records of a reply, in its order.
    package func records(of lines: some Sequence<ReplyLine>) -> [JSON] {
        split(lines).map { record($0) }
    }

    /// The record that lines make up.
    package func record(_ lines: [ReplyLine]) -> JSON {
        let lines = RecordLines(lines: lines, known: known)
        return .object(fields.flatMap { $0.members(of: lines) }.filter { $0.value != .null })
    }

    /// The lines of each record; those before the first are left out.
    private func split(_ lines: some Sequence<ReplyLine>) -> [[ReplyLine]] {
        guard !beginnings.isEmpty else {
            let lines = Array(lines)
            return lines.isEmpty ? [] : [lines]
        }
        var records: [[ReplyLine]] = []
        var above: [ReplyLine] = []
        for line in lines {
            if headings.contains(line.key) {
                above.removeAll { $0.key == line.key }
                above.append(line)
            } else if beginnings.contains(line.key) {
                records.append([line] + above)
            } else if !records.isEmpty {
                records[records.count - 1].append(line)
            }
        }
        return records
    }
}

/// The lines of one record.
package struct RecordLines: Sendable {
    let lines: [ReplyLine]
    /// The keys that the shape's fields know.
    let known: Set<String>

    subscript(key: String) -> String? { lines.first { $0.key == key }?.value }

    func values(_ key: String) -> [String] { lines.filter { $0.key == key }.map(\.value) }

    /// The lines that no field knows.
    var others: [ReplyLine] { lines.filter { !known.contains($0.key) } }
}
