/// Rejects conversions from floating point that end the process for NaN, infinities and numbers out of range.
///
/// These declarations have the signatures of the standard library's, and the compiler prefers those of any other module
/// to its own. Every target of the package imports this module and treats warnings as errors, so a use does not
/// compile. Only code that is generic over the integer type still reaches the standard library's.
extension Int {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension Int8 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension Int16 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension Int32 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension Int64 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension UInt {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension UInt8 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension UInt16 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension UInt32 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension UInt64 {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Double) { self.init(saturating: value) }

    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: Float) { self.init(saturating: value) }
}

extension FixedWidthInteger {
    @available(
        *,
        deprecated,
        message: "traps for NaN and numbers out of range: use init(saturating:) or init(exactly:)"
    )
    package init(_ value: some BinaryFloatingPoint) { self.init(saturating: Double(value)) }
}

extension Duration {
    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func seconds(_ value: Double) -> Duration { .seconds(saturating: value) }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func milliseconds(_ value: Double) -> Duration { .seconds(saturating: value / 1e3) }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func microseconds(_ value: Double) -> Duration { .seconds(saturating: value / 1e6) }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func nanoseconds(_ value: Double) -> Duration { .seconds(saturating: value / 1e9) }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func * (duration: Duration, factor: Double) -> Duration {
        .seconds(saturating: duration / .seconds(1) * factor)
    }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func / (duration: Duration, factor: Double) -> Duration {
        .seconds(saturating: duration / .seconds(1) / factor)
    }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func *= (duration: inout Duration, factor: Double) {
        duration = .seconds(saturating: duration / .seconds(1) * factor)
    }

    @available(*, deprecated, message: "traps for NaN and numbers out of range: use seconds(saturating:)")
    package static func /= (duration: inout Duration, factor: Double) {
        duration = .seconds(saturating: duration / .seconds(1) / factor)
    }
}
