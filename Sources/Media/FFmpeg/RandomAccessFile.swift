internal import AudioTypes
private import Glibc

/// A local file's bytes.
final class RandomAccessFile: ByteAccess {
    private let descriptor: Int32
    /// In bytes.
    let size: Int

    /// Opens a regular file; `nil` for anything else and when it cannot be opened.
    init?(path: FilePath) {
        let descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int {
        precondition(count <= bytes.count, "reads into its buffer")
        return unsafe bytes.withUnsafeMutableBytes { buffer in
            var done = 0
            while done < count, let base = buffer.baseAddress {
                let got = unsafe pread(descriptor, base + done, count - done, off_t(offset + done))
                if got < 0 && errno == EINTR { continue }
                if got <= 0 { break }
                done += got
            }
            return done
        }
    }

    let isLocal = true

    func seconds(toRead count: Int) -> Double { 0 }
}

extension [UInt8] {
    /// The big-endian number of `count` bytes at `offset`; 0 when they are not all there.
    func bigEndian(at offset: Int, count: Int) -> UInt64 {
        guard offset >= 0, count <= 8, offset + count <= self.count else { return 0 }
        var value: UInt64 = 0
        for byte in self[offset..<offset + count] { value = value << 8 | UInt64(byte) }
        return value
    }
}
