private import Glibc

extension Descriptor {
    /// The bytes from `offset` on, fewer than `count` only at the end.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: max(0, count))
        var done = 0
        while done < buffer.count {
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe pread(number, base + done, bytes.count - done, off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw .current }
            if got == 0 { break }
            done += got
        }
        buffer.removeLast(buffer.count - done)
        return buffer
    }

    /// Reads on from where reading ended, as much as is there now.
    ///
    /// - Parameter limit: In bytes.
    /// - Returns: How many bytes were read, 0 at the end; `nil` when nothing is there yet.
    package func read(into buffer: inout [UInt8], atMost limit: Int = .max) throws(SystemError) -> Int? {
        while true {
            let count = unsafe Glibc.read(number, &buffer, min(buffer.count, limit))
            if count >= 0 { return count }
            if errno == EAGAIN { return nil }
            if errno != EINTR { throw .current }
        }
    }

    /// All bytes of a regular file, or of one that the system makes up, such as `/proc/net/unix`.
    ///
    /// - Parameter limit: In bytes; a file that has more is refused with ``SystemError/tooLarge``.
    package func contents(atMost limit: Int) throws(SystemError) -> [UInt8] {
        let status = try status
        guard status.kind == .file else { throw status.kind == .folder ? .isFolder : .notAFile }
        guard status.size <= limit else { throw .tooLarge }
        var content: [UInt8] = []
        content.reserveCapacity(status.size)
        // The size is what a file that grows had, and 0 of one that the system makes up.
        var buffer = [UInt8](repeating: 0, count: min(max(status.size + 1, 4096), 1 << 18))
        while let count = try read(into: &buffer), count > 0 {
            content += buffer[..<count]
            guard content.count <= limit else { throw .tooLarge }
        }
        return content
    }
}

/// All bytes of a regular file.
///
/// - Parameter limit: In bytes; a file that has more is refused with ``SystemError/tooLarge``.
package func fileContents(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
    try Descriptor(path, .reading).contents(atMost: limit)
}
