extension IcecastSource {
    /// What is on air, again and again.
    package struct Programme: Sendable {
        /// An encoded stream at a constant rate: one that can be joined at any byte, or Ogg.
        package let bytes: [UInt8]
        package let bytesPerSecond: Double
        package let type: String
        /// The headers of each stream of an Ogg programme, and where it begins.
        private let heads: [(offset: Int, bytes: [UInt8])]

        package init(_ bytes: [UInt8], seconds: Double, type: String) {
            self.bytes = bytes
            self.type = type
            bytesPerSecond = Double(bytes.count) / seconds
            heads = OggPage.heads(in: bytes)
        }

        package var seconds: Double { Double(bytes.count) / bytesPerSecond }

        /// What a listener who joins at a place has to be sent first, and where the rest begins.
        func entrance(at place: Int) -> (head: [UInt8], start: Int) {
            let inside = place % bytes.count
            guard let head = heads.last(where: { $0.offset <= inside }) else { return ([], place) }
            // The first page in front of which nothing is cut off.
            let end = head.offset + head.bytes.count
            let page = OggPage.first(in: bytes, from: max(inside, end)) ?? bytes.count
            return (head.bytes, place - inside + page)
        }
    }
}

/// Just enough of Ogg to join a stream in its middle.
private enum OggPage {
    private static let magic = Array("OggS".utf8)

    static func first(in bytes: [UInt8], from start: Int) -> Int? {
        var place = start
        while place + 27 <= bytes.count {
            if bytes[place..<place + 4].elementsEqual(magic) { return place }
            place += 1
        }
        return nil
    }

    /// The pages before the first with sound, of each stream in a chain.
    static func heads(in bytes: [UInt8]) -> [(offset: Int, bytes: [UInt8])] {
        var heads: [(offset: Int, bytes: [UInt8])] = []
        var isHead = false
        var place = 0
        while place + 27 <= bytes.count, bytes[place..<place + 4].elementsEqual(magic) {
            let count = Int(bytes[place + 26])
            let size = 27 + count + bytes[place + 27..<place + 27 + count].reduce(0) { $0 + Int($1) }
            let isFirst = bytes[place + 5] & 2 != 0
            let isSilent = bytes[place + 6..<place + 14].allSatisfy { $0 == 0 }
            if isFirst {
                heads.append((place, []))
                isHead = true
            }
            isHead = isHead && isSilent
            if isHead { heads[heads.count - 1].bytes += bytes[place..<place + size] }
            place += size
        }
        return heads
    }
}
