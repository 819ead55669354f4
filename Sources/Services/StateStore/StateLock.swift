import Files
private import Glibc

/// Locks a folder for one process; the lock ends with this value, or with the process however it ends.
package struct StateLock: ~Copyable {
    private let file: Descriptor

    private init(adopting file: consuming Descriptor) { self.file = file }

    /// - Throws: `inUse` when another process holds the lock; `cannotLock` when the folder cannot be locked, as on a
    ///   read-only disk: then the caller may continue without.
    package static func acquire(folder: String) throws(StateProblem) -> StateLock {
        let path = folder + "/lock"
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(path, .changing)
        } catch {
            throw .cannotLock(path: path, error.number)
        }
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw .cannotLock(path: path, code) }
            let text = (try? file.bytes(at: 0, count: 64)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw .inUse(folder: folder, pid: Int32(text.prefix { $0.isNumber }))
        }
        // The process id is for people to read; the lock does not depend on it.
        try? file.write(Array("\(getpid())\n          ".utf8), at: 0)
        return StateLock(adopting: file)
    }
}
