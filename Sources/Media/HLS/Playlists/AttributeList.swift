internal import Segments

/// `NAME=value,NAME="quoted, value"` (RFC 8216, section 4.2).
///
/// The first malformed attribute ends the list; those before it count. Of a repeated name, the first counts.
struct AttributeList {
    private var values: [String: ArraySlice<UInt8>] = [:]
    private let variables: PlaylistVariables

    init(_ bytes: ArraySlice<UInt8>, variables: PlaylistVariables = PlaylistVariables()) {
        self.variables = variables
        var rest = bytes
        while values.count < PlaylistLimits.attributes, let equals = rest.firstIndex(of: .equals) {
            let name = rest[..<equals].trimmed.text
            var value = rest[(equals + 1)...].trimmed
            if value.first == .quote {
                value = value.dropFirst()
                guard let end = value.firstIndex(of: .quote) else { return }
                rest = value[(end + 1)...]
                value = value[..<end]
                let comma = rest.firstIndex(of: .comma) ?? rest.endIndex
                rest = rest[comma...].dropFirst()
            } else {
                let comma = value.firstIndex(of: .comma) ?? value.endIndex
                rest = value[comma...].dropFirst()
                value = value[..<comma].trimmed
            }
            if values[name] == nil { values[name] = value }
        }
    }

    /// A string, or an enumerated one, with variables substituted; `nil` also when it is empty.
    func string(_ name: String) throws(SegmentError) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return try variables.substituted(in: value.text)
    }

    func integer(_ name: String) -> Int? { values[name]?.decimalInteger }
    func number(_ name: String) -> Double? { values[name]?.decimalNumber }
    func bytes(_ name: String) -> [UInt8]? { values[name]?.hexadecimalSequence }
    func isYes(_ name: String) -> Bool { values[name]?.elementsEqual("YES".utf8) == true }
    func has(_ name: String) -> Bool { values[name] != nil }
    /// A string as written, without substitution.
    func plain(_ name: String) -> String? { values[name]?.text }
    /// `LENGTH[@OFFSET]`.
    func byteRange(_ name: String) -> WrittenByteRange? { values[name].flatMap(WrittenByteRange.init) }
}
