/// The metadata blocks of a FLAC stream (RFC 9639, section 8), in their order.
struct FLACBlocks {
    /// The start of the next block; after the last one, the start of the frames.
    private(set) var place: Int
    /// Whether a block's header could not be read.
    private(set) var isBroken = false
    private var isOver = false
    private var count = 0

    /// More blocks than a valid file has.
    private static let limit = 1024

    enum Kind: UInt8 {
        case streamInfo = 0
        case comments = 4
        case cueSheet = 5
        case picture = 6
    }

    struct Block {
        /// `nil` for kinds that are skipped.
        let kind: Kind?
        /// May extend beyond the file.
        let content: Range<Int>
    }

    /// - Parameter start: Where `fLaC` is.
    init(at start: Int) { place = start + 4 }

    /// The next block, whose content is not read; `nil` after the last one.
    mutating func next(_ window: inout ByteWindow) -> Block? {
        guard !isOver, count < Self.limit else { return nil }
        guard let header = window.bigEndian(place, 4) else {
            isBroken = true
            return nil
        }
        let start = place + 4
        place = start + header & 0xff_ffff
        isOver = header >> 31 != 0
        count += 1
        return Block(kind: Kind(rawValue: UInt8(header >> 24 & 0x7f)), content: start..<place)
    }
}
