package import TextEncodings

/// A field of records: its name in JSON, and the lines that it is made of.
package struct RecordField: Sendable {
    /// Empty for the field that stands for all other lines.
    package let name: String
    /// The keys of its lines.
    let keys: [String]
    /// Those of its lines that have a field of their own.
    let parts: [RecordField]
    /// Whether it is made of all lines that no other field knows.
    private let takesOthers: Bool
    /// The JSON schema of its value; of all values where it stands for other lines without a name.
    let schema: JSON
    private let make: Make

    private enum Make: Sendable {
        /// `.null` leaves the field out.
        case value(@Sendable (RecordLines) -> JSON)
        case members(@Sendable (RecordLines) -> [JSON.Field])
    }

    /// Appends what the field has of some lines to a record that is written.
    var writer: @Sendable (inout [UInt8], RecordLines) -> Void {
        switch make {
        case .value(let make):
            let beginning = Self.beginning(name)
            return { json, lines in json.append(member: beginning, make(lines)) }
        case .members(let make):
            return { json, lines in
                for field in make(lines) { json.append(member: Self.beginning(field.name), field.value) }
            }
        }
    }

    /// The name of a member as JSON, and the colon behind it.
    private static func beginning(_ name: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(jsonString: name)
        bytes.append(UInt8(ascii: ":"))
        return bytes
    }

    /// Appends what the field has of some lines to a record.
    func append(to record: inout [JSON.Field], of lines: RecordLines) {
        switch make {
        case .value(let make):
            let value = make(lines)
            guard case .null = value else { return record.append(JSON.Field(name, value)) }
        case .members(let make): record += make(lines).filter { $0.value != .null }
        }
    }

    /// Whether lines with a key belong to the field.
    func takes(_ key: String) -> Bool { takesOthers || keys.contains(key) }

    /// - Parameters:
    ///   - schema: The JSON schema of its value.
    ///   - make: The value; `.null` leaves the field out.
    package init(
        _ name: String,
        _ keys: [String],
        _ schema: JSON,
        _ make: @escaping @Sendable (RecordLines) -> JSON
    ) {
        (self.name, self.keys, self.schema, takesOthers, parts) = (name, keys, schema, false, [])
        self.make = .value(make)
    }

    private init(
        others parts: [RecordField],
        as name: String = "",
        _ schema: JSON,
        _ make: @escaping @Sendable (RecordLines) -> [JSON.Field]
    ) {
        (self.name, self.schema, self.parts, takesOthers) = (name, schema, parts, true)
        keys = parts.flatMap(\.keys)
        self.make = .members(make)
    }

    /// One line.
    private static func line(
        _ key: String,
        _ name: String?,
        _ absent: JSON,
        _ schema: JSON,
        _ read: @escaping @Sendable (String) -> JSON
    ) -> RecordField {
        RecordField(name ?? key, [key], schema) { lines in
            let value = lines[key].map(read) ?? .null
            return value == .null ? absent : value
        }
    }

    /// The field in records that have a line with a key; in others it is left out.
    package func onlyWith(_ key: String) -> RecordField {
        RecordField(name, keys, schema) { [make] lines in
            guard lines[key] != nil, case .value(let make) = make else { return .null }
            return make(lines)
        }
    }

    // MARK: One line

    /// - Parameters:
    ///   - name: In JSON; the key, without it.
    ///   - absent: The text where there is no line, or an empty one; without it the field is left out.
    package static func text(_ key: String, as name: String? = nil, or absent: String? = nil) -> RecordField {
        line(key, name, .optional(absent), .schema("string")) { $0.isEmpty ? .null : .string($0) }
    }

    /// A text that may be empty.
    package static func anyText(_ key: String, as name: String? = nil, or absent: String? = nil) -> RecordField {
        line(key, name, .optional(absent), .schema("string")) { .string($0) }
    }

    /// A word of the protocol, in the words of JSON.
    package static func word(
        _ key: String,
        as name: String? = nil,
        _ words: [String: String],
        or absent: String? = nil
    ) -> RecordField {
        line(key, name, .optional(absent), .schema("string")) { .string(words[$0] ?? $0) }
    }

    package static func integer(_ key: String, as name: String? = nil, or absent: Int? = nil) -> RecordField {
        line(key, name, .optional(absent), .schema("integer")) { .optional(Int($0)) }
    }

    /// A whole number from 0 on.
    package static func count(_ key: String, as name: String? = nil) -> RecordField {
        line(key, name, .null, .schema("integer", .init("minimum", .integer(0)))) {
            .optional(Int($0).flatMap { $0 < 0 ? nil : $0 })
        }
    }

    /// A place counted from 0, which JSON counts from 1.
    package static func place(_ key: String, as name: String) -> RecordField {
        line(key, name, .null, .schema("integer", .init("minimum", .integer(1)))) {
            .optional(Int($0).flatMap { $0 < Int.max ? $0 + 1 : nil })
        }
    }

    package static func number(_ key: String, as name: String? = nil, or absent: Double? = nil) -> RecordField {
        line(key, name, .optional(absent), .schema("number")) { .optional(finite($0)) }
    }

    package static func seconds(_ key: String, as name: String? = nil) -> RecordField {
        line(key, name, .null, .schema("number")) { .seconds(finite($0)) }
    }

    /// `1` or `0`.
    ///
    /// - Parameter absent: The value where there is no line; without it the field is left out.
    package static func flag(_ key: String, as name: String? = nil, or absent: Bool? = nil) -> RecordField {
        line(key, name, absent.map(JSON.bool) ?? .null, .schema("boolean")) { .bool($0 == "1") }
    }

    /// Words separated by commas.
    package static func words(_ key: String, as name: String? = nil) -> RecordField {
        line(key, name, .array([]), .schema(arrayOf: .schema("string"))) { text in
            .array(text.split(separator: ",").map { .string(String($0)) })
        }
    }

    // MARK: Several lines

    /// The texts of all lines with a key.
    ///
    /// - Parameter isAlways: Whether the field is there without a line, too, as an empty array.
    package static func texts(_ key: String, as name: String, isAlways: Bool = false) -> RecordField {
        RecordField(name, [key], .schema(arrayOf: .schema("string"))) { lines in
            let values = lines.values(key)
            return values.isEmpty && !isAlways ? .null : .array(values.map(JSON.string))
        }
    }

    package static func integers(_ key: String, as name: String) -> RecordField {
        RecordField(name, [key], .schema(arrayOf: .schema("integer"))) { lines in
            .array(lines.values(key).compactMap { Int($0) }.map(JSON.integer))
        }
    }

    /// Records within the record: each begins with one of the shape's lines, and has those up to the next.
    package static func records(_ name: String, _ shape: RecordShape) -> RecordField {
        let keys = shape.beginnings + shape.fields.flatMap(\.keys) + shape.omitted
        return RecordField(name, keys, .schema(arrayOf: shape.schema)) { lines in
            .array(shape.records(of: lines.lines))
        }
    }

    // MARK: All other lines

    /// All other lines, in their order: each is a field of its key, a whole number where it is one.
    package static func others() -> RecordField { others([], .object([])) { .optional(Int($0)) } }

    /// All other lines, in their order: each is a text of its key.
    ///
    /// - Parameter typed: Those that are not texts, or have another name.
    package static func otherTexts(_ typed: [RecordField] = []) -> RecordField {
        others(typed, .schema("string")) { _ in .null }
    }

    private static func others(
        _ typed: [RecordField],
        _ schema: JSON,
        _ read: @escaping @Sendable (String) -> JSON
    ) -> RecordField {
        RecordField(others: typed, schema) { lines in
            lines.lines.flatMap { line -> [JSON.Field] in
                if let field = typed.first(where: { $0.keys == [line.key] }) {
                    var members: [JSON.Field] = []
                    field.append(to: &members, of: RecordLines(lines: [line], known: []))
                    return members
                }
                if lines.known.contains(line.key) { return [] }
                let value = read(line.value)
                return [JSON.Field(line.key, value == .null ? .string(line.value) : value)]
            }
        }
    }

    /// All other lines in one object: each key in lower case, with an array of its values.
    package static func tags(as name: String) -> RecordField {
        let values = JSON.schema(arrayOf: .schema("string"))
        return RecordField(others: [], as: name, .schema("object", .init("additionalProperties", values))) { lines in
            var names: [String] = []
            var values: [String: [JSON]] = [:]
            for line in lines.others {
                let key = line.key.lowercased()
                if values[key] == nil { names.append(key) }
                values[key, default: []].append(.string(line.value))
            }
            let fields = names.map { JSON.Field($0, .array(values[$0] ?? [])) }
            return fields.isEmpty ? [] : [JSON.Field(name, .object(fields))]
        }
    }
}

extension [UInt8] {
    /// Appends a member to an object that is written, unless it is `null`.
    fileprivate mutating func append(member beginning: [UInt8], _ value: JSON) {
        if case .null = value { return }
        if last != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
        self += beginning
        append(value)
    }
}

private func finite(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

extension JSON {
    /// A JSON schema of values of a type.
    package static func schema(_ type: String, _ others: Field...) -> JSON {
        .object([Field("type", .string(type))] + others)
    }

    package static func schema(arrayOf elements: JSON) -> JSON { schema("array", Field("items", elements)) }

    package static func schema(oneOf schemas: JSON...) -> JSON { .object([Field("oneOf", .array(schemas))]) }
}
