extension String {
    /// A number that is not negative, in at least so many digits: `007`.
    package init(_ number: some BinaryInteger, digits: Int, radix: Int = 10) {
        let text = String(number, radix: radix)
        self.init(repeating: "0", count: Swift.max(0, digits - text.utf8.count))
        self += text
    }

    /// A number that is not negative, with so many decimal places of which no zero ends it: `0.25`, `2`.
    ///
    /// - Parameters:
    ///   - parts: The number, multiplied by ten to the power of `places`.
    ///   - places: At most 18.
    package init(parts: Int, places: Int) {
        let unit = (0..<places).reduce(1) { unit, _ in unit * 10 }
        var decimals = String(parts % unit, digits: places)
        while decimals.last == "0" { decimals.removeLast() }
        self.init(parts / unit)
        if !decimals.isEmpty { self += "." + decimals }
    }
}

extension [UInt8] {
    /// Appends a number that is not negative, in at least so many digits.
    @inlinable package mutating func append(number: Int, digits: Int = 1) {
        var (divisor, left) = (1, digits)
        while number / divisor > 9 || left > 1 {
            divisor *= 10
            left -= 1
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
