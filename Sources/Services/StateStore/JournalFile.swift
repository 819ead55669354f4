import Files

/// A journal's file.
///
/// All methods may block.
struct JournalFile: ~Copyable {
    let path: String
    /// The length of the complete records; anything after them is overwritten.
    private(set) var size = 0
    private var file: Descriptor?

    /// In bytes; this program never writes larger files.
    private static let limit = 1 << 30

    init(path: String) { self.path = path }

    // MARK: Reading

    /// Reads the records, and moves a damaged file aside.
    mutating func load(_ take: (Record) -> Void) -> [StateProblem] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try fileContents(path, atMost: Self.limit)
        } catch {
            guard error != .noSuchFile else { return [] }
            let aside = damagedName(for: path)
            let isMoved = (try? AtomicFile.rename(path, to: aside)) != nil
            return [.cannotRead(path: path, error.number, asideAs: isMoved ? aside : nil)]
        }
        let end: JournalText.End
        (size, end) = JournalText.parse(bytes, take)
        switch end {
        case .whole: return []
        case .torn: return [.tornTail(path: path)]
        case .damaged(let line): return [.damaged(path: path, line: line, asideAs: setAside(bytes))]
        }
    }

    /// Saves a damaged file under another name, and only then writes its valid beginning under its own.
    private func setAside(_ bytes: [UInt8]) -> String? {
        let aside = damagedName(for: path)
        do throws(SystemError) {
            try replaceFile(aside, with: bytes)
            try replaceFile(path, with: Array(bytes[..<size]))
            return aside
        } catch {
            // The next record that is written truncates the file after its valid beginning.
            return nil
        }
    }

    // MARK: Writing

    /// Appends bytes with one write, and returns once they are on the disk.
    mutating func append(_ bytes: [UInt8]) throws(StateProblem) {
        do throws(SystemError) {
            if file == nil { file = try reopened() }
            if try file?.status.nameCount == 0 {
                file = nil
                throw .stale
            }
            do throws(SystemError) {
                try file?.write(bytes, at: size)
                try file?.syncBytes()
            } catch {
                // A partial record would look like damage after a restart.
                try? file?.truncate(to: size)
                throw error
            }
        } catch {
            throw error == .stale ? .vanished(path: path) : .cannotWrite(path: path, error.number)
        }
        size += bytes.count
    }

    private func reopened() throws(SystemError) -> Descriptor {
        let isNew = !fileExists(path)
        if isNew, size > 0 { throw .stale }
        let file = try Descriptor(path, .changing)
        if try file.status.size > size { try file.truncate(to: size) }
        if isNew { try AtomicFile.syncFolder(of: path) }
        return file
    }

    /// Replaces the file, or removes it if there are no records.
    mutating func replace(with bytes: [UInt8]) throws(StateProblem) {
        do throws(SystemError) {
            if bytes.isEmpty { try removeFile(path) } else { try replaceFile(path, with: bytes) }
        } catch {
            throw .cannotCompact(path: path, error.number)
        }
        file = nil
        size = bytes.count
    }
}

/// Replaces a file that only one process writes.
func replaceFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    try AtomicFile.write(bytes, to: path, access: .onlyOwner, temporarySuffix: ".new")
}

/// Removes a file durably; a missing file is not an error.
func removeFile(_ path: String) throws(SystemError) {
    do { try AtomicFile.remove(path) } catch { if error != .noSuchFile { throw error } }
}
