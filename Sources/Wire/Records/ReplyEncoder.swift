internal import TextEncodings

/// Writes a reply, whose bytes come in pieces of any length, as JSON: an array of its records, or its only record.
///
/// Holds no more than one record and one line of the reply.
package struct ReplyEncoder {
    private let shape: RecordShape?
    private var reader: RecordLineReader?
    /// The line whose end has not come.
    private var line: [UInt8] = []
    /// How many bytes of binary data are still to come.
    private var binaryBytes = 0
    /// Those of them that have come, and are too few for a group of Base64.
    private var binary: [UInt8] = []
    private var recordCount = 0

    /// - Parameter shape: `nil` for a reply without lines, which is `null`.
    package init(_ shape: RecordShape?) {
        self.shape = shape
        reader = shape.map(RecordLineReader.init)
    }

    /// Whether something was written that cannot be taken back.
    package var hasBegun: Bool { recordCount > 0 }

    /// Appends the records that the bytes complete.
    package mutating func encode(_ bytes: ArraySlice<UInt8>, into json: inout [UInt8]) {
        var rest = bytes
        while !rest.isEmpty {
            if binaryBytes > 0 {
                let part = rest.prefix(binaryBytes)
                rest = rest.dropFirst(part.count)
                append(binary: part, &json)
            } else if let end = rest.firstIndex(of: 0x0a) {
                if line.isEmpty {
                    take(rest[..<end], &json)
                } else {
                    line += rest[..<end]
                    take(line[...], &json)
                    line.removeAll(keepingCapacity: true)
                }
                rest = rest[(end + 1)...]
            } else {
                line += rest
                return
            }
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ json: inout [UInt8]) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let key = String(decoding: line[..<colon], as: UTF8.self)
        var rest = line[colon...].dropFirst()
        // Positions in the reply to `playlist` have no blank behind them.
        if rest.first == 0x20 { rest = rest.dropFirst() }
        let value = String(decoding: rest, as: UTF8.self)
        read((key, value), &json)
        guard key == "binary", shape?.describes("data") == true, let count = Int(value) else { return }
        binaryBytes = max(0, count)
        beginBinary(&json)
    }

    /// Begins the field `data`, the last one of the record.
    private mutating func beginBinary(_ json: inout [UInt8]) {
        if let record = reader?.end() { append(record, &json) }
        // The record goes on.
        json.removeLast()
        json.append(contentsOf: #","data":""#.utf8)
        if binaryBytes == 0 { json.append(contentsOf: #""}"#.utf8) }
    }

    /// Appends binary data, in Base64, as it comes.
    private mutating func append(binary part: ArraySlice<UInt8>, _ json: inout [UInt8]) {
        binaryBytes -= part.count
        binary += part
        let whole = binaryBytes == 0 ? binary.count : binary.count / 3 * 3
        json += Base64.encoded(Array(binary.prefix(whole)))
        binary.removeFirst(whole)
        if binaryBytes == 0 { json.append(contentsOf: #""}"#.utf8) }
    }

    private mutating func read(_ line: ReplyLine, _ json: inout [UInt8]) {
        if let record = reader?.read(line) { append(record, &json) }
    }

    private mutating func append(_ record: [ReplyLine], _ json: inout [UInt8]) {
        guard let shape, shape.isList || recordCount == 0 else { return }
        if shape.isList { json.append(UInt8(ascii: recordCount == 0 ? "[" : ",")) }
        shape.write(record, to: &json)
        recordCount += 1
    }

    /// Appends the rest, once the reply has ended.
    package mutating func end(_ json: inout [UInt8]) {
        if let record = reader?.end() { append(record, &json) }
        guard let shape else { return json.append(.null) }
        if shape.isList {
            json.append(contentsOf: (recordCount == 0 ? "[]" : "]").utf8)
        } else if recordCount == 0 {
            if shape.beginnings.isEmpty { shape.write([], to: &json) } else { json.append(.null) }
        }
    }
}
