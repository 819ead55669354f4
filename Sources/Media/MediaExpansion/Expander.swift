internal import AudioTypes
internal import Charsets
internal import Files
internal import Playlists

/// Expands arguments and playlists until only media are left.
struct Expander {
    /// The playlist and line of an entry.
    struct Origin {
        let playlist: String
        let line: Int
    }

    /// Identifies a playlist, whatever name leads to it.
    enum Identity: Hashable {
        case file(FileStatus.Identity)
        case url(String)
    }

    let isRecursive: Bool
    let limits: MediaList.Limits
    /// `nil` disables fetching: URLs are media then.
    let network: DocumentFetch?
    var keepsMissingTracks = false
    /// Of playlists that are not UTF-8; `nil` to judge by each.
    var charset: Charset?
    /// Whether a text from the network is a playlist only by its type or name.
    var needsName = false
    private(set) var list = MediaList()

    /// The playlists that are being expanded, outermost first.
    private var openPlaylists: [(identity: Identity?, name: String)] = []
    private var playlistsRead = 0
    var documentsFetched = 0
    /// The remaining limit of bytes read from playlists.
    private var bytesLeft: Int
    private var hasStandardInput = false
    private var names = NameSearch()
    private(set) var isFull = false

    init(isRecursive: Bool, limits: MediaList.Limits, network: DocumentFetch?) {
        self.isRecursive = isRecursive
        self.limits = limits
        self.network = network
        self.bytesLeft = limits.playlistSize * 16
    }

    // MARK: - Arguments and entries

    mutating func add(argument: String) {
        if argument == "-" {
            guard !hasStandardInput else { return report(.standardInputUsedTwice, "standard input", nil) }
            hasStandardInput = true
            append(MediaEntry(location: "-"), from: nil)
        } else {
            add(MediaEntry(location: argument), from: nil)
        }
    }

    mutating func add(playlist name: String, standardInput: Int32) {
        if isWebURL(name), network != nil {
            return add(remotePlaylist: MediaEntry(location: name), from: nil, readsBareText: true)
        }
        do throws(FileProblem) {
            let content: [UInt8]
            var identity: Identity?
            if name == "-" {
                let file = try opening { () throws(SystemError) in try OpenFile(borrowing: standardInput) }
                content = try read(file, patience: nil)
            } else {
                guard !MediaEntry(location: name).isURL || fileSystemPath(of: name) != nil else {
                    throw .reason(.notLocal)
                }
                guard let path = FileName(location: name) else { throw .reason(.system(.noSuchFile)) }
                let file = try opening { () throws(SystemError) in try OpenFile(path) }
                guard file.status.kind != .folder else { throw .reason(.system(.isFolder)) }
                guard file.status.kind != .other else { throw .reason(.notAFile) }
                identity = .file(file.status.identity)
                content = try read(file, patience: limits.patience)
            }
            let playlist = try parsing { () throws(ParseError) in
                try Playlist(content, named: name, readsBareText: true, charset: charset)
            }
            let text = name == "-" ? "standard input" : name
            expand(playlist, named: text, base: FileName(location: name)?.location ?? "", identity: identity)
        } catch {
            report(error.reason, name == "-" ? "standard input" : name, nil)
        }
    }

    /// Adds the target of an argument or a playlist's entry; `entry.location` is resolved.
    mutating func add(_ entry: MediaEntry, from origin: Origin?) {
        guard let file = FileName(location: entry.location) else {
            if network != nil, namesRemotePlaylist(entry.location) {
                add(remotePlaylist: entry, from: origin)
            } else if MediaEntry(location: entry.location).isURL, fileSystemPath(of: entry.location) == nil {
                append(entry, from: origin)
            } else {
                report(.system(.noSuchFile), entry.location, origin)
            }
            return
        }
        do throws(SystemError) {
            let status = try FileStatus(of: file)
            switch status.kind {
            case .folder: add(directory: file, from: origin)
            case .file: try add(regular: file, as: entry, from: origin)
            case .pipe, .link, .other:
                if PlaylistFormat(nameOf: file.text) != nil {
                    report(.notAFile, file.text, origin)
                } else {
                    append(entry, at: file, from: origin)
                }
            }
        } catch {
            report(.system(error), file.text, origin)
        }
    }

