extension SegmentContainer {
    /// How many bytes are needed to detect a segment's container.
    static let sniffedBytes = 1_024

    /// The length of the ID3 tag that packed audio begins with; 0 when there is none, or one too long to be kept.
    static func tagLength(_ bytes: [UInt8]) -> Int {
        guard bytes.count >= 10, bytes.starts(with: "ID3".utf8) else { return 0 }
        let size = 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
        return size <= longestTag ? size : 0
    }

    /// In bytes: with a picture of what is heard.
    private static let longestTag = 1 << 20

    /// Detects the container of a segment's first bytes; `nil` when it is not supported.
    init?(firstBytes bytes: [UInt8]) {
        if Self.isMP4(bytes) {
            self = .fragmentedMP4
        } else if Self.isWebM(bytes) {
            self = .webM
        } else if Self.isTransportStream(bytes) {
            self = .mpegTS
        } else if Self.isPackedAudio(bytes) {
            self = .packedAudio
        } else {
            return nil
        }
    }

    /// A box's four-letter name after its size.
    private static func isMP4(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 8 else { return false }
        let names = ["ftyp", "styp", "moof", "moov", "sidx", "prft", "emsg", "mdat", "free", "skip", "uuid", "ssix"]
        return names.contains { bytes[4..<8].elementsEqual($0.utf8) }
    }

    /// An EBML header, or the start of a segment: a cluster or an index of clusters.
    private static func isWebM(_ bytes: [UInt8]) -> Bool {
        [[0x1a, 0x45, 0xdf, 0xa3], [0x1f, 0x43, 0xb6, 0x75], [0x1c, 0x53, 0xbb, 0x6b]].contains {
            bytes.starts(with: $0 as [UInt8])
        }
    }

    /// Two consecutive packets; the first may be incomplete.
    private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
        let packet = 188
        guard bytes.count >= packet else { return false }
        return (0..<min(packet, bytes.count)).contains { place in
            bytes[place] == 0x47 && (place + packet >= bytes.count ? place == 0 : bytes[place + packet] == 0x47)
        }
    }

    private static func isPackedAudio(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: "ID3".utf8) { return true }
        guard bytes.count >= 2 else { return false }
        // MPEG audio and ADTS have eleven bits set; AC-3 and E-AC-3 have a word of their own.
        return bytes[0] == 0xff && bytes[1] & 0xe0 == 0xe0 || bytes[0] == 0x0b && bytes[1] == 0x77
    }
}
