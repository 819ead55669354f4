/// The bytes of a reply in the making: `key: value` lines and their end.
package struct Reply: Sendable {
    package var bytes: [UInt8] = []

    package init() {}

    /// Adds `key: value`.
    ///
    /// A line feed in the value becomes a space, and the value ends after at most 4,000 bytes: libmpdclient reads a line
    /// into 4,096.
    package mutating func line(_ key: StaticString, _ value: String) {
        begin(key)
        append(oneLine: value, through: 4_000)
    }

    package mutating func line(_ key: StaticString, _ value: some StringProtocol) { line(key, String(value)) }

    /// Adds as much of a text as fits, in whole characters, and a line feed.
    private mutating func append(oneLine text: String, through limit: Int) {
        let start = bytes.count
        var text = text
        text.withUTF8 { text in
            var end = min(text.count, limit)
            while end < text.count, end > 0, unsafe text[end] & 0xc0 == 0x80 { end -= 1 }
            unsafe bytes.append(contentsOf: text[..<end])
        }
        for index in start..<bytes.count where bytes[index] == 0x0a || bytes[index] == 0x0d { bytes[index] = 0x20 }
        bytes.append(0x0a)
    }

    package mutating func line(_ key: StaticString, _ value: Int) {
        begin(key)
        append(decimal: value)
        bytes.append(0x0a)
    }

    /// Adds `key: 1` or `key: 0`.
    package mutating func line(_ key: StaticString, _ value: Bool) { line(key, value ? 1 : 0) }

    /// Adds a number of seconds with three decimals.
    package mutating func line(_ key: StaticString, seconds: Double) {
        begin(key)
        let count = Int((max(0, min(seconds, 1e12)) * 1000).rounded())
        append(decimal: count / 1000)
        bytes.append(UInt8(ascii: "."))
        bytes.append(0x30 + UInt8(count / 100 % 10))
        bytes.append(0x30 + UInt8(count / 10 % 10))
        bytes.append(0x30 + UInt8(count % 10))
        bytes.append(0x0a)
    }

    package mutating func begin(_ key: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
        bytes.append(0x20)
    }

    package mutating func append(decimal value: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        // From the last digit to the first; there are no more than twenty.
        var digits = InlineArray<20, UInt8>(repeating: 0x30)
        var first = digits.count
        repeat {
            first -= 1
            digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in first..<digits.count { bytes.append(digits[index]) }
    }

    package mutating func append(_ text: StaticString) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Adds a chunk of binary data with its length before it.
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
