/// Random numbers that are the same in every run.
struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

extension String {
    /// The text with one to four places of it damaged.
    func mutated(_ numbers: inout Numbers) -> String {
        var bytes = Array(utf8)
        let alphabet = Array("\"'[]{}=.,#\n\\ @:-_1a\u{e9}".utf8)
        for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<12, using: &numbers) {
            case 0..<4: bytes.remove(at: place)
            case 4..<7: bytes[place] = alphabet.randomElement(using: &numbers) ?? 0
            case 7..<11: bytes.insert(alphabet.randomElement(using: &numbers) ?? 0, at: place)
            default: bytes.replaceSubrange(place..., with: bytes[place...].shuffled(using: &numbers).prefix(400))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
