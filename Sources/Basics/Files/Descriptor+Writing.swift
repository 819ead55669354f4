private import Glibc

extension Descriptor {
    /// Writes all bytes where writing ended; waits where the other end of a pipe is slow.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.write(number, base + done, buffer.count - done)
            }
            if count > 0 {
                done += count
            } else if count == 0 {
                throw SystemError(ENOSPC)
            } else if errno == EAGAIN {
                // Another process made the descriptor that it shares with us non-blocking.
                Readiness.writable(number).wait()
            } else if errno != EINTR {
                throw .current
            }
        }
    }

    /// Writes all bytes at a place, in bytes from the beginning.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe pwrite(number, base + done, buffer.count - done, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw count == 0 ? SystemError(ENOSPC) : .current }
            done += count
        }
    }

    /// Writes all bytes at the end of a file opened for appending, or none of them.
    ///
    /// - Parameter size: The file's before, in bytes.
    package func append(_ bytes: [UInt8], behind size: Int) throws(SystemError) {
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
        if count == bytes.count { return }
        // No more than a part fits.
        let error = count < 0 ? SystemError.current : SystemError(ENOSPC)
        if count > 0 { try? truncate(to: size) }
        throw error
    }

    package func truncate(to size: Int) throws(SystemError) {
        if ftruncate(number, off_t(size)) != 0 { throw .current }
    }

    package func setPermissions(_ permissions: UInt32) throws(SystemError) {
        if fchmod(number, mode_t(permissions)) != 0 { throw .current }
    }

    /// Returns when the bytes and all metadata are on the disk.
    package func sync() throws(SystemError) { if fsync(number) != 0 { throw .current } }

    /// Returns when the bytes are on the disk, with the metadata that reading them needs.
    package func syncBytes() throws(SystemError) { if fdatasync(number) != 0 { throw .current } }
}
