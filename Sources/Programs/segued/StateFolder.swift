import Configuration
import Glibc
import StateStore

/// Where state is kept, and that nobody else keeps it there.
struct StateFolder: ~Copyable {
    private let lock: StateLock?

    private init(_ lock: consuming StateLock?) { self.lock = lock }

    /// Takes the folder, which is made if need be.
    ///
    /// On a disk that cannot be written, the daemon goes on without: it plays, and forgets what changes.
    ///
    /// - Throws: `StateProblem.inUse`.
    static func take(_ path: String, _ log: Log) throws(StateProblem) -> StateFolder {
        do {
            makeStateFolder(path)
            return StateFolder(try StateLock.take(folder: path))
        } catch .cannotLock(let file, let code) {
            let problem =
                obstacle(to: path).map { "cannot write to \($0.path): \($0.reason)" }
                ?? "cannot lock \(file): \(reason(code))"
            log.write(.error, "\(problem); what changes now is forgotten in the end, unless --state-dir is elsewhere")
            return StateFolder(nil)
        }
    }

    /// The folder that something cannot be made in.
    private static func obstacle(to path: String) -> (path: String, reason: String)? {
        var place = path
        while unsafe access(place, F_OK) != 0, let slash = place.lastIndex(of: "/"), slash != place.startIndex {
            place = String(place[..<slash])
        }
        guard unsafe access(place, W_OK | X_OK) != 0 else { return nil }
        return (place, reason(errno))
    }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
