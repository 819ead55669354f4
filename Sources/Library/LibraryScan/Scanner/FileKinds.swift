internal import MediaFiles

/// What files are by the ends of their names, without making strings of these.
struct FileKinds {
    private let kinds: [UInt64: ScannedFile.Kind]
    private static let images = [
        "jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl",
    ]
    private static let playlists = ["m3u", "m3u8", "pls", "xspf", "cue"]

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

    /// `nil` for files that a library does not show.
    func kind(of name: ArraySlice<UInt8>) -> ScannedFile.Kind? {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return Self.code(name[(dot + 1)...]).flatMap { kinds[$0] }
    }

    /// At most eight letters in lower case, as a number.
    private static func code(_ suffix: ArraySlice<UInt8>) -> UInt64? {
        guard !suffix.isEmpty, suffix.count <= 8 else { return nil }
        return suffix.reduce(0) { $0 << 8 | UInt64((0x41...0x5a).contains($1) ? $1 | 0x20 : $1) }
    }
}

/// Which of a directory's pictures stands for songs that carry none.
///
/// `cover` before `folder`, `front` and `album`, in upper or lower case; of each PNG, JPEG, JPEG XL and WebP in this order.
/// MPD knows `cover` alone, in lower case.
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

    /// Whether a file of that name may be chosen.
    package static func mayChoose(_ name: some StringProtocol) -> Bool { rank(of: name) != nil }

    package mutating func consider(_ name: some StringProtocol) {
        guard let rank = Self.rank(of: name), rank < self.rank else { return }
        (self.rank, self.name) = (rank, String(name))
    }

    mutating func consider(_ name: ArraySlice<UInt8>) {
        guard name.count <= Self.longest else { return }
        consider(String(decoding: name, as: UTF8.self))
    }

    /// In bytes, of all names.
    private static let longest = 11

    private static func rank(of name: some StringProtocol) -> Int? {
        guard name.utf8.count <= longest else { return nil }
        let lowercased = name.lowercased()
        // The name in lower case before others that differ by that.
        return ranks[lowercased].map { 2 * $0 + (name == lowercased ? 0 : 1) }
    }
}
