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
        if let comments = StoredComments.read(TagSource(try open(uri, O_RDONLY)), ofID3: true) { return comments }
        let path = try resolve(uri)
        guard let info = try? FileProbe.info(path) else {
            throw .notPlayable(uri)
        }
        return info.tags.names.flatMap { name in info.tags[all: name].map { (name, $0) } }
    }
}

/// Names and values as they are stored, of the formats of which libavformat gives other names, or all values as one.
enum StoredComments {
    /// `nil` when the file has none of these formats.
    ///
    /// - Parameter ofID3: Whether ID3v2's own words (`TXXX`) count.
    static func read(_ source: borrowing TagSource, ofID3: Bool) -> [(String, String)]? {
        var start = 0
        if let tag = ID3v2(source) {
            start = tag.end
            if source.bytes(at: start, count: 4) != Array("fLaC".utf8), ofID3 { return tag.comments }
        }
        if source.bytes(at: start, count: 4) == Array("fLaC".utf8) { return FLACComments.read(source, at: start) }
        return OggComments.read(source) ?? APEComments.read(source)
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
