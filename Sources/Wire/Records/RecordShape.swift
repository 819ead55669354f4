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
    /// Those of the fields, which cost less than copies of these do.
    private let writers: [@Sendable (inout [UInt8], RecordLines) -> Void]
    /// Whether a reply has one record at most, although a line begins it.
    private var isSingle = false

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
        writers = fields.map(\.writer)
    }

    /// The shape of a reply with one such record at most.
    package var single: RecordShape {
        var shape = self
        shape.isSingle = true
        return shape
    }

    /// Whether a reply may have any number of records.
    package var isList: Bool { !beginnings.isEmpty && !isSingle }

    /// The JSON schema of a record.
    ///
    /// Records may have further members some day.
    package var schema: JSON {
        let named = fields.flatMap { $0.name.isEmpty ? $0.parts : [$0] }
        var members: [JSON.Field] = [
            .init("type", .string("object")),
            .init("properties", .object(named.map { JSON.Field($0.name, $0.schema) })),
        ]
        if let others = fields.first(where: { $0.name.isEmpty }) {
            members.append(.init("additionalProperties", others.schema))
        }
        return .object(members)
    }

    /// Whether the shape says what a line with a key means.
    package func describes(_ key: String) -> Bool {
        omitted.contains(key) || beginnings.contains(key) || fields.contains { $0.takes(key) }
    }

    /// The records of a reply, in its order.
    package func records(of lines: some Sequence<ReplyLine>) -> [JSON] {
        var reader = RecordLineReader(self)
        var records = lines.compactMap { reader.read($0) }.map { record($0) }
        if let last = reader.end() { records.append(record(last)) }
        return records
    }

    /// Appends the record that lines make up, as ``record(_:)`` has it.
    func write(_ lines: [ReplyLine], to json: inout [UInt8]) {
        let lines = RecordLines(lines: lines, known: known)
        json.append(UInt8(ascii: "{"))
        for write in writers { write(&json, lines) }
        json.append(UInt8(ascii: "}"))
    }

    /// The record that lines make up.
    package func record(_ lines: [ReplyLine]) -> JSON {
        let lines = RecordLines(lines: lines, known: known)
        var members: [JSON.Field] = []
        members.reserveCapacity(fields.count)
        for field in fields { field.append(to: &members, of: lines) }
        return .object(members)
    }
}

/// Divides the lines of a reply into those of each record, one after another; those before the first are left out.
struct RecordLineReader {
    private let shape: RecordShape
    private var record: [ReplyLine] = []
    private var above: [ReplyLine] = []

    init(_ shape: RecordShape) { self.shape = shape }

    /// Reads a line.
    ///
    /// - Returns: The lines of the record before, where the line begins another one.
    mutating func read(_ line: ReplyLine) -> [ReplyLine]? {
        if shape.headings.contains(line.key) {
            above.removeAll { $0.key == line.key }
            above.append(line)
        } else if shape.beginnings.contains(line.key) {
            defer { record = [line] + above }
            return record.isEmpty ? nil : record
        } else if shape.beginnings.isEmpty || !record.isEmpty {
            record.append(line)
        }
        return nil
    }

    /// - Returns: The lines of the last record.
    mutating func end() -> [ReplyLine]? {
        defer { record = [] }
        return record.isEmpty ? nil : record
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
