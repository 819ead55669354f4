internal import Files
private import Glibc

/// Accepts frames as fast as it can: an encoded file, a pipe, or nothing at all.
package protocol FrameSink: AnyObject {
    /// Writes `bytes`, a whole number of frames. May block; called from one thread only.
    ///
    /// - Throws: An error that ends the output, with a description for people.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Completes the output. Called once, after the last write.
    func finish() throws
}

/// Discards frames, to measure decoding and to check that files decode (`null:fast`).
package final class FastNullSink: FrameSink {
    package init() {}
    package func write(_ bytes: UnsafeRawBufferPointer) {}
    package func finish() {}
}

/// Writes raw PCM to a pipe, a FIFO or any file descriptor.
package final class PipeSink: FrameSink {
    /// Why frames cannot be written.
    package struct Failure: Error, CustomStringConvertible {
        let path: String
        let code: Int32
        package var description: String { unsafe "\(path): \(String(cString: strerror(code)))" }
    }

    private let descriptor: Int32
    private let path: String
    private let closes: Bool

    /// Opens `path` for writing, or uses standard output for `-`.
    ///
    /// Blocks until a FIFO has a reader.
    ///
    /// - Throws: `Failure`.
    package init(path: String) throws {
        self.path = path == "-" ? "standard output" : path
        closes = path != "-"
        descriptor = path == "-" ? STDOUT_FILENO : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    }

    deinit { if closes { close(descriptor) } }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = unsafe Glibc.write(descriptor, base + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                Readiness.writable(descriptor).wait()
            } else if errno != EINTR {
                throw Failure(path: path, code: errno)
            }
        }
    }

    package func finish() {}
}
