package import AudioTypes
private import Glibc

/// The frames of one sound to be mixed under those of another.
package struct Overlay: Sendable {
    /// The gains of both sounds while they overlap.
    package enum Curve: Sendable, Hashable {
        /// One fades out and the other in, at about constant loudness.
        case equalPower
        /// Both keep their level.
        case sum
    }

    private let format: AudioFormat
    private let curve: Curve
    private let bytes: [UInt8]
    /// The next frame.
    private var position = 0

    /// - Parameter bytes: A whole number of frames.
    package init(_ bytes: [UInt8], format: AudioFormat, curve: Curve) {
        self.bytes = bytes
        self.format = format
        self.curve = curve
    }

    private var length: Int { bytes.count / format.bytesPerFrame }

    /// Whether no frames are left to mix.
    package var isOver: Bool { position >= length }

    /// Mixes the next frames into those of the other sound, in place; the sum is limited to full scale.
    package mutating func mix(into frames: UnsafeMutableRawPointer, count: Int) {
        let count = min(count, length - position)
        let channels = format.channels.count
        unsafe bytes.withUnsafeBytes { source in
            for frame in 0..<count {
                let (out, into) = gains(at: position + frame)
                let first = frame * channels
                let other = (position + frame) * channels
                for channel in 0..<channels {
                    unsafe mix(source, other + channel, out, frames, first + channel, into)
                }
            }
        }
        position += count
    }

    private func mix(
        _ source: UnsafeRawBufferPointer,
        _ from: Int,
        _ out: Double,
        _ target: UnsafeMutableRawPointer,
        _ to: Int,
        _ into: Double
    ) {
        switch format.sampleFormat {
        case .s16:
            let samples = unsafe target.assumingMemoryBound(to: Int16.self)
            let other = unsafe Double(source.loadUnaligned(fromByteOffset: 2 * from, as: Int16.self))
            unsafe samples[to] = Int16(saturating: (other * out + Double(samples[to]) * into).rounded())
        case .s32:
            let samples = unsafe target.assumingMemoryBound(to: Int32.self)
            let other = unsafe Double(source.loadUnaligned(fromByteOffset: 4 * from, as: Int32.self))
            unsafe samples[to] = Int32(saturating: (other * out + Double(samples[to]) * into).rounded())
        case .f32:
            let samples = unsafe target.assumingMemoryBound(to: Float.self)
            let other = unsafe Double(source.loadUnaligned(fromByteOffset: 4 * from, as: Float.self))
            unsafe samples[to] = Float(other * out + Double(samples[to]) * into)
        }
    }

    /// The gains of this sound and of the other.
    private func gains(at frame: Int) -> (out: Double, into: Double) {
        guard curve == .equalPower else { return (1, 1) }
        let angle = (Double(frame) + 0.5) / Double(length) * .pi / 2
        return (cos(angle), sin(angle))
    }
}
