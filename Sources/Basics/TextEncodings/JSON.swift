/// A JSON value (RFC 8259); objects keep their members' order.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    /// Written as `null` when it is not finite, which JSON cannot express.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Field])

    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Seconds to the microsecond, which is finer than a sample.
    package static func seconds(_ seconds: Double?) -> JSON {
        guard let seconds, seconds.isFinite else { return .null }
        return .number((seconds * 1_000_000).rounded() / 1_000_000)
    }

    package static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    package static func optional(_ number: Int?) -> JSON { number.map(JSON.integer) ?? .null }
    package static func optional(_ number: Double?) -> JSON { number.map(JSON.number) ?? .null }

    /// An object without the fields that are `null`.
    package static func compact(_ fields: [Field]) -> JSON { .object(fields.filter { $0.value != .null }) }

    // MARK: Reading

    /// The value of a member; the last where several have that name, `nil` where none has, or this is no object.
    package subscript(name: String) -> JSON? {
        if case .object(let fields) = self { fields.last { $0.name == name }?.value } else { nil }
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }

    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// Any number.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The members of an object, in its order; none of anything else.
    package var fields: [Field] { if case .object(let fields) = self { fields } else { [] } }

    /// The elements of an array; none of anything else.
    package var elements: [JSON] { if case .array(let values) = self { values } else { [] } }

    // MARK: Writing

    /// The value on one line.
    package var text: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a value on one line, in UTF-8.
    package mutating func append(_ json: JSON) {
        switch json {
        case .null: append(contentsOf: "null".utf8)
        case .bool(let value): append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): append(contentsOf: String(value).utf8)
        case .number(let value): append(jsonNumber: value)
        case .string(let value): append(jsonString: value)
        case .array(let values):
            append(jsonOf: values, between: "[", and: "]") { bytes, value in bytes.append(value) }
        case .object(let fields):
            append(jsonOf: fields, between: "{", and: "}") { bytes, field in
                bytes.append(jsonString: field.name)
                bytes.append(UInt8(ascii: ":"))
                bytes.append(field.value)
            }
        }
    }

    private mutating func append<Member>(
        jsonOf elements: [Member],
        between opening: Unicode.Scalar,
        and closing: Unicode.Scalar,
        _ write: (inout [UInt8], Member) -> Void
    ) {
        append(UInt8(ascii: opening))
        for (place, element) in elements.enumerated() {
            if place > 0 { append(UInt8(ascii: ",")) }
            write(&self, element)
        }
        append(UInt8(ascii: closing))
    }

    private mutating func append(jsonNumber value: Double) {
        guard value.isFinite else { return append(contentsOf: "null".utf8) }
        if value == value.rounded(), abs(value) < 1e15 {
            append(contentsOf: String(Int(saturating: value)).utf8)
        } else {
            append(contentsOf: "\(value)".utf8)
        }
    }
}
