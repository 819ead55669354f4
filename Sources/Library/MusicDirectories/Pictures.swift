internal import AudioTypes
package import Files
internal import LibraryScan
package import MediaCoding
internal import PictureValues
internal import Playlists

/// Where a song's picture is, and what that was when it was found out.
struct PictureSource {
    /// The file's URI.
    let file: String
    let state: FileStatus
    /// The CUE sheet that the song is a track of, when it is one.
    let sheet: CueSheetPlace?
}

extension MusicDirectory {
    /// The picture that `readpicture` gives: the cover in the song's file, whole.
    ///
    /// Blocks.
    package func picture(_ uri: String) throws(MusicDirectoryError) -> MediaPicture? { try picture(pictureSource(uri)) }

    /// Opens a song's file, or that of which it is a part, for pictures in it.
    ///
    /// Blocks.
    ///
    /// - Parameter hasPicture: As for ``PictureCache/picture(_:in:hasPicture:)``.
    package func openForPicture(
        _ uri: String,
        hasPicture: (_ file: String, _ state: FileStatus) -> Bool?
    ) throws(MusicDirectoryError) -> PictureFile {
        let file = try pictureFile(of: uri, on: cueSheet(of: uri))
        let descriptor = try open(file, .reading)
        let status: FileStatus
        do { status = try descriptor.status } catch { throw .system(error, file) }
        guard status.kind == .file else { throw .notPlayable(uri) }
        return PictureFile(descriptor: descriptor, mayHavePicture: hasPicture(file, status) ?? true)
    }

    /// The file that a song is or, as a track of a CUE sheet, is a part of.
    private func pictureFile(of uri: String, on sheet: CueSheetPlace?) throws(MusicDirectoryError) -> String {
        guard let sheet else { return uri }
        guard let track = try cueTracks(sheet.uri).first(where: { $0.number == sheet.track }) else {
            throw .doesNotExist(uri)
        }
        return track.file
    }

    func pictureSource(_ uri: String) throws(MusicDirectoryError) -> PictureSource {
        let sheet = try cueSheet(of: uri)
        let file = try pictureFile(of: uri, on: sheet)
        let state = try state(of: file)
        guard state.kind == .file, isPlayable(file) else { throw .notPlayable(uri) }
        return PictureSource(file: file, state: state, sheet: sheet)
    }

    /// Whether nothing has changed since.
    func isCurrent(_ source: PictureSource) throws(MusicDirectoryError) -> Bool {
        if let sheet = source.sheet, try state(of: sheet.uri) != sheet.state { return false }
        return try state(of: source.file) == source.state
    }

    func picture(_ source: PictureSource) throws(MusicDirectoryError) -> MediaPicture? {
        do {
            return try FileProbe.picture(source.file, in: self)
        } catch let error as MusicDirectoryError {
            throw error
        } catch {
            throw .notPlayable(source.file)
        }
    }

    /// The picture that `albumart` gives: the file beside a song, which itself need not exist; `nil` without one.
    ///
    /// Blocks.
    package func coverFile(_ uri: String) throws(MusicDirectoryError) -> CoverFile? {
        try PictureCache().coverFile(uri, in: self) { _, _ in nil }
    }

    /// The directory where a song's cover is looked for.
    func coverFolder(of uri: String) -> String {
        let folder = parent(of: uri)
        // A cue sheet's tracks have the cover beside the sheet.
        guard PlaylistFormat(nameOf: folder) == .cue, (try? state(of: folder))?.kind == .file else { return folder }
        return parent(of: folder)
    }

    /// The name of the picture in a directory; `nil` when there is none.
    func coverName(in folder: String) throws(MusicDirectoryError) -> String? {
        var choice = CoverChoice()
        for file in try DirectoryScan(self, folder, where: CoverChoice.mayChoose).files where file.state.kind == .file {
            choice.consider(file.name)
        }
        return choice.name
    }

    /// The name of the picture in a directory that stands for its songs, whatever it is called; `nil` when there is none.
    func albumPictureName(in folder: String) throws(MusicDirectoryError) -> String? {
        var choice = AlbumPictureChoice()
        let scan = try DirectoryScan(self, folder, where: AlbumPictureChoice.mayChoose)
        for file in scan.files where file.state.kind == .file { choice.consider(file.name) }
        return choice.name
    }

    /// - Returns: `nil` when it is not there.
    func coverFile(named name: String?, in folder: String) throws(MusicDirectoryError) -> CoverFile? {
        guard let name else { return nil }
        do throws(MusicDirectoryError) {
            return try CoverFile(self, folder.isEmpty ? name : folder + "/" + name)
        } catch {
            if case .doesNotExist = error { return nil }
            throw error
        }
    }

    func parent(of uri: String) -> String {
        uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? ""
    }
}

/// An open file that may have a picture in it.
package struct PictureFile: ~Copyable {
    package let descriptor: Descriptor
    /// `false` when it is known to have no embedded one.
    package let mayHavePicture: Bool
}

/// A picture file that is open, to be read piece by piece.
package final class CoverFile: Sendable {
    package let uri: String
    /// In bytes.
    package let size: Int
    private let file: Descriptor

    /// The open file's descriptor, which lives as long as this.
    package var number: Int32 { file.number }

    fileprivate init(_ music: MusicDirectory, _ uri: String) throws(MusicDirectoryError) {
        let file = try music.open(uri, .reading)
        do { size = try file.status.size } catch { throw .system(error, uri) }
        self.uri = uri
        self.file = file
    }

    /// The bytes from `offset` on, at most `count`; none behind the end.
    ///
    /// Blocks.
    package func bytes(at offset: Int, count: Int) throws(MusicDirectoryError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        do {
            return try file.bytes(at: offset, count: min(count, size - offset))
        } catch {
            throw .system(error, uri)
        }
    }
}
