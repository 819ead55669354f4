internal import AudioTypes
internal import Glibc

/// Writes files that are either the old one or the new one, whatever happens meanwhile.
enum AtomicFile {
    enum Failure: Error {
        case system(Int32)
        case exists
    }

    /// Puts a file with these bytes in the place of `path`.
    ///
    /// - Parameter isNew: Whether there must not be one yet.
    static func write(_ bytes: [UInt8], to path: String, isNew: Bool) throws(Failure) {
        // A link stays one: what it leads to is written.
        let path = isNew ? path : target(of: path)
        let temporary = "\(path).\(UInt32.random(in: 0 ... .max)).tmp"
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(errno) }
        var isInPlace = false
        defer {
            close(descriptor)
            if !isInPlace { unsafe unlink(temporary) }
        }
        var status = stat()
        if unsafe stat(path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
        try fill(descriptor, bytes)
        guard fsync(descriptor) == 0 else { throw .system(errno) }
        if isNew {
            try rename(temporary, toNew: path)
        } else {
            guard unsafe Glibc.rename(temporary, path) == 0 else { throw .system(errno) }
        }
        isInPlace = true
        syncDirectory(of: path)
    }

    /// Renames a file to a name that must be free.
    static func rename(_ path: String, toNew other: String) throws(Failure) {
        // A link is refused when the name is taken, at once; then the old name goes.
        if unsafe link(path, other) == 0 {
            unsafe unlink(path)
            return
        }
        guard errno != EEXIST else { throw .exists }
        guard errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK || errno == ENOSYS else { throw .system(errno) }
        // File systems without hard links: there is a moment between the two.
        var status = stat()
        guard unsafe lstat(other, &status) != 0 else { throw .exists }
        guard unsafe Glibc.rename(path, other) == 0 else { throw .system(errno) }
    }

    /// Makes a new name or a removal last.
    static func syncDirectory(of path: String) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.write(descriptor, base + done, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(count == 0 ? EIO : errno) }
            done += count
        }
    }

    private static func target(of path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(validatingCString: real) ?? path
    }
}
