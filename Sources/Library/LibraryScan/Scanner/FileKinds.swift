internal import MediaExpansion
internal import MediaHeaders
internal import PictureValues

/// Determines the kinds of files by their name suffixes, without allocating strings.
struct FileKinds {
    private let kinds: [UInt64: ScannedFile.Kind]
    private static let playlists = ["m3u", "m3u8", "pls", "xspf", "asx", "wax", "wvx", "cue"]

    init() {
        var kinds: [UInt64: ScannedFile.Kind] = [:]
        func add(_ suffixes: [String], _ kind: ScannedFile.Kind) {
            for suffix in suffixes { if let code = Self.code(Array(suffix.utf8)[...]) { kinds[code] = kind } }
        }
        add(MediaType.videoExtensions, .video)
        add(MediaType.audioExtensions, .audio)
        add(AlbumPictureChoice.usualExtensions, .image)
        add(Self.playlists, .playlist)
        self.kinds = kinds
    }

    /// `nil` for files that a library does not list.
    func kind(of name: ArraySlice<UInt8>) -> ScannedFile.Kind? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return Self.code(name[(dot + 1)...]).flatMap { kinds[$0] }
    }

    /// A suffix of at most eight letters in lower case, packed into a number.
    private static func code(_ suffix: ArraySlice<UInt8>) -> UInt64? {
        guard !suffix.isEmpty, suffix.count <= 8 else { return nil }
        return suffix.reduce(0) { $0 << 8 | UInt64((0x41...0x5a).contains($1) ? $1 | 0x20 : $1) }
    }
}
