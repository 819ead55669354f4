internal import AudioTypes
internal import Files

/// A file that is open for reading.
///
/// No read waits without a limit, whatever kind of file it is.
struct OpenFile: ~Copyable {
    private let file: Descriptor
    /// A pipe without a writer yet reads as if at its end; polling it waits.
    private let waitsFirst: Bool
    let status: FileStatus

    /// Opens a file without waiting, also a pipe without a writer.
    init(_ name: FileName) throws(SystemError) {
        let file = try Descriptor(name.path, .reading)
        status = try file.status
        waitsFirst = status.kind == .pipe
        self.file = file
    }

    /// A descriptor that stays open, such as standard input.
    init(borrowing number: Int32) throws(SystemError) {
        let file = Descriptor(borrowing: number)
        status = try file.status
        waitsFirst = false
        self.file = file
    }

    /// Reads up to `limit` bytes, fewer only at the end.
    ///
    /// - Parameter patience: How long a pipe may be silent, in seconds; `nil` waits without a limit.
    func read(upTo limit: Int, patience: Double?) throws(ReadError) -> [UInt8] {
        if waitsFirst { try wait(patience) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
        while content.count < limit {
            let count: Int?
            do { count = try file.read(into: &buffer, atMost: limit - content.count) } catch { throw .system(error) }
            if count == 0 { break }
            if let count { content += buffer[..<count] } else { try wait(patience) }
        }
        return content
    }

    private func wait(_ patience: Double?) throws(ReadError) {
        guard Readiness.readable(file.number).wait(until: patience.map { .now + $0 }) else { throw .silent }
    }
}

enum ReadError: Error {
    case system(SystemError)
    /// Nothing came within the time allowed.
    case silent
}

extension FileName {
    var path: FilePath {
        get throws(SystemError) {
            guard let path = FilePath(bytes: bytes) else { throw .noSuchFile }
            return path
        }
    }
}

extension FileStatus {
    init(of file: FileName) throws(SystemError) { try self.init(of: file.path) }
}

/// A directory's entries but `.` and `..`, in its own order; without a kind for links and where the file system gives none.
func contents(of directory: FileName) throws(SystemError) -> [(name: [UInt8], kind: FileStatus.Kind?)] {
    var entries: [(name: [UInt8], kind: FileStatus.Kind?)] = []
    try Descriptor(directory.path, .folder).forEachEntry { entry in
        entries.append((entry.name, entry.kind == .link ? nil : entry.kind))
    }
    return entries
}
