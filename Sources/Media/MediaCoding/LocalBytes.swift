internal import AudioTypes
internal import MediaHeaders

/// A local file for libavformat where its headers mislead, where tags follow its sound, or of which only a part is wanted.
///
/// All others are read by libavformat itself.
final class LocalBytes: ByteInput {
    private let file: RandomAccessFile
    /// The offset in the file of the first byte.
    private let start: Int
    /// The number of bytes up to the sound's end.
    private let soundSize: Int
    /// The number of bytes that are read.
    private var size: Int
    private let corrections: [SoundExtent.Correction]
    private var position = 0

    /// Opens a regular file; `nil` when libavformat needs no help with it.
    init?(_ entry: MediaEntry) {
        guard let file = entry.filePath.flatMap(RandomAccessFile.init(path:)), let extent = SoundExtent(of: file),
            // Samples that are only counted are no reason.
            extent.end < file.size || !extent.corrections.isEmpty
        else { return nil }
        self.file = file
        (start, soundSize, corrections) = (0, extent.end, extent.corrections)
        size = corrections.isEmpty ? file.size : soundSize
    }

    /// A part of a file, which is a medium by itself.
    init(_ file: RandomAccessFile, _ range: Range<Int>) {
        self.file = file
        (start, soundSize, size, corrections) = (range.lowerBound, range.count, range.count, [])
    }

    /// Makes the sound's end that of the file; before, libavformat may look for tags behind it.
    func endWithSound() { size = soundSize }

    /// The system's refusal to read.
    struct ReadError: Error {
        /// As libavformat gives it: the negative error number.
        let code: Int32
    }

    var seekableSize: Int? { size }

    func seek(to offset: Int) { position = offset }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = max(0, min(buffer.count, size - position))
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        let (got, failure) = unsafe file.read(into: part, at: start + position)
        guard got > 0 || failure == 0 else { throw ReadError(code: -failure) }
        for correction in corrections { unsafe correct(part, by: correction) }
        position += got
        return got
    }

    private func correct(_ bytes: UnsafeMutableRawBufferPointer, by correction: SoundExtent.Correction) {
        for (index, byte) in correction.bytes.enumerated() {
            let place = correction.offset + index - position
            if bytes.indices.contains(place) { unsafe bytes[place] = byte }
        }
    }
}
