internal import AudioTypes
internal import Files
internal import Songs

/// Walks through a music directory and finds the files that must be read.
///
/// Used by one thread.
final class FolderEnumerator: Sendable {
    private let root: OpenFolder
    private let rootStatus: FileStatus
    private let links: LinkRule
    let options: LibraryScanner.Options
    let sink: any LibrarySink
    let known: KnownFolders
    private let control: ScanControl
    private let kinds = FileKinds()

    /// The nesting limit of directories; deeper ones are a fault, not a music collection.
    private static let depthLimit = 100
    /// The most directories that are reported as left out; links between directories could produce any number.
    private static let leftOutLimit = 1000

    init(
        _ options: LibraryScanner.Options,
        sink: any LibrarySink,
        known: KnownFolders,
        control: ScanControl
    ) throws(ScanError) {
        do throws(SystemError) {
            let root = try OpenFolder(options.root)
            rootStatus = try root.status
            self.root = root
        } catch {
            throw .noRoot(options.root, reason: error.description)
        }
        links = LinkRule(
            root: root.realPath ?? FilePath(bytes: options.root.utf8),
            followsInside: options.followsInsideLinks,
            followsOutside: options.followsOutsideLinks
        )
        self.options = options
        self.sink = sink
        self.known = known
        self.control = control
    }

    /// A directory on the path, with the settings that apply to everything below it.
    struct Place {
        var folder: OpenFolder
        var uri: String
        var status: FileStatus
        var isMountPoint: Bool
        /// Whether it was reached through a link.
        var isLink = false
        /// The number of links on the path to it, including itself.
        var links = 0
        var ignored = IgnorePatterns()
        var depth = 0
        /// The share of the whole scan's progress that it stands for.
        var share = 1.0

        func uri(of name: String) -> String { uri.isEmpty ? name : uri + "/" + name }
    }

    /// The state of a walk.
    private struct Trail {
        var links = LinkTrail<FileStatus.Identity>()
        /// The number of directories reported as left out.
        var leftOut = 0
        var isRecursive: Bool
    }

    /// Walks through a part of the music directory.
    func visit(_ part: LibraryScanner.Part, _ pipeline: ScanPipeline) throws {
        var trail = Trail(isRecursive: part.isRecursive)
        var place = Place(folder: root, uri: "", status: rootStatus, isMountPoint: isMountPoint(root, rootStatus))
        if try isUnmounted(place) { throw ScanError.isUnmounted(options.root) }
        for name in part.uri.split(separator: "/") {
            trail.links.pass(place.status.identity)
            guard let next = enter(String(name), from: &place), !trail.links.isCircle(next.status.identity) else {
                // The part no longer exists, is a file, or is left out: scan its parent directory instead.
                trail.links.leave(place.status.identity)
                trail.isRecursive = false
                break
            }
            place = next
        }
        try visit(place, &trail, pipeline)
    }

    private func isMountPoint(_ folder: OpenFolder, _ status: FileStatus) -> Bool {
        guard let above = try? OpenFolder([0x2e, 0x2e, 0], in: folder, followsLink: false).status else { return false }
        return above.device != status.device
    }

    /// Whether a directory is the empty mount point of a file system that was mounted before.
    private func isUnmounted(_ place: Place) throws -> Bool {
        guard known.wasMountPoint(place.uri), !place.isMountPoint else { return false }
        guard let listing = try? FolderListing(place.folder, kinds, links) else { return true }
        var names = Set(try sink.known(in: place.uri).keys)
        for uri in known.children(of: place.uri) {
            names.insert(ExactText(String(decoding: uri.utf8.dropFirst(place.uri(of: "").utf8.count), as: UTF8.self)))
        }
        return !listing.entries.contains {
            names.contains(ExactText(String(decoding: listing.name(of: $0), as: UTF8.self)))
        }
    }

    /// Descends one level on the path to the requested part.
    private func enter(_ name: String, from place: inout Place) -> Place? {
        readIgnoreList(&place)
        let cName = Array(name.utf8CString)
        guard name != ".", name != "..", !place.ignored.matches(Array(name.utf8)[...]) else { return nil }
        let direct = try? OpenFolder(cName, in: place.folder, followsLink: false)
        let isLink = direct == nil
        guard !isLink || links.allows(cName, in: place.folder.descriptor),
            let folder = try? direct ?? OpenFolder(cName, in: place.folder, followsLink: true),
            let status = try? folder.status
        else { return nil }
        return below(place, folder, name, status, isLink: isLink)
    }

    private func below(
        _ place: Place,
        _ folder: OpenFolder,
        _ name: String,
        _ status: FileStatus,
        isLink: Bool
    ) -> Place {
        var next = place
        next.folder = folder
        next.uri = place.uri(of: name)
        next.isMountPoint = status.device != place.status.device
        next.status = status
        next.isLink = isLink
        next.links += isLink ? 1 : 0
        next.depth += 1
        return next
    }

