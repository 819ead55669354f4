/// Goes through a directory and all below it.
struct MusicWalk {
    private let music: MusicDirectory
    /// The directories that are being walked, outermost first.
    private var ancestors: Set<FileState.Identity> = []
    /// The directories that a link has led to: each is shown once more than the disk has it, and no oftener, or links
    /// between directories would multiply.
    private var linked: Set<FileState.Identity> = []

    /// - Parameter above: The directories that the first one lies in.
    init(_ music: MusicDirectory, within above: Set<FileState.Identity>) {
        self.music = music
        ancestors = above
    }

    mutating func visit(
        _ uri: String,
        lastModified: Int,
        isBehindLink: Bool = false,
        _ ignored: IgnoreList,
        _ source: SongSource,
        _ body: (Listing) throws -> Void
    ) throws {
        if !uri.isEmpty { try body(.directory(uri: uri, lastModified: lastModified)) }
        let folder = try MusicFolder(music, uri, ignoring: ignored)
        if isBehindLink { guard linked.insert(folder.state.identity).inserted else { return } }
        guard ancestors.insert(folder.state.identity).inserted else { return }
        defer { ancestors.remove(folder.state.identity) }
        for listing in folder.listings(source) { try body(listing) }
        for child in folder.folders {
            if child.isSheet {
                try body(.directory(uri: child.uri, lastModified: child.lastModified))
                let sheet = CueSheetPlace(uri: child.uri, track: nil, lastModified: child.lastModified)
                for track in (try? music.list(sheet, source)) ?? [] { try body(track) }
                continue
            }
            let isBehindLink = isBehindLink || child.isLink
            guard !ancestors.contains(child.identity) else { continue }
            guard !isBehindLink || !linked.contains(child.identity) else { continue }
            do {
                try visit(
                    child.uri,
                    lastModified: child.lastModified,
                    isBehindLink: isBehindLink,
                    folder.ignored,
                    source,
                    body
                )
            } catch let error as MusicFilesError where error.uri == child.uri {
                // A directory that cannot be read keeps none of the others from being shown.
                continue
            }
        }
    }
}
