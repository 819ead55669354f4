internal import AudioTypes
internal import Files
internal import Playlists

/// A cue sheet's entries with the actual files.
///
/// Sheets name the ripped file, often `.wav`, while the disk has its encoded form. So a missing file is looked for
/// under other audio extensions, and a sheet's only file under the sheet's own name.
struct CueFiles {
    struct Missing {
        let name: String
        let line: Int
        let reason: MediaProblem.Reason
    }

    private(set) var entries: [MediaEntry] = []
    private(set) var missing: [Missing] = []
    /// The files found, in the sheet's order.
    private(set) var files: [FileName] = []

    /// - Parameter keepsMissing: Whether entries with missing files are kept, as written.
    init(_ sheet: Playlist, base: String, keepsMissing: Bool = false) {
        var locations: [String: String?] = [:]
        let isOnlyFile = Set(sheet.entries.map(\.location)).count == 1
        var search = Search(sheet: isOnlyFile ? FileName(location: base) : nil)
        for (index, entry) in sheet.entries.enumerated() {
            let name = entry.location
            if locations[name] == nil {
                switch search.place(ofEntry: index, in: sheet, base: base) {
                case .asWritten(let location):
                    locations[name] = .some(location)
                case .found(let file):
                    files.append(file)
                    locations[name] = .some(file.location)
                case .missing(let reason):
                    missing.append(Missing(name: name, line: sheet.lines[index], reason: reason))
                    locations[name] = .some(nil)
                }
            }
            if let location = locations[name] ?? nil {
                entries.append(entry)
                entries[entries.count - 1].location = location
            } else if keepsMissing {
                entries.append(entry)
            }
        }
    }
}

/// Finds files by their names without extension, reading each directory once.
private struct Search {
    /// The sheet whose own name its only file may have; `nil` when it has several.
    let sheet: FileName?
    /// Each directory's audio files by their stems in lower case.
    private var stems: [FileName: [String: [FileName]]] = [:]

    init(sheet: FileName?) { self.sheet = sheet }

    mutating func place(ofEntry index: Int, in playlist: Playlist, base: String) -> EntryPlace {
        let place = EntryPlace(ofEntry: index, in: playlist, base: base)
        let named: FileName
        switch place {
        case .found: return place
        case .missing:
            let location = playlist.location(ofEntry: index, against: base)
            let lastName = windowsDrivePath(location).flatMap { FileName(location: $0)?.lastComponent }
            let local = lastName.map { resolve(String(decoding: $0, as: UTF8.self), against: base) } ?? location
            guard let file = FileName(location: local) else { return place }
            named = file
        case .asWritten(let location):
            guard let file = FileName(location: location) else { return place }
            do throws(SystemError) {
                _ = try FileStatus(of: file)
                return .found(file)
            } catch {
                guard error == .noSuchFile else { return .missing(.system(error)) }
                named = file
            }
        }
        if let other = find(named.stem, in: named.directory ?? .here, likeNamed: named) { return .found(other) }
        if let sheet, let other = find(sheet.stem, in: sheet.directory ?? .here, likeNamed: sheet) {
            return .found(other)
        }
        if case .missing = place { return place }
        return .missing(.system(.noSuchFile))
    }

    /// The best audio file with a stem.
    private mutating func find(_ stem: String, in directory: FileName, likeNamed example: FileName) -> FileName? {
        if stems[directory] == nil {
            var found: [String: [FileName]] = [:]
            for entry in (try? contents(of: directory)) ?? [] where entry.kind != .folder {
                // Paths stay relative to the current directory if the sheet's is.
                let file = example.directory == nil ? FileName(bytes: entry.name) : directory.appending(entry.name)
                guard let file, let suffix = file.fileExtension, MediaType.rank(ofExtension: suffix) != nil else {
                    continue
                }
                found[file.stem.lowercased(), default: []].append(file)
            }
            stems[directory] = found
        }
        let candidates = stems[directory]?[stem.lowercased()] ?? []
        return candidates.min { rank(of: $0) < rank(of: $1) }
    }

    /// Lossless formats first, then by name, so that the choice does not depend on the directory's order.
    private func rank(of file: FileName) -> (Int, NaturalKey) {
        (file.fileExtension.flatMap { MediaType.rank(ofExtension: $0) } ?? .max, NaturalKey(file.text))
    }
}