    private mutating func add(regular file: FileName, as entry: MediaEntry, from origin: Origin?) throws(SystemError) {
        if let suffix = file.fileExtension, MediaType.rank(ofExtension: suffix) != nil {
            try checkReadable(file.path)
            return append(entry, at: file, from: origin)
        }
        do throws(FileProblem) {
            let open = try opening { () throws(SystemError) in try OpenFile(file) }
            guard open.status.kind == .file else { throw .reason(.notAFile) }
            let head = try readHead(of: open)
            switch ContentKind(of: head, named: file.text) {
            case .text where PlaylistFormat(nameOf: file.text) != nil,
                .markup where PlaylistFormat(nameOf: file.text) != nil:
                throw .reason(.notAPlaylist(.unrecognized))
            case .mediaManifest, .text, .markup, .other:
                append(entry, at: file, from: origin)
            case .playlist:
                guard playlistsRead < limits.playlists else {
                    throw .reason(.tooManyPlaylists(limit: limits.playlists))
                }
                playlistsRead += 1
                let content =
                    head.count < sniffedBytes ? head : try head + read(open, patience: 0, alreadyRead: head.count)
                let identity = Identity.file(open.status.identity)
                do throws(ParseError) {
                    let playlist = try Playlist(content, named: file.text, charset: charset)
                    expand(playlist, named: file.text, base: file.location, identity: identity, from: origin)
                } catch .mediaManifest {
                    append(entry, at: file, from: origin)
                } catch {
                    throw FileProblem.reason(.notAPlaylist(error))
                }
            }
        } catch {
            report(error.reason, file.text, origin)
        }
    }

    // MARK: - Playlists

    /// - Parameter requested: The requested URL that led to the playlist; `nil` for a file's.
    mutating func expand(
        _ playlist: Playlist,
        named name: String,
        base: String,
        requested: String? = nil,
        identity: Identity?,
        from origin: Origin? = nil
    ) {
        if let identity, let place = openPlaylists.firstIndex(where: { $0.identity == identity }) {
            let between = openPlaylists[(place + 1)...].map(\.name)
            return report(.cycle(through: between), openPlaylists[place].name, nil)
        }
        guard openPlaylists.count < limits.nesting else {
            return report(.nestedTooDeep(limit: limits.nesting), name, origin)
        }
        for problem in playlist.problems {
            report(MediaProblem(file: name, line: problem.line, reason: .playlist(problem.reason)))
        }
        if playlist.entries.isEmpty { report(.emptyPlaylist, name, origin) }

        openPlaylists.append((identity, name))
        defer { openPlaylists.removeLast() }
        if playlist.format == .cue, !isWebURL(base) {
            let sheet = CueFiles(playlist, base: base, keepsMissing: keepsMissingTracks)
            for missing in sheet.missing {
                report(missing.reason, missing.name, Origin(playlist: name, line: missing.line))
            }
            for entry in sheet.entries { append(entry, from: Origin(playlist: name, line: 1)) }
            return
        }
        for index in playlist.entries.indices where !isFull {
            let place = Origin(playlist: name, line: playlist.lines[index])
            add(entry: index, of: playlist, base: base, requested: requested, from: place)
        }
    }

    private mutating func add(
        entry index: Int,
        of playlist: Playlist,
        base: String,
        requested: String?,
        from origin: Origin
    ) {
        var entry = playlist.entries[index]
        if isWebURL(base) {
            let written = entry.location
            entry.location = playlist.location(ofEntry: index, against: base)
            entry.origin = requested
            // Whatever the format: its entries can only be on the network.
            guard isWebURL(entry.location) else { return report(.notOfTheNetwork, written, origin) }
            return add(remote: entry, from: origin)
        }
        switch EntryPlace(ofEntry: index, in: playlist, base: base) {
        case .asWritten(let written):
            let location = located(written, isOneOfMany: playlist.entries.count > Self.manyEntries)
            entry.location = location
            // Most files of a list of a hundred thousand are not looked up: a missing one shows when it is played.
            if let suffix = pathExtension(of: location), MediaType.rank(ofExtension: suffix) != nil {
                append(entry, from: origin)
            } else {
                add(entry, from: origin)
            }
        case .found(let file):
            entry.location = file.location
            add(entry, from: origin)
        case .missing(let reason):
            report(reason, entry.location, origin)
        }
    }

