internal import AudioTypes
internal import FFmpeg
internal import Glibc
internal import Playlists

extension MusicDirectory {
    /// What `readcomments` shows: the names and values that a file has, as they are stored.
    ///
    /// Vorbis comments (FLAC, Ogg), ID3v2's own words (`TXXX`) and APE items come in their order, with every value. Of other
    /// formats FFmpeg's names are given, in lower case. A CUE sheet is left out, as in MPD: it is shown as a playlist.
    ///
    /// Blocks.
    package func readComments(_ uri: String) throws(MusicFilesError) -> [(String, String)] {
        var uri = uri
        if let sheet = try cueSheet(of: uri) {
            guard let track = try cueTracks(sheet.uri).first(where: { $0.number == sheet.track }) else {
                throw .doesNotExist(uri)
            }
            uri = track.file
        }
        return try comments(ofFile: uri).filter { $0.0.lowercased() != "cuesheet" }
    }

    private func comments(ofFile uri: String) throws(MusicFilesError) -> [(String, String)] {
        guard try state(of: uri).kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        if let comments = try storedComments(uri, decodesFrames: false) { return comments }
        let path = try resolve(uri)
        guard let info = try? FileProbe.info(path) else {
            throw .notPlayable(uri)
        }
        return info.tags.names.flatMap { name in info.tags[all: name].map { (name, $0) } }
    }

    /// The comments of the formats that are read here; `nil` when the file has none of them.
    ///
    /// - Parameter decodesFrames: Whether ID3v2's frames are given too, under FFmpeg's names for them.
    func storedComments(_ uri: String, decodesFrames: Bool) throws(MusicFilesError) -> [(String, String)]? {
        let source = TagSource(try open(uri, O_RDONLY))
        let head = source.bytes(at: 0, count: 4)
        if head == Array("OggS".utf8) { return OggComments.read(source) }
        if head == Array("fLaC".utf8) { return FLACComments.read(source, at: 0) }
        if let tag = ID3v2.read(source, decodesFrames: decodesFrames) {
            if source.bytes(at: tag.end, count: 4) == Array("fLaC".utf8) {
                return FLACComments.read(source, at: tag.end)
            }
            if !tag.comments.isEmpty || !decodesFrames { return tag.comments }
        }
        return APEComments.read(source)
    }
}

/// A file whose tags are read.
struct TagSource: ~Copyable {
    private let file: Descriptor
    let size: Int

    /// More than any tag has, pictures included; what claims more is damaged.
    static let limit = 32 * 1_048_576

    init(_ file: consuming Descriptor) {
        size = file.state?.size ?? 0
        self.file = file
    }

    /// At most `count` bytes, fewer at the end of the file.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        guard offset >= 0, count > 0, offset < size else { return [] }
        return file.bytes(at: offset, count: min(count, size - offset)) ?? []
    }
}

extension [UInt8] {
    /// A number of `count` bytes, the last one first; 0 when they are not all there.
    func littleEndian(at offset: Int, count: Int = 4) -> Int {
        guard offset >= 0, offset + count <= self.count else { return 0 }
        return self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of `count` bytes, the first one first; 0 when they are not all there.
    func bigEndian(at offset: Int, count: Int = 4) -> Int {
        guard offset >= 0, offset + count <= self.count else { return 0 }
        return self[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
