/// Builds the bytes of a reply: `key: value` lines and their end.
package struct Reply: Sendable {
    package var bytes: [UInt8] = []
    /// Bytes of a value at most; libmpdclient reads a line into 4,096.
    package var longestValue = 4_000

    package init() {}

    /// Appends `key: value`.
    ///
    /// A line feed in the value becomes a space, and the value is cut after ``longestValue`` bytes at most.
    package mutating func line(_ key: StaticString, _ value: String) {
        begin(key)
        append(oneLine: value, through: longestValue)
    }

    package mutating func line(_ key: StaticString, _ value: some StringProtocol) { line(key, String(value)) }

    /// Appends as much of a text as fits, in whole characters, and a line feed.
    private mutating func append(oneLine text: String, through limit: Int) {
        var text = text
        text.withUTF8 { text in
            var end = min(text.count, limit)
            while end < text.count, end > 0, unsafe text[end] & 0xc0 == 0x80 { end -= 1 }
            bytes.append(addingCapacity: end + 1) { line in
                for index in 0..<end {
                    let byte = unsafe text[index]
                    line.append(byte == 0x0a || byte == 0x0d ? 0x20 : byte)
                }
                line.append(0x0a)
            }
        }
    }

    package mutating func line(_ key: StaticString, _ value: Int) {
        bytes.append(addingCapacity: key.utf8CodeUnitCount + 2 + mostDigits + 1) { line in
            line.append(key: key)
            line.append(decimal: value)
            line.append(0x0a)
        }
    }

    /// Appends `key: 1` or `key: 0`.
    package mutating func line(_ key: StaticString, _ value: Bool) { line(key, value ? 1 : 0) }

    /// Appends a number of seconds with three decimals.
    package mutating func line(_ key: StaticString, seconds: Double) {
        let count = Int(saturating: (max(0, min(seconds, 1e12)) * 1000).rounded())
        bytes.append(addingCapacity: key.utf8CodeUnitCount + 2 + mostDigits + 5) { line in
            line.append(key: key)
            line.append(decimal: count / 1000)
            line.append(UInt8(ascii: "."))
            line.append(0x30 + UInt8(count / 100 % 10))
            line.append(0x30 + UInt8(count / 10 % 10))
            line.append(0x30 + UInt8(count % 10))
            line.append(0x0a)
        }
    }

    package mutating func begin(_ key: StaticString) {
        bytes.append(addingCapacity: key.utf8CodeUnitCount + 2) { line in line.append(key: key) }
    }

    package mutating func append(decimal value: Int) {
        bytes.append(addingCapacity: mostDigits) { line in line.append(decimal: value) }
    }

    package mutating func append(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a chunk of binary data, preceded by its length.
    package mutating func binary(_ chunk: some Collection<UInt8>) {
        line("binary", chunk.count)
        bytes.append(contentsOf: chunk)
        bytes.append(0x0a)
    }

    package mutating func ok() { append("OK\n") }

    package mutating func listOK() { append("list_OK\n") }

    /// Ends the reply with a failure.
    package mutating func ack(_ error: AckError, index: Int, command: String) {
        append("ACK [")
        append(decimal: error.code.rawValue)
        bytes.append(UInt8(ascii: "@"))
        append(decimal: index)
        append("] {")
        bytes.append(contentsOf: command.utf8)
        append("} ")
        append(oneLine: error.text, through: 3_800)
    }
}

/// Most characters of a number, including its sign.
private let mostDigits = 20

extension OutputSpan<UInt8> {
    fileprivate mutating func append(key: StaticString) {
        let count = key.utf8CodeUnitCount
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe buffer.baseAddress?.advanced(by: initialized).initialize(from: key.utf8Start, count: count)
            initialized += count
        }
        append(UInt8(ascii: ":"))
        append(0x20)
    }

    fileprivate mutating func append(decimal value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        // From the last digit to the first.
        var digits = InlineArray<20, UInt8>(repeating: 0x30)
        var first = digits.count
        repeat {
            first -= 1
            digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<digits.count { append(digits[index]) }
    }
}