    private func readIgnoreList(_ place: inout Place) {
        let name = IgnorePatterns.fileName.map { CChar(bitPattern: $0) } + [0]
        guard let file = try? place.folder.descriptor.open(name, .reading) else { return }
        place.ignored = place.ignored.adding(file)
    }

    // MARK: - One directory

    private func visit(_ place: Place, _ trail: inout Trail, _ pipeline: ScanPipeline) throws {
        guard control.mayGoOn() else { return }
        var place = place
        if let refusal = trail.links.enter(place.status.identity, behind: place.links) {
            return leaveOut(place, refusal, &trail, pipeline)
        }
        defer { trail.links.leave(place.status.identity) }
        let listing: FolderListing
        do throws(SystemError) {
            listing = try FolderListing(place.folder, kinds, links)
        } catch {
            return refuse(place, "cannot be read: \(error)", pipeline)
        }
        if place.uri.isEmpty, listing.isEmpty, known.mayBeMissing { throw ScanError.emptyRoot(options.root) }
        if place.isLink, listing.isEmpty, known.wasMountPoint(place.uri) {
            return refuse(place, "linked to a mounted file system that is empty or not there now", pipeline)
        }
        if listing.entries.contains(where: { $0.kind == .ignoreList }) { readIgnoreList(&place) }
        let contents = FolderContents(listing, without: place.ignored)
        let folders = contents.folders
        control.record { [uri = place.uri] progress in
            progress.folder = uri
            progress.folders += 1
            progress.files += contents.files.count
            if folders.isEmpty || !trail.isRecursive { progress.fraction = min(1, progress.fraction + place.share) }
        }
        try compare(contents, place, pipeline)
        for failure in contents.failures where failure.kind == .folder {
            var next = place
            next.uri = place.uri(of: String(decoding: listing.name(of: failure), as: UTF8.self))
            next.share = 0
            refuse(next, failure.problem, pipeline)
        }
        let share = place.share / Double(max(1, folders.count))
        for entry in folders {
            guard control.mayGoOn() else { return }
            try descend(entry, listing, place, share: share, &trail, pipeline)
        }
    }

    private func descend(
        _ entry: FolderListing.Entry,
        _ listing: FolderListing,
        _ place: Place,
        share: Double,
        _ trail: inout Trail,
        _ pipeline: ScanPipeline
    ) throws {
        let name = String(decoding: listing.name(of: entry), as: UTF8.self)
        let uri = place.uri(of: name)
        let known = known[uri]
        if !trail.isRecursive, let known, known.fingerprint != .none { return }
        var next = place
        next.uri = uri
        next.share = share
        guard place.depth < Self.depthLimit else {
            return refuse(next, "is nested too deeply", pipeline)
        }
        let folder: OpenFolder
        do throws(SystemError) {
            folder = try OpenFolder(listing.cString(of: entry), in: place.folder, followsLink: entry.isLink)
        } catch {
            return refuse(next, "cannot be opened: \(error)", pipeline)
        }
        next = below(place, folder, name, entry.status, isLink: entry.isLink)
        next.share = share
        if !entry.isLink, try isUnmounted(next) {
            return refuse(next, "was a mounted file system that is not there now", pipeline)
        }
        try visit(next, &trail, pipeline)
    }

    /// Removes a directory that is listed elsewhere, and reports it as a problem.
    private func leaveOut(
        _ place: Place,
        _ refusal: LinkTrail<FileStatus.Identity>.Refusal,
        _ trail: inout Trail,
        _ pipeline: ScanPipeline
    ) {
        var batch = ScanBatch()
        if known[place.uri] != nil { batch.removedFolders = [place.uri] }
        if trail.leftOut < Self.leftOutLimit {
            trail.leftOut += 1
            var folder = ScannedFolder(uri: place.uri)
            folder.modified = place.status.modified
            folder.problem =
                switch refusal {
                case .circle: "links to a directory that contains it"
                case .crowd: "is left out, since links already show it in many other places"
                }
            batch.folders = [folder]
        }
        control.record { progress in
            progress.problems += batch.folders.count
            progress.fraction = min(1, progress.fraction + place.share)
        }
        if !batch.isEmpty { pipeline.add(batch) }
    }

    /// Reports a directory as a problem; the library keeps its data about it and everything below it.
    private func refuse(_ place: Place, _ problem: String, _ pipeline: ScanPipeline) {
        var folder = ScannedFolder(uri: place.uri)
        folder.problem = problem
        folder.modified = known[place.uri].map { Int64($0.modified) * 1_000_000_000 } ?? place.status.modified
        // A missing or dead mount is still a mount point.
        folder.isMountPoint = known[place.uri]?.isMountPoint ?? false
        var batch = ScanBatch()
        batch.folders = [folder]
        control.record { progress in
            progress.problems += 1
            progress.fraction = min(1, progress.fraction + place.share)
        }
        pipeline.add(batch)
    }
}
