package import AudioTypes
private import Glibc

/// The frames of one sound while they go under those of another.
package struct Overlay: Sendable {
    /// How loud both are while they overlap.
    package enum Curve: Sendable, Hashable {
        /// One fades out and the other in, so that together they stay about as loud.
        case equalPower
        /// Both stay as they are.
        case sum
    }

    private let format: AudioFormat
    private let curve: Curve
    private let bytes: [UInt8]
    /// The frame that is next.
    private var position = 0

    /// - Parameter bytes: A whole number of frames.
    package init(_ bytes: [UInt8], format: AudioFormat, curve: Curve) {
        self.bytes = bytes
        self.format = format
        self.curve = curve
    }

    private var length: Int { bytes.count / format.bytesPerFrame }

    /// Whether nothing is left to go under what follows.
    package var isOver: Bool { position >= length }

    /// Mixes what comes next into the frames of the other sound, in place; what exceeds full scale is limited to it.
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
            unsafe samples[to] = Int16(clamping: Int((other * out + Double(samples[to]) * into).rounded()))
        case .s32:
            let samples = unsafe target.assumingMemoryBound(to: Int32.self)
            let other = unsafe Double(source.loadUnaligned(fromByteOffset: 4 * from, as: Int32.self))
            unsafe samples[to] = Int32(clamping: Int((other * out + Double(samples[to]) * into).rounded()))
        case .f32:
            let samples = unsafe target.assumingMemoryBound(to: Float.self)
            let other = unsafe Double(source.loadUnaligned(fromByteOffset: 4 * from, as: Float.self))
            unsafe samples[to] = Float(other * out + Double(samples[to]) * into)
        }
    }

    /// What both are multiplied by: this one, and the other.
    private func gains(at frame: Int) -> (out: Double, into: Double) {
        guard curve == .equalPower else { return (1, 1) }
        let angle = (Double(frame) + 0.5) / Double(length) * .pi / 2
        return (cos(angle), sin(angle))
    }
}
