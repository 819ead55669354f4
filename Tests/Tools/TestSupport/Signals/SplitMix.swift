/// A small generator whose numbers are the same everywhere.
package struct SplitMix: RandomNumberGenerator, Sendable {
    package var state: UInt64

    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Takes a stretch of a document away, repeats one elsewhere, changes a byte, or puts a piece in.
    package mutating func mutate(_ bytes: inout [UInt8], with pieces: [[UInt8]]) {
        let place = Int.random(in: 0...bytes.count, using: &self)
        let end = min(bytes.count, place + Int.random(in: 0...12, using: &self))
        switch Int.random(in: 0..<4, using: &self) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: pieces.randomElement(using: &self) ?? [], at: place)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &self))
        default: if place < bytes.count { bytes[place] = .random(in: 0...255, using: &self) }
        }
    }
}
