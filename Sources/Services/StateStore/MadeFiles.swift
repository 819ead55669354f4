private import CLinux
private import Files
private import Glibc
private import Synchronization

/// Files outside of the state folder that the process created and removes at its end, recorded so that the next process
/// recognizes them if this one is killed.
///
/// A file is identified by device, inode and birth time; where the file system keeps no birth time, no file is
/// recognized. Methods block.
package final class MadeFiles: Sendable {
    private let path: String
    /// Identities by path.
    private let known: Mutex<[String: String]>

    private static let mostFiles = 256
    /// In bytes: enough for the longest possible paths.
    private static let limit = mostFiles * 8192

    /// - Parameter path: The file of this list; if it cannot be written, the next process recognizes no files.
    package init(path: String) {
        self.path = path
        let bytes = (try? fileContents(path, atMost: Self.limit)) ?? []
        var known: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(Self.mostFiles) {
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard words.count == 2 else { continue }
            known[String(decoding: words[1], as: UTF8.self)] = String(decoding: words[0], as: UTF8.self)
        }
        self.known = Mutex(known)
    }

    /// Whether an open file is the one that this process or an earlier one created at a path.
    package func contains(_ file: String, _ descriptor: Int32) -> Bool {
        guard let identity = identity(descriptor) else { return false }
        return known.withLock { $0[file] == identity }
    }

    /// Adds a file that was just created.
    package func add(_ file: String, _ descriptor: Int32) {
        guard !file.utf8.contains(UInt8(ascii: "\n")), let identity = identity(descriptor) else { return }
        change { known in if known.count < Self.mostFiles { known[file] = identity } }
    }

    /// Removes a file from the list.
    package func remove(_ file: String) { change { $0[file] = nil } }

    /// Deletes all listed files that are still the same, and clears the list.
    package func removeAll() {
        for file in known.withLock({ Array($0.keys) }) {
            guard let place = try? Descriptor(file, .placeItself) else { continue }
            if contains(file, place.number) { unsafe unlink(file) }
        }
        change { $0 = [:] }
    }

    private func change(_ body: (inout [String: String]) -> Void) {
        known.withLock { known in
            let before = known
            body(&known)
            guard known != before else { return }
            // If the list cannot be written, the next process would not recognize the files: they are kept.
            guard !known.isEmpty else { return (try? removeFile(path)) ?? () }
            let lines = known.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }
            try? replaceFile(path, with: Array(lines.joined().utf8))
        }
    }

    private func identity(_ descriptor: Int32) -> String? {
        let born = segue_birth_time(descriptor)
        guard born != 0, let status = try? Descriptor(borrowing: descriptor).status else { return nil }
        return "\(status.device):\(status.inode):\(born)"
    }
}
