/// The format of one sample: always interleaved, always in the machine's byte order.
///
/// Only the native formats of sound servers and files are here; a decoder's other formats are converted to one of
/// these.
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
