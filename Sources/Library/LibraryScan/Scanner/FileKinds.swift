internal import MediaExpansion
internal import MediaHeaders

/// Determines the kinds of files by their name suffixes, without allocating strings.
struct FileKinds {
    private let kinds: [UInt64: ScannedFile.Kind]
    static let images = [
        "jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl",
    ]
    private static let playlists = ["m3u", "m3u8", "pls", "xspf", "asx", "wax", "wvx", "cue"]

    init() {
        var kinds: [UInt64: ScannedFile.Kind] = [:]
        func add(_ suffixes: [String], _ kind: ScannedFile.Kind) {
            for suffix in suffixes { if let code = Self.code(Array(suffix.utf8)[...]) { kinds[code] = kind } }
        }
        add(MediaType.videoExtensions, .video)
        add(MediaType.audioExtensions, .audio)
        add(Self.images, .image)
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

/// Which of a directory's pictures stands for songs without pictures of their own.
///
/// `cover` takes precedence over `folder`, `front` and `album`, in any case; for each name, the order is PNG, JPEG,
/// JPEG XL, WebP. MPD knows only `cover`, in lower case.
package struct CoverChoice {
    package private(set) var name: String?
    private var rank = Int.max
    private static let ranks: [String: Int] = {
        var ranks: [String: Int] = [:]
        for stem in ["cover", "folder", "front", "album"] {
            for suffix in ["png", "jpg", "jpeg", "jxl", "webp"] { ranks[stem + "." + suffix] = ranks.count }
        }
        return ranks
    }()

    package init() {}

    /// Whether a file name is among the candidates.
    package static func mayChoose(_ name: some StringProtocol) -> Bool { rank(of: name) != nil }

    package mutating func consider(_ name: some StringProtocol) {
        guard let rank = Self.rank(of: name), rank < self.rank else { return }
        (self.rank, self.name) = (rank, String(name))
    }

    mutating func consider(_ name: ArraySlice<UInt8>) {
        guard name.count <= Self.longest else { return }
        consider(String(decoding: name, as: UTF8.self))
    }

    /// The length of the longest name, in bytes.
    private static let longest = 11

    private static func rank(of name: some StringProtocol) -> Int? {
        guard name.utf8.count <= longest else { return nil }
        let lowercased = name.lowercased()
        // Of names that differ only in case, the one in lower case comes first.
        return ranks[lowercased].map { 2 * $0 + (name == lowercased ? 0 : 1) }
    }
}
