internal import Files

/// One file of a directory.
struct FoundFile {
    let name: String
    let state: FileStatus
    /// Whether the name itself is a link.
    let isLink: Bool
}

/// The entries of one directory: every file's name and state, looked up below the opened directory.
///
/// Names that are not UTF-8 or hold a line feed cannot go over the protocol and are left out, as MPD does.
struct DirectoryScan {
    let files: [FoundFile]
    let state: FileStatus

    /// - Parameters:
    ///   - uri: The directory's.
    ///   - isWanted: Whether a file of that name is looked at.
    init(
        _ music: MusicDirectory,
        _ uri: String,
        where isWanted: (String) -> Bool = { _ in true }
    ) throws(MusicDirectoryError) {
        let directory = try music.open(uri, .folder)
        let links = music.linkRule
        do throws(SystemError) {
            state = try directory.status
            var files: [FoundFile] = []
            try directory.forEachEntry { entry in
                guard let name = entry.text, !name.utf8.contains(0x0a), isWanted(name) else { return }
                if let file = Self.file(entry, name, links) { files.append(file) }
            }
            self.files = files
        } catch {
            throw .system(error, uri)
        }
    }

    /// `nil` for what is gone, and for links that are not followed.
    private static func file(_ entry: borrowing FolderEntry, _ name: String, _ links: LinkRule) -> FoundFile? {
        let mayBeLink = entry.kind == .link || entry.kind == nil
        guard let status = try? entry.status(followsLink: !mayBeLink) else { return nil }
        guard status.kind == .link else { return FoundFile(name: name, state: status, isLink: false) }
        guard let file = try? entry.open(.place), links.allows(linkTo: file), let status = try? file.status else {
            return nil
        }
        return FoundFile(name: name, state: status, isLink: true)
    }
}
