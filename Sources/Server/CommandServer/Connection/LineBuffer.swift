private import Glibc
internal import NIOCore

/// Bytes as they come from a client, given out line by line.
struct LineBuffer {
    private var bytes: ByteBuffer

    init(_ bytes: ByteBuffer = ByteBuffer()) { self.bytes = bytes }

    /// In bytes.
    var size: Int { bytes.readableBytes }

    mutating func append(_ more: ByteBuffer) {
        if bytes.readableBytes == 0 { bytes = more } else { bytes.writeImmutableBuffer(more) }
    }

    /// Takes out all bytes.
    mutating func takeAll() -> ByteBuffer {
        defer { bytes = ByteBuffer() }
        return bytes
    }

    /// Takes out the bytes before the next line feed, and that; `nil` when there is none.
    mutating func readLine() -> [UInt8]? {
        guard let line = unsafe bytes.withUnsafeReadableBytes({ unsafe firstLine(of: $0) }) else { return nil }
        bytes.moveReaderIndex(forwardBy: line.count + 1)
        if bytes.readableBytes == 0 {
            // Given back, so that the next bytes are read into it.
            bytes = ByteBuffer()
        } else if bytes.readerIndex > Self.mostReadBytes {
            bytes.discardReadBytes()
        }
        return line
    }

    /// Bytes that were read and stay before the others, until those are moved to the front.
    private static let mostReadBytes = 256 * 1024
}

private func firstLine(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let start = bytes.baseAddress, let end = unsafe memchr(start, 0x0a, bytes.count) else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start))
}
