internal import Files
internal import MediaHeaders
internal import PictureValues
internal import Songs
internal import TextEncodings

/// The entries of a directory that are listed.
struct FolderContents {
    let listing: FolderListing
    let files: [FolderListing.Entry]
    /// Sorted by name, so that every scan leaves out the same directories behind links.
    let folders: [FolderListing.Entry]
    /// Files and directories that exist, but whose status cannot be read now.
    let failures: [FolderListing.Failure]

    init(_ listing: FolderListing, without ignored: IgnorePatterns) {
        self.listing = listing
        let shown = listing.entries.filter { !ignored.matches(listing.name(of: $0)) }
        files = shown.filter { $0.kind != .folder && $0.kind != .ignoreList }
        folders = shown.filter { $0.kind == .folder }
            .sorted { listing.name(of: $0).lexicographicallyPrecedes(listing.name(of: $1)) }
        failures = listing.failures.filter { failure in
            switch failure.kind {
            case .folder, .file: !ignored.matches(listing.name(of: failure))
            case .ignoreList, .unspeakable: false
            }
        }
    }

    /// The fingerprint of the files; `.none` if any file's status is unknown.
    var fingerprint: FolderFingerprint {
        failures.contains { $0.kind != .folder } ? .none : listing.fingerprint(of: files)
    }
}

extension FolderEnumerator {
    private static let chunkSize = 64

    /// Compares a directory's files with those in the library.
    func compare(_ contents: FolderContents, _ place: Place, _ pipeline: ScanPipeline) throws {
        let fingerprint = contents.fingerprint
        let before = known[place.uri]
        var outcome = ScanBatch()
        outcome.removedFolders = gone(contents, place.uri)
        let present = KnownFolder(
            fingerprint: fingerprint,
            isMountPoint: place.isMountPoint,
            modified: Int(place.status.modified / 1_000_000_000)
        )
        let isSame = before == present && fingerprint != .none && !options.readsAll
        if isSame {
            if !outcome.isEmpty { pipeline.add(outcome) }
            return
        }
        var stored = before == nil ? [:] : try sink.known(in: place.uri)
        var jobs: [FileJob] = []
        var cover = CoverChoice()
        for entry in contents.files {
            let bytes = contents.listing.name(of: entry)
            let name = entry.kind == .unspeakable ? escaped(bytes) : String(decoding: bytes, as: UTF8.self)
            if entry.kind == .file(.image) { cover.consider(bytes) }
            let status = entry.status
            let seen = KnownFile(size: status.size, modified: status.modified, inode: status.inode)
            if stored.removeValue(forKey: ExactText(name)) == seen, !options.readsAll { continue }
            jobs.append(job(entry, name, contents.listing, place))
        }
        for failure in contents.failures {
            guard case .file(let kind) = failure.kind else { continue }
            let bytes = contents.listing.name(of: failure)
            if kind == .image { cover.consider(bytes) }
            let name = String(decoding: bytes, as: UTF8.self)
            // The library keeps its data about this file.
            if stored.removeValue(forKey: ExactText(name)) != nil { continue }
            jobs.append(FileJob(uri: place.uri(of: name), kind: kind, problem: failure.problem))
        }
        outcome.removedFiles = stored.keys.map { place.uri(of: $0.text) }
        var folder = ScannedFolder(uri: place.uri)
        folder.modified = place.status.modified
        folder.fingerprint = fingerprint
        folder.cover = cover.name
        folder.isMountPoint = place.isMountPoint
        outcome.folders = [folder]
        guard !jobs.isEmpty else { return pipeline.add(outcome) }
        // Mostly the order in which the library lists them, which saves sorting there.
        jobs.sort { $0.name.lexicographicallyPrecedes($1.name) }
        let suspects = takeSuspects(from: &jobs)
        let starts = stride(from: 0, to: jobs.count, by: Self.chunkSize)
        let chunks = (jobs.count + Self.chunkSize - 1) / Self.chunkSize + suspects.count
        let work = FolderJob(place.folder, outcome: outcome, chunks: chunks)
        for start in starts {
            pipeline.add(.init(folder: work, files: Array(jobs[start..<min(jobs.count, start + Self.chunkSize)])))
        }
        for job in suspects { pipeline.add(suspect: .init(folder: work, files: [job])) }
    }

    private func takeSuspects(from jobs: inout [FileJob]) -> [FileJob] {
        guard let marks = options.marks, !marks.isEmpty else { return [] }
        let suspects = jobs.filter { marks.verdict(on: $0.mark) == .suspect }
        if !suspects.isEmpty { jobs.removeAll { marks.verdict(on: $0.mark) == .suspect } }
        return suspects
    }

    private func job(
        _ entry: FolderListing.Entry,
        _ name: String,
        _ listing: FolderListing,
        _ place: Place
    ) -> FileJob {
        var kind = ScannedFile.Kind.audio
        if case .file(let found) = entry.kind { kind = found }
        return FileJob(
            name: listing.cString(of: entry),
            uri: place.uri(of: name),
            kind: kind,
            problem: entry.kind == .unspeakable
                ? "has a name that is not UTF-8 or holds a line feed; rename it" : nil,
            status: entry.status
        )
    }

    /// The directories in this one that the library knows, but that no longer exist.
    private func gone(_ contents: FolderContents, _ uri: String) -> [String] {
        let children = known.children(of: uri)
        if children.isEmpty { return [] }
        let listing = contents.listing
        let present = Set(contents.folders.map(listing.name(of:)) + contents.failures.map(listing.name(of:)))
        let prefix = uri.isEmpty ? 0 : uri.utf8.count + 1
        return children.filter { !present.contains(ArraySlice($0.utf8.dropFirst(prefix))) }
    }
}

extension FolderListing.Failure {
    var problem: String { "cannot be examined: \(error)" }
}

/// Escapes backslashes, and bytes that are not printable ASCII, as `\xff`.
private func escaped(_ name: ArraySlice<UInt8>) -> String {
    var text = ""
    for byte in name {
        if (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            text += "\\x" + String(byte, digits: 2, radix: 16)
        }
    }
    return text
}
