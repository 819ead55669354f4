internal import TextEncodings

/// A JSON value to be written; objects keep their fields' order.
package indirect enum JSON: Sendable, Hashable {
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

    /// The value on one line.
    package var text: String {
        var output = ""
        write(to: &output)
        return output
    }

    private func write(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .integer(let value): output += "\(value)"
        case .number(let value): Self.write(value, to: &output)
        case .string(let value): output.append(jsonString: value)
        case .array(let values):
            Self.write(values, between: "[", and: "]", to: &output) { $0.write(to: &$1) }
        case .object(let fields):
            Self.write(fields, between: "{", and: "}", to: &output) { field, output in
                output.append(jsonString: field.name)
                output += ":"
                field.value.write(to: &output)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between opening: String,
        and closing: String,
        to output: inout String,
        element write: (Element, inout String) -> Void
    ) {
        output += opening
        for (place, element) in elements.enumerated() {
            if place > 0 { output += "," }
            write(element, &output)
        }
        output += closing
    }

    private static func write(_ value: Double, to output: inout String) {
        guard value.isFinite else {
            output += "null"
            return
        }
        if value == value.rounded(), abs(value) < 1e15 {
            output += "\(Int(saturating: value))"
        } else {
            output += "\(value)"
        }
    }
}
