internal import AudioTypes
internal import Files
private import Glibc
private import MediaHeaders
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
            var done = 0
            while done < count, let base = buffer.baseAddress {
                let got = unsafe pread(file.number, base + done, count - done, off_t(offset + done))
                if got < 0 && errno == EINTR { continue }
                if got <= 0 { break }
                done += got
            }
            return done
        }
    }

    /// The exact length of an MP3 file that does not say it, by reading all of it; `nil` for others.
    func measuredDuration(_ interrupt: Interrupt) -> MediaTime? {
        var measurer = MPEGMeasurer()
        guard case .exact(let seconds) = measurer.measure(file.number, size: size, goesOn: { !interrupt.isRaised })
        else { return nil }
        return MediaTime(seconds: seconds)
    }

    /// The loudness corrections in the `RVA2` frames of an ID3v2 tag, which libavformat does not read.
    var id3v2Volumes: ReplayGain {
        var reader = TagReader(file.number, size: size)
        return reader.id3v2Volumes()
    }

    let isLocal = true

    func seconds(toRead count: Int) -> Double { 0 }
}

extension [UInt8] {
    /// The big-endian number of `count` bytes at `offset`; 0 if any of them is missing.
    func bigEndian(at offset: Int, count: Int) -> UInt64 {
        guard offset >= 0, count <= 8, offset + count <= self.count else { return 0 }
        var value: UInt64 = 0
        for byte in self[offset..<offset + count] { value = value << 8 | UInt64(byte) }
        return value
    }
}
