extension FixedWidthInteger {
    /// The integral part of `value`; 0 for NaN, and the nearest bound for numbers out of range.
    ///
    /// The standard library's `init(_:)` ends the process for those; see `TrappingConversions.swift`. This one
    /// works on the number's bits, because a real-time function must not call the rounding functions.
    @inlinable package init(saturating value: Double) {
        // Such as 1.5 = 2^52 × 1.5 × 2^-52: a significand of 53 bits times a power of two.
        let exponent = Int(truncatingIfNeeded: value.exponentBitPattern) - 1_075
        let significand = value.significandBitPattern | 1 &<< 52
        guard exponent < 12 else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
            return
        }
        let magnitude =
            exponent < 0 ? significand &>> UInt64(Swift.min(-exponent, 63)) : significand &<< UInt64(exponent)
        if value >= 0 {
            self = Self(clamping: magnitude)
        } else {
            self = Self(clamping: magnitude < 1 &<< 63 ? -Int64(magnitude) : .min)
        }
    }

    /// The integral part of `value`; 0 for NaN, and the nearest bound for numbers out of range.
    @inlinable package init(saturating value: Float) { self.init(saturating: Double(value)) }

    /// The sum, or the nearest bound if it is out of range.
    @inlinable package func adding(saturating other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest bound if it is out of range.
    @inlinable package func subtracting(saturating other: Self) -> Self {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the nearest bound if it is out of range.
    @inlinable package func multiplied(saturatingBy other: Self) -> Self {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Int {
    /// A number or index of samples or frames, limited to ±2^53; 0 for NaN.
    ///
    /// A `Double` represents every sample up to there, hundreds of such numbers can be added without overflow, and at
    /// 768 kHz it is 372 years.
    @inlinable package init(sample: Double) {
        self.init(saturating: sample.isNaN ? 0 : sample.clamped(to: -0x1p53...0x1p53))
    }
}

extension Comparable {
    /// The value itself, or the nearer bound.
    @inlinable package func clamped(to bounds: ClosedRange<Self>) -> Self {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}

extension Duration {
    /// The longest duration made from seconds: 10^9 s, some 31 years.
    ///
    /// In nanoseconds, added to any of the system's clocks, it does not overflow.
    package static let longest = Duration.seconds(1_000_000_000)

    /// A duration of `seconds`, limited to ±`longest`; zero for NaN.
    package static func seconds(saturating seconds: Double) -> Duration {
        let limited = seconds.isNaN ? 0 : seconds.clamped(to: -1e9...1e9)
        let whole = limited.rounded(.down)
        return Duration(
            secondsComponent: Int64(saturating: whole),
            attosecondsComponent: Int64(saturating: (limited - whole) * 1e18)
        )
    }
}
