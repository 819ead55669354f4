extension FixedWidthInteger {
    /// The number that digits in ASCII are, in upper or lower case; `nil` for anything else, also a sign, for none, and for a
    /// number that is too large.
    ///
    /// To the standard library's `init(_:radix:)` a sign is part of the number, and so `%+5` would be a byte.
    ///
    /// - Parameter radix: 2 to 36.
    @inlinable package init?(digits: some Sequence<UInt8>, radix: Self) {
        var number: Self?
        for byte in digits {
            guard let digit = Self(digit: byte), digit < radix else { return nil }
            let (product, overflows) = (number ?? 0).multipliedReportingOverflow(by: radix)
            let (sum, isTooLarge) = product.addingReportingOverflow(digit)
            if overflows || isTooLarge { return nil }
            number = sum
        }
        guard let number else { return nil }
        self = number
    }

    /// The value of a digit, 0 to 35.
    @inlinable package init?(digit byte: UInt8) {
        switch byte {
        case 0x30...0x39: self = Self(byte &- 0x30)
        case 0x41...0x5a: self = Self(byte &- 0x41 &+ 10)
        case 0x61...0x7a: self = Self(byte &- 0x61 &+ 10)
        default: return nil
        }
    }
}
