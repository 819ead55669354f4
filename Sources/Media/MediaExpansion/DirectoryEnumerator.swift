internal import AudioTypes
internal import Files
internal import Playlists

/// Lists the media of a directory, and of those below it if requested.
struct DirectoryEnumerator {
    enum Step {
        case entries([MediaEntry])
        case unreadable(FileName, SystemError)
    }

    let top: FileName
    let isRecursive: Bool
    /// Whether any directory contained another one.
    private(set) var sawDirectories = false

    /// The directories still to be listed, the next one last.
    private var pending: [FileName]
    /// Symbolic links make the same directory appear in several places, even below itself.
    private var visited: Set<FileStatus.Identity> = []

    init(from top: FileName, isRecursive: Bool) {
        self.top = top
        self.isRecursive = isRecursive
        self.pending = [top]
    }

    mutating func next() -> Step? {
        while let directory = pending.popLast() {
            do throws(SystemError) {
                guard try visited.insert(FileStatus(of: directory).identity).inserted else { continue }
                let (files, directories) = try list(directory)
                sawDirectories = sawDirectories || !directories.isEmpty
                if isRecursive { pending.append(contentsOf: directories.reversed()) }
                return .entries(files)
            } catch {
                return .unreadable(directory, error)
            }
        }
        return nil
    }

    private func list(_ directory: FileName) throws(SystemError) -> (files: [MediaEntry], directories: [FileName]) {
        var media: [FileName] = []
        var sheets: [FileName] = []
        var directories: [FileName] = []
        for entry in try contents(of: directory) where entry.name.first != UInt8(ascii: ".") {
            let file = directory.appending(entry.name)
            let suffix = file.fileExtension
            let isMedium = suffix.flatMap { MediaType.rank(ofExtension: $0) } != nil
            let isSheet = PlaylistFormat(nameOf: file.text) == .cue
            switch entry.kind ?? (try? FileStatus(of: file))?.kind {
            case .folder: directories.append(file)
            case .file where isMedium: media.append(file)
            case .file where isSheet: sheets.append(file)
            default: break
            }
        }
        let sorted = naturallySorted(media)
        let entries =
            sheets.isEmpty || media.isEmpty
            ? sorted.map { MediaEntry(location: $0.location) } : entries(of: sorted, described: naturallySorted(sheets))
        return (entries, naturallySorted(directories))
    }

    /// The files, with a cue sheet's entries in place of the first file that it describes.
    ///
    /// A sheet is used when all its files exist and none is described by an earlier sheet. An unreadable one is
    /// silently left out, because the files are played anyway.
    private func entries(of media: [FileName], described sheets: [FileName]) -> [MediaEntry] {
        var places: [FileStatus.Identity: Int] = [:]
        for (place, file) in media.enumerated() {
            if let status = try? FileStatus(of: file) { places[status.identity] = place }
        }
        var replacements: [Int: [MediaEntry]] = [:]
        for name in sheets {
            guard let playlist = readSheet(name) else { continue }
            let sheet = CueFiles(playlist, base: name.location)
            let claimed = Set(
                sheet.files.compactMap { file in (try? FileStatus(of: file)).flatMap { places[$0.identity] } }
            )
            guard sheet.missing.isEmpty, let first = claimed.min(), claimed.count == sheet.files.count else { continue }
            guard claimed.allSatisfy({ replacements[$0] == nil }) else { continue }
            for place in claimed { replacements[place] = [] }
            replacements[first] = sheet.entries
        }
        return media.enumerated().flatMap { place, file in
            replacements[place] ?? [MediaEntry(location: file.location)]
        }
    }

    private func readSheet(_ name: FileName) -> Playlist? {
        guard let file = try? OpenFile(name), file.status.kind == .file else { return nil }
        // The sheet of a disc is never near this size.
        guard let content = try? file.read(upTo: 1_048_577, patience: 0), content.count <= 1_048_576 else { return nil }
        guard let playlist = try? Playlist(content, named: name.text), playlist.format == .cue else { return nil }
        return playlist.entries.isEmpty ? nil : playlist
    }
}

private func naturallySorted(_ files: [FileName]) -> [FileName] {
    files.map { (NaturalKey($0.text), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
}
