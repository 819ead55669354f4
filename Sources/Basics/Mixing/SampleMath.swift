package import AudioTypes

/// Arithmetic on interleaved samples for mixing.
///
/// Real-time safe: no allocation, no lock.
package enum SampleMath {
    /// Multiplies each frame by a gain of its own, in place.
    package static func scale(
        _ frames: UnsafeMutableRawPointer,
        by gains: UnsafeBufferPointer<Float>,
        format: AudioFormat
    ) {
        let channels = format.channels.count
        switch format.sampleFormat {
        case .s16:
            let samples = unsafe frames.assumingMemoryBound(to: Int16.self)
            for frame in 0..<gains.count {
                for index in frame * channels..<(frame + 1) * channels {
                    let value = unsafe (Float(samples[index]) * gains[frame]).rounded()
                    unsafe samples[index] = Int16(exactly: max(-32_768, min(32_767, value))) ?? 0
                }
            }
        case .s32:
            let samples = unsafe frames.assumingMemoryBound(to: Int32.self)
            for frame in 0..<gains.count {
                for index in frame * channels..<(frame + 1) * channels {
                    let value = unsafe (Double(samples[index]) * Double(gains[frame])).rounded()
                    unsafe samples[index] = Int32(exactly: max(-2_147_483_648, min(2_147_483_647, value))) ?? 0
                }
            }
        case .f32:
            let samples = unsafe frames.assumingMemoryBound(to: Float.self)
            for frame in 0..<gains.count {
                for index in frame * channels..<(frame + 1) * channels { unsafe samples[index] *= gains[frame] }
            }
        }
    }

    /// Adds frames to others; the sum is limited to full scale.
    package static func add(
        _ frames: UnsafeRawPointer,
        to target: UnsafeMutableRawPointer,
        count: Int,
        format: AudioFormat
    ) {
        let samples = count * format.channels.count
        switch format.sampleFormat {
        case .s16:
            let source = unsafe frames.assumingMemoryBound(to: Int16.self)
            let target = unsafe target.assumingMemoryBound(to: Int16.self)
            for index in 0..<samples {
                unsafe target[index] = Int16(clamping: Int32(target[index]) + Int32(source[index]))
            }
        case .s32:
            let source = unsafe frames.assumingMemoryBound(to: Int32.self)
            let target = unsafe target.assumingMemoryBound(to: Int32.self)
            for index in 0..<samples {
                unsafe target[index] = Int32(clamping: Int64(target[index]) + Int64(source[index]))
            }
        case .f32:
            let source = unsafe frames.assumingMemoryBound(to: Float.self)
            let target = unsafe target.assumingMemoryBound(to: Float.self)
            for index in 0..<samples { unsafe target[index] = max(-1, min(1, target[index] + source[index])) }
        }
    }
}
