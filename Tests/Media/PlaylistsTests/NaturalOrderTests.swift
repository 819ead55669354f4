import Playlists
import Testing

struct NaturalOrderTests {
    @Test(arguments: [
        ["track 2", "track 10"],
        ["a", "B", "c"],
        ["01 x", "2 x", "10 x"],
        ["1", "01", "001", "2"],
        ["a1b2", "a1b10", "a02b1"],
        ["x", "x1"],
        ["", "a"],
        ["A", "a"],
        ["ÄRA", "ära 2"],
        ["9999999999999999999999998", "9999999999999999999999999"],
        ["1.2.9", "1.2.10"],
    ]) func `sorts as people do`(sorted: [String]) {
        let keys = sorted.map(NaturalKey.init)
        #expect(keys.reversed().sorted() == keys)
        for (place, key) in keys.enumerated() {
            for later in keys[place...] { #expect(!(later < key)) }
        }
    }

    @Test func `is a total order`() {
        var generator = SeededGenerator(seed: 7)
        let letters = Array("01aA2 .é")
        for _ in 0..<20_000 {
            let texts = (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                        letters.randomElement(using: &generator) ?? " "
                    }
                )
            }
            let (a, b, c) = (NaturalKey(texts[0]), NaturalKey(texts[1]), NaturalKey(texts[2]))
            #expect((a < b ? 1 : 0) + (b < a ? 1 : 0) + (texts[0] == texts[1] ? 1 : 0) == 1, "\(texts)")
            if a < b, b < c { #expect(a < c, "\(texts)") }
        }
    }
}
