internal import Files
internal import LibraryScan
internal import Songs

/// Goes through a directory and all below it.
struct MusicEnumerator {
    private let music: MusicDirectory
    private var trail: LinkTrail<FileStatus.Identity>

    /// - Parameter above: The directories that the first one lies in.
    init(_ music: MusicDirectory, within above: Set<FileStatus.Identity>) {
        self.music = music
        trail = LinkTrail(within: above)
    }

    mutating func visit(
        _ uri: String,
        lastModified: Int,
        behind links: Int = 0,
        _ ignored: IgnorePatterns,
        _ source: SongSource,
        _ body: (Listing) throws -> Void
    ) throws {
        if !uri.isEmpty { try body(.directory(uri: uri, lastModified: lastModified)) }
        let folder = try MusicFolder(music, uri, ignoring: ignored)
        guard trail.enter(folder.state.identity, behind: links) == nil else { return }
        defer { trail.leave(folder.state.identity) }
        for listing in folder.listings(source) { try body(listing) }
        for child in folder.folders {
            if child.isSheet {
                try body(.directory(uri: child.uri, lastModified: child.lastModified))
                let sheet = CueSheetPlace(uri: child.uri, track: nil, state: child.state)
                for track in (try? music.list(sheet, source)) ?? [] { try body(track) }
                continue
            }
            let links = links + (child.isLink ? 1 : 0)
            guard trail.refusal(of: child.identity, behind: links) == nil else { continue }
            do {
                try visit(
                    child.uri,
                    lastModified: child.lastModified,
                    behind: links,
                    folder.ignored,
                    source,
                    body
                )
            } catch let error as MusicDirectoryError where isSame(error.uri, child.uri) {
                // A directory that cannot be read keeps none of the others from being shown.
                continue
            }
        }
    }
}
