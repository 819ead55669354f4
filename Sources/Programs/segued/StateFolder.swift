import Files
import Glibc
import Settings
import StateStore

/// The state folder, locked against other processes.
struct StateFolder: ~Copyable {
    private let lock: StateLock?

    private init(_ lock: consuming StateLock?) { self.lock = lock }

    /// Locks the folder, creating it if necessary.
    ///
    /// On a read-only disk, the daemon runs without it: it plays, and forgets changes.
    ///
    /// - Throws: `StateProblem.inUse`.
    static func acquire(_ path: String, _ log: Log) throws(StateProblem) -> StateFolder {
        do {
            makeFolders(path)
            return StateFolder(try StateLock.acquire(folder: path))
        } catch .cannotLock(let file, let code) {
            let problem =
                obstacle(to: path).map { "cannot write to \($0.path): \($0.reason)" }
                ?? "cannot lock \(file): \(SystemError(code))"
            log.write(.error, "\(problem); changes will be lost unless --state-dir is elsewhere")
            return StateFolder(nil)
        }
    }

    /// The folder in which a path cannot be created.
    private static func obstacle(to path: String) -> (path: String, reason: String)? {
        var place = path
        while !fileExists(place), let slash = place.lastIndex(of: "/"), slash != place.startIndex {
            place = String(place[..<slash])
        }
        guard unsafe access(place, W_OK | X_OK) != 0 else { return nil }
        return (place, SystemError.current.description)
    }
}
