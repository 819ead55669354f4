/// The choice of a directory's picture that stands for its songs where it need not have a name that MPD's clients know.
///
/// First comes what ``CoverChoice`` takes, then the same names with the extensions of other pictures and the names that
/// Windows gives (`AlbumArt`, `AlbumArtSmall`), in any case, and last the directory's only picture, whatever it is called.
package struct AlbumPictureChoice {
    private var usual = CoverChoice()
    private var named: (rank: Int, name: String)?
    private var only: String?
    private var count = 0

    private static let stems = ["cover", "folder", "front", "album", "albumart", "albumartsmall"]
    /// Of pictures' files, in lower case.
    package static let usualExtensions = [
        "jpg", "jpeg", "png", "webp", "gif", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl",
    ]
    private static let extensions = usualExtensions + ["jpe", "jfif", "hif"]

    package init() {}

    /// The choice among the names that were considered; `nil` when there is none.
    package var name: String? { usual.name ?? named?.name ?? (count == 1 ? only : nil) }

    /// Whether a file name is among the candidates.
    package static func mayChoose(_ name: some StringProtocol) -> Bool { parts(of: name) != nil }

    package mutating func consider(_ name: some StringProtocol) {
        guard let (stem, kind) = Self.parts(of: name) else { return }
        usual.consider(name)
        count += 1
        only = String(name)
        guard let place = Self.stems.firstIndex(of: stem) else { return }
        let rank = place * Self.extensions.count + kind
        if let named, (named.rank, named.name) <= (rank, String(name)) { return }
        named = (rank, String(name))
    }

    /// A picture's name in lower case, and the place of its extension.
    ///
    /// - Returns: `nil` for what is no picture, and for hidden files, such as those that a Mac leaves beside others.
    private static func parts(of name: some StringProtocol) -> (stem: String, kind: Int)? {
        guard name.utf8.first != UInt8(ascii: "."), let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[dot...].dropFirst().lowercased()
        return extensions.firstIndex(of: suffix).map { (name[..<dot].lowercased(), $0) }
    }

    /// Whether a directory's name is that of one of an album's discs, such as `CD1`, `Disc 2` or `Disk 03 - Live`.
    package static func isDisc(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        guard let word = ["cd", "disc", "disk"].first(where: name.hasPrefix) else { return false }
        let number = name.dropFirst(word.count).drop { " -_.#".contains($0) }
        let digits = number.prefix { $0.isASCII && $0.isNumber }
        let next = number.dropFirst(digits.count).first
        return (1...3).contains(digits.count) && next?.isLetter != true && next?.isNumber != true
    }
}
