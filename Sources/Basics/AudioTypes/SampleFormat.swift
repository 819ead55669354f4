/// How one sample is stored: always interleaved, always in the machine's byte order.
///
/// Only what sound servers and files take natively is here; everything else a decoder produces is converted to one of
/// these on its way out.
package enum SampleFormat: String, Sendable, Hashable, CaseIterable {
    /// Signed 16-bit integers.
    case s16
    /// Signed 32-bit integers.
    case s32
    /// 32-bit floats, full scale ±1.0.
    case f32

    /// Bytes per sample of one channel.
    package var bytesPerSample: Int {
        switch self {
        case .s16: 2
        case .s32, .f32: 4
        }
    }
}
