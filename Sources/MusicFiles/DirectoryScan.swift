internal import AudioTypes
internal import Glibc

/// One file of a directory.
struct FoundFile {
    let name: String
    let state: FileState
    /// Whether the name itself is a link.
    let isLink: Bool
}

/// What is in one directory: every file's name and state, looked up below the opened directory.
///
/// Names that are not UTF-8 or hold a line feed cannot go over the protocol and are left out, as MPD does.
struct DirectoryScan {
    private(set) var files: [FoundFile] = []
    let state: FileState

    /// - Parameters:
    ///   - uri: The directory's.
    ///   - isWanted: Whether a file of that name is looked at.
    init(
        _ music: MusicDirectory,
        _ uri: String,
        where isWanted: (String) -> Bool = { _ in true }
    ) throws(MusicFilesError) {
        let directory = try music.open(uri, O_RDONLY | O_DIRECTORY)
        guard let state = directory.state else { throw .system(errno, uri) }
        self.state = state
        // closedir closes its descriptor, so it gets its own.
        let duplicate = fcntl(directory.number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { throw .system(errno, uri) }
        guard let stream = unsafe fdopendir(duplicate) else {
            let number = errno
            close(duplicate)
            throw .system(number, uri)
        }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            guard let name = unsafe Self.name(of: entry), name != ".", name != "..", !name.utf8.contains(0x0a),
                isWanted(name)
            else { continue }
            let isLink = unsafe Int(entry.pointee.d_type) != DT_REG && Int(entry.pointee.d_type) != DT_DIR
            if let file = Self.file(name, in: directory, mayBeLink: isLink, music) { files.append(file) }
        }
    }

    private static func file(
        _ name: String,
        in directory: borrowing Descriptor,
        mayBeLink: Bool,
        _ music: MusicDirectory
    ) -> FoundFile? {
        var status = stat()
        guard unsafe fstatat(directory.number, name, &status, mayBeLink ? AT_SYMLINK_NOFOLLOW : 0) == 0 else {
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFLNK else {
            return FoundFile(name: name, state: FileState(status), isLink: false)
        }
        guard let file = Descriptor(below: directory, name), music.follows(linkTo: file), let state = file.state else {
            return nil
        }
        return FoundFile(name: name, state: state, isLink: true)
    }

    /// The name, without copying the array that the structure's type declares; `nil` when it is not UTF-8.
    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        return unsafe String(validatingCString: start)
    }
}

extension Descriptor {
    /// What a name in a directory leads to, without opening it for reading.
    fileprivate init?(below directory: borrowing Descriptor, _ name: String) {
        let number = unsafe openat(directory.number, name, pathOnly | O_CLOEXEC)
        guard number >= 0 else { return nil }
        self.init(adopting: number)
    }
}