    /// In a longer list, names of ASCII letters, which have one form only, are not looked up for another case.
    private static let manyEntries = 1_000

    /// The location of the file that a list names, which may be spelled there in another way.
    private mutating func located(_ location: String, isOneOfMany: Bool) -> String {
        guard !isOneOfMany || location.utf8.contains(where: { $0 >= 0x80 }), let file = FileName(location: location)
        else {
            return location
        }
        do throws(SystemError) {
            _ = try FileStatus(of: file)
            return location
        } catch {
            guard error == .noSuchFile, let other = names.path(like: file.bytes).flatMap(FileName.init(bytes:)) else {
                return location
            }
            return other.location
        }
    }

    // MARK: - Directories

    private mutating func add(directory: FileName, from origin: Origin?) {
        var enumerator = DirectoryEnumerator(from: directory, isRecursive: isRecursive)
        let before = list.entries.count
        while !isFull, let step = enumerator.next() {
            switch step {
            case .entries(let entries):
                for entry in entries { append(entry, from: origin) }
            case .unreadable(let directory, let error):
                report(.system(error), directory.text, origin)
                if directory == enumerator.top { return }
            }
        }
        if list.entries.count == before, !isFull {
            report(
                .noMedia(isRecursive: isRecursive, hasDirectories: enumerator.sawDirectories),
                directory.text,
                origin
            )
        }
    }

    // MARK: - The result

    private mutating func append(_ entry: MediaEntry, at file: FileName, from origin: Origin?) {
        var entry = entry
        entry.location = file.location
        append(entry, from: origin)
    }

    mutating func append(_ entry: MediaEntry, from origin: Origin?) {
        guard list.entries.count < limits.entries else {
            if !isFull { report(.tooManyEntries(limit: limits.entries), entry.location, origin) }
            isFull = true
            return
        }
        list.entries.append(entry)
    }

    mutating func report(_ reason: MediaProblem.Reason, _ file: String, _ origin: Origin?) {
        if let origin {
            report(MediaProblem(file: origin.playlist, line: origin.line, entry: file, reason: reason))
        } else {
            report(MediaProblem(file: file, reason: reason))
        }
    }

    private mutating func report(_ problem: MediaProblem) {
        guard list.problems.count <= limits.problems else { return }
        let isLast = list.problems.count == limits.problems
        list.problems.append(isLast ? MediaProblem(file: problem.file, reason: .moreProblems) : problem)
    }

    // MARK: - Reading

    private func readHead(of file: borrowing OpenFile) throws(FileProblem) -> [UInt8] {
        do { return try file.read(upTo: sniffedBytes, patience: 0) } catch { throw FileProblem(error, patience: 0) }
    }

    private mutating func read(
        _ file: borrowing OpenFile,
        patience: Double?,
        alreadyRead: Int = 0
    ) throws(FileProblem) -> [UInt8] {
        let limit = min(limits.playlistSize, bytesLeft) - alreadyRead
        let content: [UInt8]
        do {
            content = try file.read(upTo: max(limit, 0) + 1, patience: patience)
        } catch {
            throw FileProblem(error, patience: patience)
        }
        bytesLeft -= content.count
        guard content.count <= limit else { throw .reason(.tooLarge(limit: limits.playlistSize)) }
        return content
    }
}

/// How many bytes of a file are examined to detect its type.
private let sniffedBytes = 1024

/// Carries a reason to the caller that knows the file.
enum FileProblem: Error {
    case reason(MediaProblem.Reason)

    init(_ error: ReadError, patience: Double?) {
        switch error {
        case .system(let error): self = .reason(.system(error))
        case .silent: self = .reason(.silent(seconds: Int(saturating: patience ?? 0)))
        }
    }

    var reason: MediaProblem.Reason {
        switch self {
        case .reason(let reason): reason
        }
    }
}

private func opening(_ body: () throws(SystemError) -> OpenFile) throws(FileProblem) -> OpenFile {
    do { return try body() } catch { throw .reason(.system(error)) }
}

func parsing(_ body: () throws(ParseError) -> Playlist) throws(FileProblem) -> Playlist {
    do { return try body() } catch { throw .reason(.notAPlaylist(error)) }
}
