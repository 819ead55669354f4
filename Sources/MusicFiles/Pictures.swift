internal import AudioTypes
package import FFmpeg
internal import Glibc
internal import Playlists

extension MusicDirectory {
    /// What `readpicture` gives: the cover in the song's file, whole, so that the caller can hand it out piece by piece.
    ///
    /// Blocks.
    package func picture(_ uri: String) throws(MusicFilesError) -> MediaPicture? {
        var uri = uri
        if let sheet = try cueSheet(of: uri) {
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == sheet.track }) else {
                throw .doesNotExist(uri)
            }
            uri = track.file
        }
        guard try state(of: uri).kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        let path = try resolve(uri)
        do {
            return try MediaProbe.picture(Playlists.location(ofFileSystemPath: path.bytes))
        } catch {
            throw .notPlayable(uri)
        }
    }

    /// What `albumart` gives: the picture file beside a song, which itself need not exist; `nil` when there is none.
    ///
    /// `cover` before `folder`, `front` and `album`, in upper or lower case; of each PNG, JPEG, JPEG XL and WebP in this
    /// order. MPD knows `cover` alone, in lower case.
    ///
    /// Blocks.
    package func coverFile(_ uri: String) throws(MusicFilesError) -> CoverFile? {
        var folder = parent(of: uri)
        // A cue sheet's tracks have the cover beside the sheet.
        if PlaylistFormat(nameOf: folder) == .cue, (try? state(of: folder))?.kind == .file {
            folder = parent(of: folder)
        }
        let scan: DirectoryScan
        do {
            scan = try DirectoryScan(self, folder)
        } catch {
            if case .doesNotExist = error { return nil }
            throw error
        }
        let files = scan.files.filter { $0.state.kind == .file }
        for name in ["cover", "folder", "front", "album"] {
            for suffix in ["png", "jpg", "jpeg", "jxl", "webp"] {
                let wanted = name + "." + suffix
                guard
                    let found = files.first(where: { $0.name == wanted })
                        ?? files.first(where: { $0.name.lowercased() == wanted })
                else { continue }
                return try CoverFile(self, folder.isEmpty ? found.name : folder + "/" + found.name)
            }
        }
        return nil
    }

    private func parent(of uri: String) -> String {
        uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? ""
    }
}

/// A picture file that is open, to be read piece by piece.
package final class CoverFile: Sendable {
    package let uri: String
    /// In bytes.
    package let size: Int
    private let file: Descriptor

    fileprivate init(_ music: MusicDirectory, _ uri: String) throws(MusicFilesError) {
        let file = try music.open(uri, O_RDONLY)
        guard let state = file.state else { throw .system(errno, uri) }
        self.uri = uri
        size = state.size
        self.file = file
    }

    /// The bytes from `offset` on, at most `count`; none behind the end.
    ///
    /// Blocks.
    package func bytes(at offset: Int, count: Int) throws(MusicFilesError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        guard let bytes = file.bytes(at: offset, count: min(count, size - offset)) else { throw .system(errno, uri) }
        return bytes
    }
}
