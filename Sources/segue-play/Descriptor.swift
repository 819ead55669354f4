import Glibc

/// An open file, written to whole.
struct Descriptor: Sendable {
    let number: Int32

    static let standardOutput = Descriptor(number: STDOUT_FILENO)
    static let standardError = Descriptor(number: STDERR_FILENO)

    /// Writes all of `text`, at once if the other end takes it.
    ///
    /// - Returns: Whether it was written; `false` when nobody reads any more.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe writeAll(UnsafeRawBufferPointer($0)) }
    }

    /// Writes each line with its end, all of them at once.
    @discardableResult
    func writeLines(_ lines: [String]) -> Bool {
        lines.isEmpty || write(lines.map { $0 + "\n" }.joined())
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let chunk = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let count = unsafe Glibc.write(number, chunk.baseAddress, chunk.count)
            if count >= 0 {
                unsafe rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody made the shared descriptor non-blocking.
                var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&request, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
