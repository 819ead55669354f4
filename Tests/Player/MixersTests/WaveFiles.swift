import AudioTypes
import Foundation
import TestSupport

/// Writes a stereo file; the shorter channel ends in silence.
func stereoFile(_ path: String, left: [Float], right: [Float], sampleRate: Int = 44_100) throws -> MediaEntry {
    let count = max(left.count, right.count)
    let channels = [left, right].map { Signal.integers($0) + [Int16](repeating: 0, count: count - $0.count) }
    try Data(WaveFile.bytes(channels, sampleRate: sampleRate)).write(to: URL(filePath: path))
    return MediaEntry(path)
}
