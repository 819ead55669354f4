private import Glibc

/// Keeps a folder to one process; it ends with this value, or with the process however that ends.
package struct StateLock: ~Copyable {
    private let file: OpenFile

    private init(adopting file: consuming OpenFile) { self.file = file }

    /// - Throws: `inUse` when another process has it; `cannotLock` when that cannot be known, as on a disk that cannot
    ///   be written: then one may go on without.
    package static func take(folder: String) throws(StateProblem) -> StateLock {
        let path = folder + "/lock"
        let file: OpenFile
        do throws(SystemFailure) {
            file = try OpenFile(path, O_RDWR | O_CREAT)
        } catch {
            throw .cannotLock(path: path, error.code)
        }
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw .cannotLock(path: path, code) }
            let text = (try? file.readAll()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw .inUse(folder: folder, pid: Int32(text.prefix { $0.isNumber }))
        }
        // Who has it is for people to read; the lock itself does without.
        try? file.write(Array("\(getpid())\n          ".utf8), at: 0)
        return StateLock(adopting: file)
    }
}
