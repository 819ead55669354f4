private import Caching
internal import CivilTime
package import Files
private import Glibc
internal import LibraryScan
package import MediaCoding
internal import PictureValues
internal import Songs
private import Synchronization

/// The pictures that were asked for last: clients fetch each in many small pieces, often several clients the same one.
///
/// Whatever is kept is given only while its file is the same; nothing stays open. May be used from any thread.
package final class PictureCache: Sendable {
    /// The picture in a song's file.
    private struct Embedded {
        let source: PictureSource
        let picture: MediaPicture?

        /// In bytes, with an allowance for what surrounds the picture.
        var size: Int { (picture?.bytes.count ?? 0) + 256 }
    }

    /// The picture in a directory.
    private struct Cover {
        let state: FileStatus
        let name: String?
    }

    private struct CoverKey: Hashable {
        let folder: ExactText
        /// Whether it may have any name.
        let isOfAnyName: Bool
    }

    /// By the songs' URIs.
    private let embedded: Mutex<BoundedCache<ExactText, Embedded>>
    private let covers = Mutex(BoundedCache<CoverKey, Cover>(capacity: folderCount))
    private let restlessness: Duration

    /// Directories whose covers are kept by name; each counts twice where another one than the usual was looked for.
    private static let folderCount = 128

    /// - Parameters:
    ///   - capacity: In bytes; one picture is kept however large it is.
    ///   - restlessness: For so long after a change the next one may bear the same time, as file systems count in steps.
    package init(capacity: Int = 4_194_304, restlessness: Duration = .milliseconds(50)) {
        embedded = Mutex(BoundedCache(capacity: capacity))
        self.restlessness = restlessness
    }

    /// The picture that `readpicture` gives: the one in a song's file.
    ///
    /// Blocks.
    ///
    /// - Parameter hasPicture: Says of a file in a certain state whether there is a picture in it, without looking; `nil`
    ///   when that is not known.
    package func picture(
        _ uri: String,
        in music: MusicDirectory,
        hasPicture: (_ file: String, _ state: FileStatus) -> Bool?
    ) throws(MusicDirectoryError) -> MediaPicture? {
        if let kept = embedded.withLock({ $0.value(for: ExactText(uri)) }), try music.isCurrent(kept.source) {
            return kept.picture
        }
        let source = try music.pictureSource(uri)
        let mayHave = hasPicture(source.file, source.state) ?? true
        let found = Embedded(source: source, picture: mayHave ? try music.picture(source) : nil)
        if isSettled(source.state) {
            embedded.withLock { $0.keep(found, for: ExactText(uri), cost: found.size) }
        }
        return found.picture
    }

    /// The picture that `albumart` gives: the one beside a song.
    ///
    /// Blocks.
    ///
    /// - Parameter known: Gives the name of the picture in a directory of a certain state; `nil` when that is not known.
    package func coverFile(
        _ uri: String,
        in music: MusicDirectory,
        known: (_ folder: String, _ state: FileStatus) -> String?
    ) throws(MusicDirectoryError) -> CoverFile? {
        try coverFile(inFolder: music.coverFolder(of: uri), in: music, known: known)
    }

    /// The picture that stands for a song, whatever it is called: beside the song, or beside its album's disc.
    ///
    /// Blocks.
    ///
    /// - Parameter known: As for ``coverFile(_:in:known:)``.
    package func albumPicture(
        _ uri: String,
        in music: MusicDirectory,
        known: (_ folder: String, _ state: FileStatus) -> String?
    ) throws(MusicDirectoryError) -> CoverFile? {
        let folder = music.coverFolder(of: uri)
        if let found = try albumPicture(inFolder: folder, in: music, known: known) { return found }
        let name = folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { folder[$0...].dropFirst() } ?? folder[...]
        guard AlbumPictureChoice.isDisc(name) else { return nil }
        return try albumPicture(inFolder: music.parent(of: folder), in: music, known: known)
    }

    private func albumPicture(
        inFolder folder: String,
        in music: MusicDirectory,
        known: (_ folder: String, _ state: FileStatus) -> String?
    ) throws(MusicDirectoryError) -> CoverFile? {
        if let usual = try coverFile(inFolder: folder, in: music, known: known) { return usual }
        guard let now = try folderState(folder, in: music) else { return nil }
        if let kept = kept(folder, now, isOfAnyName: true) {
            return try music.coverFile(named: kept.name, in: folder)
        }
        let name = try music.albumPictureName(in: folder)
        keep(Cover(state: now, name: name), folder, isOfAnyName: true)
        return try music.coverFile(named: name, in: folder)
    }

    /// - Returns: `nil` for what is no directory, or not there.
    private func folderState(
        _ folder: String,
        in music: MusicDirectory
    ) throws(MusicDirectoryError) -> FileStatus? {
        do throws(MusicDirectoryError) {
            let state = try music.state(of: folder)
            return state.kind == .folder ? state : nil
        } catch {
            if case .doesNotExist = error { return nil }
            throw error
        }
    }

    private func coverFile(
        inFolder folder: String,
        in music: MusicDirectory,
        known: (_ folder: String, _ state: FileStatus) -> String?
    ) throws(MusicDirectoryError) -> CoverFile? {
        guard let now = try folderState(folder, in: music) else { return nil }
        if let kept = kept(folder, now) { return try music.coverFile(named: kept.name, in: folder) }
        if let name = known(folder, now), let file = try music.coverFile(named: name, in: folder) {
            keep(Cover(state: now, name: name), folder)
            return file
        }
        let name = try music.coverName(in: folder)
        keep(Cover(state: now, name: name), folder)
        return try music.coverFile(named: name, in: folder)
    }

    // MARK: - What is kept

    /// Whether the next change will show.
    private func isSettled(_ state: FileStatus) -> Bool {
        Int64(saturating: wallClock() * 1e9) - state.changed >= Int64(saturating: restlessness / .nanoseconds(1))
    }

    private func kept(_ folder: String, _ now: FileStatus, isOfAnyName: Bool = false) -> Cover? {
        let key = CoverKey(folder: ExactText(folder), isOfAnyName: isOfAnyName)
        guard let cover = covers.withLock({ $0.value(for: key) }), cover.state == now else { return nil }
        return cover
    }

    private func keep(_ cover: Cover, _ folder: String, isOfAnyName: Bool = false) {
        guard isSettled(cover.state) else { return }
        covers.withLock { $0.keep(cover, for: CoverKey(folder: ExactText(folder), isOfAnyName: isOfAnyName)) }
    }
}
