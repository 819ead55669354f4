#if canImport(Glibc)
private import Glibc
#endif

/// A factor for samples: 1 leaves them unchanged, 0 is silence.
package struct Gain: Sendable, Hashable {
    package var linear: Float

    package init(linear: Float) { self.linear = linear }

    /// A gain from decibels: 0 dB is 1, −6 dB about a half.
    package init(decibels: Double) { self.linear = Float(pow(10, decibels / 20)) }

    package static let unity = Gain(linear: 1)
    package static let silence = Gain(linear: 0)

    /// In dB; −infinity for silence.
    package var decibels: Double { 20 * log10(Double(linear)) }

    package static func * (left: Self, right: Self) -> Self { Self(linear: left.linear * right.linear) }
}

/// A volume on the scale of volume sliders, in percent: 0 is silent, 100 leaves samples unchanged.
///
/// The scale is cubic, as PulseAudio's is (`pa_sw_volume_from_linear`), so that equal steps sound about equal.
package struct Volume: Sendable, Hashable, Comparable {
    /// 0 to 150.
    package let percent: Double

    /// A volume of `percent`, limited to 0 to 150.
    package init(percent: Double) { self.percent = min(max(percent, 0), 150) }

    package static let full = Volume(percent: 100)

    /// The factor for samples.
    package var gain: Gain {
        let fraction = Float(percent / 100)
        return Gain(linear: fraction * fraction * fraction)
    }

    package static func < (left: Self, right: Self) -> Bool { left.percent < right.percent }
}
