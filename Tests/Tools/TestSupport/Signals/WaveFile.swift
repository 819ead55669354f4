private import Foundation

/// Plain 16-bit WAV files, as other programs' input.
package enum WaveFile {
    /// The bytes of a file.
    ///
    /// - Parameter channels: The samples of each channel, all of one length.
    package static func bytes(_ channels: [[Int16]], sampleRate: Int) -> [UInt8] {
        let frames = channels.first?.count ?? 0
        let frameSize = 2 * channels.count
        let dataSize = UInt32(frames * frameSize)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(44 + Int(dataSize))
        func append(_ text: String) { bytes += text.utf8 }
        func append<Value: FixedWidthInteger>(_ value: Value) {
            for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        append("RIFF")
        append(36 + dataSize)
        append("WAVEfmt ")
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(channels.count))
        append(UInt32(sampleRate))
        append(UInt32(sampleRate * frameSize))
        append(UInt16(frameSize))
        append(UInt16(16))
        append("data")
        append(dataSize)
        for frame in 0..<frames {
            for channel in channels { append(channel[frame]) }
        }
        return bytes
    }

    /// Writes one signal to both channels of a stereo file, or to a mono file.
    package static func write(_ signal: [Float], channels: Int = 2, sampleRate: Int, to path: String) throws {
        let samples = Signal.integers(signal)
        let bytes = bytes(Array(repeating: samples, count: channels), sampleRate: sampleRate)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
