internal import AudioTypes
internal import Files
private import Glibc
internal import MediaHeaders
internal import TextEncodings
internal import Threads

/// Random access to a local file.
final class RandomAccessFile: ByteAccess {
    private let file: Descriptor
    /// In bytes.
    let size: Int

    /// Opens a regular file; `nil` for other files and on failure.
    init?(path: FilePath) {
        // A FIFO's writer must not meet a reader here that goes away again.
        guard (try? FileStatus(of: path))?.kind == .file, let file = try? Descriptor(path, .reading),
            let status = try? file.status, status.kind == .file
        else { return nil }
        self.file = file
        size = status.size
    }

    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int {
        precondition(count <= bytes.count, "reads into its buffer")
        return unsafe bytes.withUnsafeMutableBytes { buffer in
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            return unsafe read(into: part, at: offset).count
        }
    }

    /// - Returns: The bytes read, fewer than asked for at the end or after an error, and the error's number, else 0.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> (count: Int, failure: Int32) {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let got = unsafe pread(file.number, base + done, buffer.count - done, off_t(offset + done))
            if got < 0 && errno == EINTR { continue }
            if got < 0 { return (done, errno) }
            if got == 0 { break }
            done += got
        }
        return (done, 0)
    }

    /// The exact length of an MP3 file that does not say it, by reading all of it; `nil` for others.
    ///
    /// - Parameter patience: Seconds after which it is given up; `nil` for no limit.
    func measuredDuration(_ interrupt: Interrupt, patience: Double? = nil) -> MediaTime? {
        let end = patience.map { HostTime.now + $0 }
        var measurer = MPEGMeasurer()
        let length = measurer.measure(file.number, size: size) {
            !interrupt.isRaised && end.map { $0 > .now } ?? true
        }
        guard case .exact(let seconds) = length else { return nil }
        return MediaTime(seconds: seconds)
    }

    /// The loudness corrections that libavformat does not read: in an APE tag behind other tags, and in the `RVA2` frames of an
    /// ID3v2 tag.
    var unreadGain: ReplayGain {
        var reader = TagReader(file.number, size: size)
        var gain = reader.tailGain()
        gain.fillIn(reader.id3v2Volumes())
        return gain
    }

    /// The chapters in an ID3v2 tag.
    var id3v2Chapters: [Chapter] {
        var reader = TagReader(file.number, size: size)
        return reader.id3v2Chapters()
    }

    let isLocal = true

    func seconds(toRead count: Int) -> Double { 0 }
}

extension [UInt8] {
    /// The big-endian number of `count` bytes at `offset`; 0 if any of them is missing.
    func bigEndian(at offset: Int, count: Int) -> UInt64 {
        guard offset >= 0, count <= 8, offset + count <= self.count else { return 0 }
        return UInt64(bigEndian: self[offset..<offset + count])
    }
}
