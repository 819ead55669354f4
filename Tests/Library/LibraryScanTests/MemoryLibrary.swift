import AudioTypes
import LibraryScan
import MediaHeaders
import Songs
import Synchronization

/// A library in memory, which holds the scanner to its promises.
final class MemoryLibrary: LibrarySink {
    struct State {
        var folders: [String: KnownFolder] = [:]
        var covers: [String: String] = [:]
        var problems: [String: String] = [:]
        var rows: [String: ScannedFile] = [:]
        var batches = 0
        var questions = 0
        /// Files that were given to it, in order.
        var taken: [String] = []
    }

    private let state = Mutex(State())
    private let check: @Sendable (Int, ScanBatch) throws -> Void

    /// - Parameter check: Gets each batch and its number, and may refuse it.
    init(check: @escaping @Sendable (Int, ScanBatch) throws -> Void = { _, _ in }) { self.check = check }

    var current: State { state.withLock(\.self) }
    var files: [String] { current.rows.keys.sorted() }

    func folders() -> [ExactText: KnownFolder] {
        let folders = current.folders.map { (ExactText($0.key), $0.value) }
        return Dictionary(uniqueKeysWithValues: folders)
    }

    func known(in directory: String) -> [ExactText: KnownFile] {
        state.withLock { state in
            state.questions += 1
            var known: [ExactText: KnownFile] = [:]
            for (uri, row) in state.rows where folder(of: uri) == directory {
                let name = String(directory.isEmpty ? uri[...] : uri.dropFirst(directory.count + 1))
                known[ExactText(name)] = KnownFile(size: row.size, modified: row.modified, inode: row.inode)
            }
            return known
        }
    }

    func store(_ batch: ScanBatch) throws {
        let number = state.withLock { state in
            state.batches += 1
            return state.batches
        }
        try check(number, batch)
        state.withLock { state in
            for file in batch.files {
                state.rows[file.uri] = file
                state.taken.append(file.uri)
                let folder = folder(of: file.uri)
                if state.folders[folder] == nil { state.folders[folder] = KnownFolder(fingerprint: .none) }
            }
            for uri in batch.removedFiles { state.rows[uri] = nil }
            for uri in batch.removedFolders {
                for key in state.rows.keys where key.hasPrefix(uri + "/") { state.rows[key] = nil }
                for key in state.folders.keys where key == uri || key.hasPrefix(uri + "/") { state.folders[key] = nil }
            }
            for folder in batch.folders {
                state.folders[folder.uri] = KnownFolder(
                    fingerprint: folder.fingerprint,
                    isMountPoint: folder.isMountPoint,
                    modified: Int(folder.modified / 1_000_000_000)
                )
                state.covers[folder.uri] = folder.cover
                state.problems[folder.uri] = folder.problem
            }
        }
    }

    func pretend(_ uri: String, _ folder: KnownFolder) { state.withLock { $0.folders[uri] = folder } }

    private func folder(of uri: String) -> String { uri.lastIndex(of: "/").map { String(uri[..<$0]) } ?? "" }
}

/// Knows nothing about media.
struct NoExaminer: MediaExaminer {
    func examine(_ path: FilePath, into file: inout ScannedFile) { file.problem = "unknown" }
    func addChapters(_ path: FilePath, to file: inout ScannedFile) {
        file.chapters = [Chapter(title: "one", start: .zero, end: MediaTime(seconds: 1))]
    }
    func breakOff() {}
}
