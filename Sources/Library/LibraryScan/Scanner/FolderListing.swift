private import Glibc

/// What is in one directory: the names and states of what a library may show.
struct FolderListing {
    struct Entry {
        /// Where the name is among all of them; a zero follows.
        var name: Range<Int>
        var kind: Kind
        var status: FileStatus
        /// Whether the name itself is a link.
        var isLink: Bool
    }

    enum Kind: Hashable {
        case folder
        case file(ScannedFile.Kind)
        case ignoreList
        /// Its name is no text, or holds a line feed: the protocol cannot speak of it.
        case unspeakable
    }

    /// What is there, but does not show what it is: a dead mount, or a link to where nobody may go.
    struct Failure {
        /// As in an entry.
        var name: Range<Int>
        /// What the name promises.
        var kind: Kind
        /// The system's.
        var number: Int32
    }

    private(set) var entries: [Entry] = []
    private(set) var failures: [Failure] = []
    private var names: [UInt8] = []

    /// - Returns: `nil` sets `errno`.
    init?(_ folder: OpenFolder, _ kinds: FileKinds, _ links: LinkRule) {
        // closedir closes its descriptor, so it gets its own.
        let duplicate = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        guard let stream = unsafe fdopendir(duplicate) else {
            let number = errno
            close(duplicate)
            errno = number
            return nil
        }
        defer {
            let number = errno
            unsafe closedir(stream)
            errno = number
        }
        unsafe rewinddir(stream)
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            unsafe add(entry, in: folder, kinds, links)
        }
        if errno != 0 { return nil }
        // Nothing shows what it is in a directory that may be read and not entered.
        if !failures.isEmpty, folder.link([0x2e, 0]) == nil { return nil }
    }

    var isEmpty: Bool { entries.isEmpty && failures.isEmpty }

    func name(of entry: Entry) -> ArraySlice<UInt8> { names[entry.name] }
    func name(of failure: Failure) -> ArraySlice<UInt8> { names[failure.name] }

    func cString(of entry: Entry) -> [CChar] { names[entry.name].map { CChar(bitPattern: $0) } + [0] }

    private mutating func add(
        _ entry: UnsafeMutablePointer<dirent>,
        in folder: OpenFolder,
        _ kinds: FileKinds,
        _ links: LinkRule
    ) {
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(entry).advanced(by: offset)
        let length = unsafe strlen(start.assumingMemoryBound(to: CChar.self))
        let name = unsafe UnsafeRawBufferPointer(start: start, count: length)
        let type = unsafe Int(entry.pointee.d_type)
        let begin = names.count
        unsafe names.append(contentsOf: name)
        let range = begin..<names.count
        names.append(0)
        if let kind = kind(of: names[range], type, kinds) {
            switch unsafe Self.look(at: start, folder, links) {
            case .seen(let status, let isLink):
                if let shown = Self.shown(kind, status) {
                    return entries.append(Entry(name: range, kind: shown, status: status, isLink: isLink))
                }
            case .failed(let number): return failures.append(Failure(name: range, kind: kind, number: number))
            case .gone: break
            }
        }
        names.removeSubrange(begin...)
    }

    /// What a name promises; `nil` for what is not shown.
    private func kind(of name: ArraySlice<UInt8>, _ type: Int, _ kinds: FileKinds) -> Kind? {
        let isHidden = name.first == UInt8(ascii: ".")
        if isHidden {
            if name.count == 1 || (name.count == 2 && name.last == UInt8(ascii: ".")) { return nil }
            if name.elementsEqual(IgnorePatterns.fileName) { return .ignoreList }
            // Hidden files are not shown, hidden directories are: there are bands whose names begin with dots.
            if type == DT_REG { return nil }
        }
        let file = isHidden ? nil : kinds.kind(of: name)
        let mayBeFolder = type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN
        guard file != nil || mayBeFolder else { return nil }
        let isPlain = name.allSatisfy { $0 >= 0x20 && $0 < 0x80 }
        if !isPlain, name.contains(0x0a) || String(validating: name, as: UTF8.self) == nil { return .unspeakable }
        return type == DT_DIR ? .folder : file.map(Kind.file) ?? .folder
    }

    /// What an entry is after all, by its state.
    private static func shown(_ kind: Kind, _ status: FileStatus) -> Kind? {
        switch (kind, status.kind) {
        case (.unspeakable, .file), (.unspeakable, .folder): .unspeakable
        case (_, .folder): .folder
        case (.file, .file), (.ignoreList, .file): kind
        default: nil
        }
    }

    private enum Look {
        case seen(FileStatus, isLink: Bool)
        /// Not there any more, a link to nothing, or one that is not followed.
        case gone
        /// With the system's error number.
        case failed(Int32)

        static var failure: Look { [ENOENT, ENOTDIR, ELOOP].contains(errno) ? .gone : .failed(errno) }
    }

    private static func look(at name: UnsafeRawPointer, _ folder: OpenFolder, _ links: LinkRule) -> Look {
        let name = unsafe name.assumingMemoryBound(to: CChar.self)
        var status = stat()
        guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .failure }
        guard status.st_mode & S_IFMT == S_IFLNK else { return .seen(FileStatus(status), isLink: false) }
        guard links.allows(unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)), in: folder) else {
            return .gone
        }
        guard unsafe fstatat(folder.number, name, &status, 0) == 0 else { return .failure }
        return .seen(FileStatus(status), isLink: true)
    }

    /// What the shown files come to.
    func fingerprint(of shown: [Entry]) -> FolderFingerprint {
        var sum: UInt64 = 0x9e37_79b9_7f4a_7c15
        for entry in shown {
            // FNV-1a over the name, then one round of mixing for each number.
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in names[entry.name] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            let status = entry.status
            for number in [UInt64(status.size), UInt64(bitPattern: status.modified), status.inode] {
                hash = (hash ^ number) &* 0xff51_afd7_ed55_8ccd
                hash ^= hash >> 32
            }
            sum &+= hash
        }
        return FolderFingerprint(rawValue: sum == 0 ? 1 : sum)
    }
}
