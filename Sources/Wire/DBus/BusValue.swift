internal import TextEncodings

/// A value of D-Bus's type system (D-Bus Specification, "Type System"), except for the types that are not used here.
package enum BusValue: Sendable, Hashable {
    case byte(UInt8)
    case boolean(Bool)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    /// An open file; the receiver gets a descriptor of its own.
    case file(BusFile)
    indirect case variant(BusValue)
    /// Values of one type, whose signature an empty array has, too.
    case array([BusValue], of: String)
    case structure([BusValue])
    /// A key and its value, in an array that is a dictionary.
    indirect case entry(BusValue, BusValue)

    /// The type, as D-Bus writes it.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .file: "h"
        case .variant: "v"
        case .array(_, let element): "a" + element
        case .structure: "(" + contents + ")"
        case .entry: "{" + contents + "}"
        }
    }

    /// The signatures of the values inside a container.
    var contents: String {
        switch self {
        case .variant(let value): value.signature
        case .array(_, let element): element
        case .structure(let values): values.map(\.signature).joined()
        case .entry(let key, let value): key.signature + value.signature
        default: ""
        }
    }

    /// The values inside a container.
    var members: [BusValue] {
        switch self {
        case .variant(let value): [value]
        case .array(let values, _), .structure(let values): values
        case .entry(let key, let value): [key, value]
        default: []
        }
    }
}

extension BusValue {
    package static func strings(_ texts: [String]) -> BusValue { .array(texts.map(BusValue.string), of: "s") }

    package static func objectPaths(_ paths: [ObjectPath]) -> BusValue {
        .array(paths.map(BusValue.objectPath), of: "o")
    }

    /// Names and values (`a{sv}`), in the order of the names.
    package static func properties(_ values: [String: BusValue]) -> BusValue {
        let entries = values.sorted { $0.key < $1.key }
        return .array(entries.map { .entry(.string($0.key), .variant($0.value)) }, of: "{sv}")
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var truth: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
    package var number: Double? { if case .double(let number) = self { number } else { nil } }
    package var path: ObjectPath? { if case .objectPath(let path) = self { path } else { nil } }
    package var integer: Int64? { if case .int64(let number) = self { number } else { nil } }
    package var file: BusFile? { if case .file(let file) = self { file } else { nil } }
    package var unwrapped: BusValue? { if case .variant(let value) = self { value } else { nil } }
    package var elements: [BusValue]? { if case .array(let values, _) = self { values } else { nil } }
}

/// The path of an object on a bus: elements of letters, digits and `_`, each after a `/`.
package struct ObjectPath: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// - Returns: `nil` for a text that is not a path, or longer than 1,024 bytes.
    package init?(_ text: String) {
        guard text.utf8.first == 0x2f, text.utf8.count <= 1_024 else { return nil }
        let elements = text.utf8.dropFirst().split(separator: 0x2f, omittingEmptySubsequences: false)
        let isRoot = text.utf8.count == 1
        guard isRoot || elements.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isNameByte) }) else { return nil }
        description = text
    }

    /// - Parameter elements: Made fit for a path: each byte that may not stand in one becomes `_` and two hexadecimal
    ///   digits.
    package init(_ elements: String...) { description = elements.map { "/" + pathElement($0) }.joined() }

    /// A path that is known to be one.
    package init(known text: StaticString) { description = "\(text)" }
}

/// A text as an element of a path: each byte but letters and digits becomes `_` and two hexadecimal digits, so that
/// different texts have different elements.
package func pathElement(_ text: String) -> String {
    guard !text.isEmpty else { return "_" }
    return ByteEscape.underscore.encode(text.utf8, keeping: \.isASCIIAlphanumeric)
}

/// The text that ``pathElement(_:)`` made an element of; `nil` for one that it did not make.
package func text(ofPathElement element: some StringProtocol) -> String? {
    if element == "_" { return "" }
    return ByteEscape.underscore.decode(element.utf8).flatMap { String(validating: $0, as: UTF8.self) }
}

private func isNameByte(_ byte: UInt8) -> Bool {
    byte == 0x5f || byte.isASCIIAlphanumeric
}
