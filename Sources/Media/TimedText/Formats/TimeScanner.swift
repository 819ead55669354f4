internal import AudioTypes

/// Reads a line of text from its start.
struct TimeScanner {
    typealias Timing = (start: MediaTime, end: MediaTime)

    private(set) var rest: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) { rest = line }

    var text: String { String(decoding: rest, as: UTF8.self) }

    mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

    /// Takes `word` if it is next.
    mutating func take(_ word: StaticString) -> Bool {
        let matches = word.withUTF8Buffer { unsafe rest.starts(with: $0) }
        if matches { rest = rest.dropFirst(word.utf8CodeUnitCount) }
        return matches
    }

    /// Takes the next byte.
    mutating func take() -> UInt8? { rest.popFirst() }

    /// Takes a time, such as `1:02:03,450`, `02:03.4` or `02:03`: two or three numbers, and a fraction.
    mutating func time() -> MediaTime? {
        var attempt = self
        guard var seconds = attempt.number().map(Double.init) else { return nil }
        var parts = 1
        while parts < 3, attempt.take(":"), let number = attempt.number() {
            seconds = seconds * 60 + Double(number)
            parts += 1
        }
        guard parts > 1 else { return nil }
        if attempt.take(".") || attempt.take(",") { seconds += attempt.fraction() }
        guard let time = MediaTime(checking: seconds) else { return nil }
        self = attempt
        return time
    }

    /// Takes a whole number of at most nine digits.
    mutating func number() -> Int? {
        let digits = takeDigits()
        return (1...9).contains(digits.count) ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    /// Takes a whole number, which may be as long as a timestamp of 33 bits.
    mutating func ticks() -> Double? {
        let digits = takeDigits()
        return (1...12).contains(digits.count) ? digits.reduce(0) { $0 * 10 + Double($1 - 0x30) } : nil
    }

    private mutating func fraction() -> Double {
        takeDigits().prefix(9).reversed().reduce(0) { ($0 + Double($1 - 0x30)) / 10 }
    }

    private mutating func takeDigits() -> ArraySlice<UInt8> {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return digits
    }

    /// Takes `start --> end`, as SubRip and WebVTT write it.
    mutating func timing() -> Timing? {
        skipBlanks()
        guard let start = time() else { return nil }
        skipBlanks()
        guard take("-->") else { return nil }
        skipBlanks()
        return time().map { (start, $0) }
    }
}
