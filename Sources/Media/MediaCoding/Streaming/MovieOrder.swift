/// The place of an MP4 file's index, as its first bytes tell it (ISO 14496-12, section 8.2.1).
package enum MovieOrder: Sendable, Hashable {
    /// The index stands before the media, or it is no such file.
    case indexFirst
    /// The media stand before the index.
    case mediaFirst
    /// So many of its first bytes tell.
    case unclear(needed: Int)

    /// In bytes: the boxes before the media are that short.
    package static let longestHead = 256 << 10
    /// In bytes: a file whose media stand first is read through up to this size, if it cannot be sought in.
    package static let longestGathered = 64 << 20

    /// Boxes that may come before both.
    private static let leading: Set = ["ftyp", "free", "skip", "wide", "pnot", "uuid", "styp"]

    package init(of bytes: [UInt8]) {
        var place = 0
        while bytes.count >= place + 8 {
            let name = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            if name == "mdat" {
                self = .mediaFirst
                return
            }
            guard Self.leading.contains(name), case let size = bytes.bigEndian(at: place, count: 4), size >= 8,
                place + Int(size) <= Self.longestHead - 8
            else {
                self = .indexFirst
                return
            }
            place += Int(size)
        }
        self = .unclear(needed: place + 8)
    }
}
