/// Chooses the picture of a directory that stands for songs without pictures of their own.
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

    /// The names of candidates, in lower case.
    package static let names = ranks.sorted { $0.value < $1.value }.map(\.key)

    package init() {}

    /// Whether a file name is among the candidates.
    package static func mayChoose(_ name: some StringProtocol) -> Bool { rank(of: name) != nil }

    package mutating func consider(_ name: some StringProtocol) {
        guard let rank = Self.rank(of: name), rank < self.rank else { return }
        (self.rank, self.name) = (rank, String(name))
    }

    package mutating func consider(_ name: ArraySlice<UInt8>) {
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
