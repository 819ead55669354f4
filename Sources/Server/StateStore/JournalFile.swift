import Glibc

/// A journal's file.
///
/// Everything here may block.
struct JournalFile: ~Copyable {
    let path: String
    /// How much of it are whole records; what lies behind is written over.
    private(set) var size = 0
    private var file: OpenFile?

    init(path: String) { self.path = path }

    // MARK: Reading

    /// Reads the records, and puts a damaged file aside.
    mutating func load(_ take: (Record) -> Void) -> [StateProblem] {
        let bytes: [UInt8]
        do throws(SystemFailure) {
            bytes = try OpenFile(path, O_RDONLY).readAll()
        } catch {
            guard error.code != ENOENT else { return [] }
            let aside = damagedName(for: path)
            let isMoved = unsafe rename(path, aside) == 0
            return [.cannotRead(path: path, error.code, asideAs: isMoved ? aside : nil)]
        }
        let end: JournalText.End
        (size, end) = JournalText.parse(bytes, take)
        switch end {
        case .whole: return []
        case .torn: return [.tornTail(path: path)]
        case .damaged(let line): return [.damaged(path: path, line: line, asideAs: setAside(bytes))]
        }
    }

    /// Keeps a damaged file under another name, and only then its good beginning under its own.
    private func setAside(_ bytes: [UInt8]) -> String? {
        let aside = damagedName(for: path)
        do throws(SystemFailure) {
            try replaceFile(aside, with: bytes)
            try replaceFile(path, with: Array(bytes[..<size]))
            return aside
        } catch {
            // What follows the good beginning is cut off when the next record is written.
            return nil
        }
    }

    // MARK: Writing

    /// Adds bytes with one write, and returns when they are on the disk.
    mutating func append(_ bytes: [UInt8]) throws(StateProblem) {
        do throws(SystemFailure) {
            if file == nil { file = try reopened() }
            if let isNamed = try file?.status().isNamed, !isNamed {
                file = nil
                throw SystemFailure(code: ESTALE)
            }
            do throws(SystemFailure) {
                try file?.write(bytes, at: size)
                try file?.sync(wholly: false)
            } catch {
                // Half a record would look like damage after a restart.
                try? file?.truncate(to: size)
                throw error
            }
        } catch {
            throw error.code == ESTALE ? .vanished(path: path) : .cannotWrite(path: path, error.code)
        }
        size += bytes.count
    }

    private func reopened() throws(SystemFailure) -> OpenFile {
        let isNew = unsafe access(path, F_OK) != 0
        if isNew, size > 0 { throw SystemFailure(code: ESTALE) }
        let file = try OpenFile(path, O_RDWR | O_CREAT)
        if try file.status().size > size { try file.truncate(to: size) }
        if isNew { try syncFolder(of: path) }
        return file
    }

    /// Puts a new file in its place.
    mutating func replace(with bytes: [UInt8]) throws(StateProblem) {
        do throws(SystemFailure) {
            try replaceFile(path, with: bytes)
        } catch {
            throw .cannotCompact(path: path, error.code)
        }
        file = nil
        size = bytes.count
    }
}
