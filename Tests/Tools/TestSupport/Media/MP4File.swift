/// Just enough of MP4 to add what FFmpeg does not write.
package struct MP4File {
    package private(set) var bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Adds `iTunSMPB`; the file must have tags and its samples before its `moov`, as FFmpeg writes it.
    mutating func addGaplessTag(delay: Int, padding: Int, frames: Int) {
        let numbers = [0, delay, padding].map { Self.hex($0, 8) } + [Self.hex(frames, 16)]
        let rest = Array(repeating: Self.hex(0, 8), count: 8)
        let text = " " + (numbers + rest).joined(separator: " ")
        let tag = Self.atom(
            "----",
            Self.atom("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8))
                + Self.atom("name", [0, 0, 0, 0] + Array("iTunSMPB".utf8))
                + Self.atom("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8))
        )
        add(tag, in: [("moov", 8), ("udta", 8), ("meta", 12), ("ilst", 8)])
    }

    /// Adds `ctts` to the first track: each packet is presented so many ticks after it is decoded.
    ///
    /// - Parameter packets: The number of packets.
    package mutating func addPresentationOffset(_ ticks: Int, packets: Int) {
        let content = [0, 1, packets, ticks].flatMap(Self.word)
        add(Self.atom("ctts", content), in: ["moov", "trak", "mdia", "minf", "stbl"].map { ($0, 8) })
    }

    /// Adds an atom at the end of another.
    ///
    /// - Parameter path: The names of those around it, from the outermost on, with the bytes before their contents.
    private mutating func add(_ atom: [UInt8], in path: [(name: String, header: Int)]) {
        var parents: [Int] = []
        var range = 0..<bytes.count
        for (name, header) in path {
            guard let place = find(name, in: range) else { preconditionFailure("no \(name) in the MP4 file") }
            parents.append(place)
            range = place + header..<place + size(at: place)
        }
        bytes.insert(contentsOf: atom, at: range.upperBound)
        for place in parents { bytes.replaceSubrange(place..<place + 4, with: Self.word(size(at: place) + atom.count)) }
    }

    private func size(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }

    private func find(_ name: String, in range: Range<Int>) -> Int? {
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            if bytes[place + 4..<place + 8].elementsEqual(name.utf8) { return place }
            let size = size(at: place)
            guard size >= 8 else { return nil }
            place += size
        }
        return nil
    }

    private static func atom(_ name: String, _ content: [UInt8]) -> [UInt8] {
        word(content.count + 8) + Array(name.utf8) + content
    }

    private static func word(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func hex(_ value: Int, _ digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
