internal import Files
private import Glibc
internal import MediaHeaders

/// The contents of one directory: the names and states of entries that a library may list.
struct FolderListing {
    struct Entry {
        /// The range of the name in the buffer of all names, without the NUL that follows.
        var name: Range<Int>
        var kind: Kind
        var status: FileStatus
        /// Whether the entry itself is a link.
        var isLink: Bool
    }

    enum Kind: Hashable {
        case folder
        case file(ScannedFile.Kind)
        case ignoreList
        /// A name that is not UTF-8 or contains a line feed, which the protocol cannot express.
        case unspeakable
    }

    /// An entry that exists but whose status cannot be read: a dead mount, or a link into a directory without
    /// permission.
    struct Failure {
        /// As in `Entry`.
        var name: Range<Int>
        /// The kind that the name suggests.
        var kind: Kind
        var error: SystemError
    }

    private(set) var entries: [Entry] = []
    private(set) var failures: [Failure] = []
    private var names: [UInt8] = []

    init(_ folder: OpenFolder, _ kinds: FileKinds, _ links: LinkRule) throws(SystemError) {
        try folder.descriptor.forEachEntry { add($0, kinds, links) }
        // In a directory without search permission, no entry's status can be read.
        if !failures.isEmpty { _ = try folder.descriptor.status(of: [0x2e, 0], followsLink: false) }
    }

    var isEmpty: Bool { entries.isEmpty && failures.isEmpty }

    func name(of entry: Entry) -> ArraySlice<UInt8> { names[entry.name] }
    func name(of failure: Failure) -> ArraySlice<UInt8> { names[failure.name] }

    func cString(of entry: Entry) -> [CChar] { names[entry.name].map { CChar(bitPattern: $0) } + [0] }

    private mutating func add(_ entry: borrowing FolderEntry, _ kinds: FileKinds, _ links: LinkRule) {
        let begin = names.count
        entry.appendName(to: &names)
        let range = begin..<names.count
        names.append(0)
        if let kind = kind(of: names[range], entry.kind, kinds) {
            switch Self.look(at: entry, links) {
            case .seen(let status, let isLink):
                if let shown = Self.shown(kind, status) {
                    return entries.append(Entry(name: range, kind: shown, status: status, isLink: isLink))
                }
            case .failed(let error): return failures.append(Failure(name: range, kind: kind, error: error))
            case .gone: break
            }
        }
        names.removeSubrange(begin...)
    }

    /// The kind that a name suggests; `nil` for entries that are not listed.
    private func kind(of name: ArraySlice<UInt8>, _ type: FileStatus.Kind?, _ kinds: FileKinds) -> Kind? {
        let isHidden = name.first == UInt8(ascii: ".")
        if isHidden {
            if name.elementsEqual(IgnorePatterns.fileName) { return .ignoreList }
            // Hidden files are not listed, but hidden directories are: some bands' names begin with dots.
            if type == .file { return nil }
        }
        let file = isHidden ? nil : kinds.kind(of: name)
        let mayBeFolder = type == .folder || type == .link || type == nil
        guard file != nil || mayBeFolder else { return nil }
        let isPlain = name.allSatisfy { $0 >= 0x20 && $0 < 0x80 }
        if !isPlain, name.contains(0x0a) || String(validating: name, as: UTF8.self) == nil { return .unspeakable }
        return type == .folder ? .folder : file.map(Kind.file) ?? .folder
    }

    /// The actual kind of an entry, by its status.
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
        /// Removed, a dangling link, or a link that is not followed.
        case gone
        case failed(SystemError)
    }

    private static func look(at entry: borrowing FolderEntry, _ links: LinkRule) -> Look {
        do throws(SystemError) {
            let status = try entry.status(followsLink: false)
            guard status.kind == .link else { return .seen(status, isLink: false) }
            guard links.allows(entry) else { return .gone }
            return .seen(try entry.status(followsLink: true), isLink: true)
        } catch {
            return [ENOENT, ENOTDIR, ELOOP].contains(error.number) ? .gone : .failed(error)
        }
    }

    /// The fingerprint of the listed files.
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
