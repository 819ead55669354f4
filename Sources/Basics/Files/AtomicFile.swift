private import Glibc

/// Writes files that are either the old one or the new one, whatever happens meanwhile, also when the power goes.
///
/// A file that was written without an error is on the disk.
package enum AtomicFile {
    /// The users that may read a file.
    package enum Access: Sendable {
        case onlyOwner
        /// The users who could read the replaced file; for a new one, the umask decides.
        case asBefore
    }

    /// Puts a file with these bytes in the place of `path`.
    ///
    /// A link stays one: what it leads to is replaced.
    ///
    /// - Parameters:
    ///   - isNew: Whether there must not be one yet; fails with ``SystemError/exists``.
    ///   - suffix: Follows the path in the name of the file that is written first. With one, a process that is killed meanwhile
    ///     leaves at most that file, and only one process may write the path at a time; without, several may.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        access: Access,
        isNew: Bool = false,
        temporarySuffix suffix: String? = nil
    ) throws(SystemError) {
        let path = isNew ? path : realPath(of: path) ?? path
        let temporary = path + (suffix ?? ".\(UInt32.random(in: 0 ... .max)).tmp")
        if suffix != nil { unsafe unlink(temporary) }
        let file = try Descriptor(temporary, .new(permissions: access == .onlyOwner ? 0o600 : 0o666))
        do throws(SystemError) {
            if let old = try? FileStatus(of: path).permissions {
                // A file system without permissions refuses.
                try? file.setPermissions(access == .onlyOwner ? old & 0o700 | 0o600 : old & 0o777)
            }
            try file.write(bytes)
            try file.sync()
            if isNew { try moveToNew(temporary, path) } else { try replace(path, by: temporary) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        try syncFolder(of: path)
    }

    /// Makes a file that several calls write: it has its name only when `body` has returned.
    ///
    /// Unlike with `write`, nothing waits for the disk: such a file can be made again. A process that is killed meanwhile
    /// leaves nothing of a new file, where the file system has files without names.
    ///
    /// - Parameter isNew: Whether there must not be one yet; fails with ``SystemError/exists``.
    package static func make<Value>(
        _ path: String,
        isNew: Bool,
        _ body: (borrowing Descriptor) throws -> Value
    ) throws -> Value {
        if isNew, let file = try? Descriptor(folder(of: path), .unnamed(permissions: 0o666)) {
            let value = try body(file)
            try file.give(name: path)
            return value
        }
        let temporary = path + ".\(UInt32.random(in: 0 ... .max)).tmp"
        let file = try Descriptor(temporary, .new(permissions: 0o666))
        do {
            let value = try body(file)
            if isNew { try moveToNew(temporary, path) } else { try replace(path, by: temporary) }
            return value
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Renames a file to a name that must be free; fails with ``SystemError/exists``.
    package static func rename(_ path: String, toNew other: String) throws(SystemError) {
        try moveToNew(path, other)
        try syncFolder(of: other)
    }

    /// Renames a file, in place of another one of that name.
    package static func rename(_ path: String, to other: String) throws(SystemError) {
        try replace(other, by: path)
        try syncFolder(of: other)
    }

    package static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .current }
        try syncFolder(of: path)
    }

    /// Removes a file that can be made again: nothing waits for the disk.
    package static func removeUnsynced(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 else { throw .current }
    }

    /// Makes the names of files in a path's folder last.
    package static func syncFolder(of path: String) throws(SystemError) {
        do {
            try Descriptor(folder(of: path), .folder).sync()
        } catch {
            // File systems that know no such thing, as some of other computers.
            guard error.number == EINVAL || error.number == EOPNOTSUPP else { throw error }
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func moveToNew(_ path: String, _ other: String) throws(SystemError) {
        // A link is refused when the name is taken, at once; then the old name goes.
        if unsafe link(path, other) == 0 {
            unsafe unlink(path)
            return
        }
        guard [EPERM, EOPNOTSUPP, EMLINK, ENOSYS].contains(errno) else { throw .current }
        // File systems without hard links: there is a moment between the two.
        var status = stat()
        guard unsafe lstat(other, &status) != 0 else { throw .exists }
        try replace(other, by: path)
    }

    private static func replace(_ path: String, by other: String) throws(SystemError) {
        guard unsafe Glibc.rename(other, path) == 0 else { throw .current }
    }
}

extension Descriptor {
    /// Gives a file that has none a name, which must be free (open(2), `O_TMPFILE`).
    fileprivate func give(name: String) throws(SystemError) {
        guard unsafe linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else { throw .current }
    }
}
