private import Foundation
private import Glibc
private import Synchronization

/// A folder of a test's own with a short path, removed when the last reference goes or the process exits.
///
/// Everybody may traverse it, so that a server of another user can be given a place inside. What a crashed test run
/// left behind is removed by a later one.
package final class TemporaryFolder: Sendable {
    package let path: String

    private static let next = Atomic(0)
    private static let living = Mutex<Set<String>>([])
    private static let prepared: Void = {
        removeLeftovers()
        _ = atexit { TemporaryFolder.removeAll() }
    }()

    package init() throws {
        Self.prepared
        let number = Self.next.wrappingAdd(1, ordering: .relaxed).newValue
        path = "/tmp/segue-\(getpid())-\(number)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        let path = path
        Self.living.withLock { _ = $0.insert(path) }
    }

    deinit {
        let path = path
        Self.living.withLock { _ = $0.remove(path) }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something inside.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file inside and returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let target = file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        return target
    }

    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

    /// Makes a folder inside, whose owner is whom servers run as.
    package func makeFolder(_ name: String, permissions: Int = 0o755) throws -> String {
        let target = file(name)
        try FileManager.default.createDirectory(
            atPath: target,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: permissions]
        )
        if getuid() == 0 { _ = unsafe chown(target, ServerUser.id, ServerUser.group) }
        return target
    }

    /// Called at exit: what a static keeps alive never sees its `deinit`.
    private static func removeAll() {
        for path in living.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Removes folders of processes that ended long ago without removing them.
    private static func removeLeftovers() {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: "/tmp")) ?? [] {
            let parts = name.split(separator: "-")
            guard parts.count == 3, parts[0] == "segue", let owner = Int32(parts[1]), Int(parts[2]) != nil else {
                continue
            }
            let path = "/tmp/\(name)"
            let modified = (try? manager.attributesOfItem(atPath: path))?[.modificationDate] as? Date
            guard let modified, modified.timeIntervalSinceNow < -3600, kill(owner, 0) != 0, errno == ESRCH else {
                continue
            }
            try? manager.removeItem(atPath: path)
        }
    }
}

/// Whom servers run as when the tests are run by root: PulseAudio refuses to serve as root.
package enum ServerUser {
    /// `nobody`, on every Linux.
    package static let id: UInt32 = 65534
    static let group: UInt32 = 65534

    /// setpriv(1)'s.
    static let options = ["--reuid=\(id)", "--regid=\(group)", "--clear-groups"]

    /// The words that run a program as it; only root may.
    static func command(_ words: [String]) -> [String] { ["setpriv"] + options + ["--"] + words }
}
