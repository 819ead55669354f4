import HTTP
import TestThreads
import Testing

@Suite(.blocking) struct ICYTests {
    /// A body of sound with blocks in it, and what a listener is to get.
    private struct Body {
        var bytes: [UInt8] = []
        var sound: [UInt8] = []
        var titles: [String: Int] = [:]

        init(interval: Int, _ blocks: [String?]) {
            for (number, block) in blocks.enumerated() {
                let part = pattern(interval, seed: UInt32(number + 1))
                sound += part
                bytes += part
                let text = block.map { Array("StreamTitle='\($0)';".utf8) } ?? []
                let units = (text.count + 15) / 16
                bytes.append(UInt8(units))
                bytes += text + [UInt8](repeating: 0, count: units * 16 - text.count)
                if let block { titles[block] = sound.count }
            }
        }
    }

    /// Gives `bytes` to a stream in pieces.
    private func listen(_ bytes: [UInt8], interval: Int, pieces: [Int]) -> (sound: [UInt8], titles: [String: Int]) {
        var stream = ICYStream(interval: interval)
        var sound: [UInt8] = []
        var titles: [String: Int] = [:]
        var start = 0
        for count in pieces {
            var piece = Array(bytes[start..<start + count])
            start += count
            let kept = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe stream.strip(buffer) { block, place in
                    guard let metadata = ICYMetadata(block: block) else { return }
                    titles[metadata.title ?? ""] = sound.count + place
                }
            }
            sound += piece[..<kept]
        }
        return (sound, titles)
    }

    @Test func blocksAreFoundWhereverTheBytesAreSplit() {
        let body = Body(interval: 40, ["One", nil, "Two – zwei", nil, nil, "Three"])
        for first in 0...body.bytes.count {
            for second in [0, 1, 7, 16] {
                let last = body.bytes.count - first - second
                guard last >= 0 else { continue }
                let heard = listen(body.bytes, interval: 40, pieces: [first, second, last])
                #expect(heard.sound == body.sound)
                #expect(heard.titles == body.titles)
            }
        }
        let single = listen(body.bytes, interval: 40, pieces: body.bytes.map { _ in 1 })
        #expect(single.sound == body.sound)
        #expect(single.titles == body.titles)
    }

    @Test func theLongestBlockIsTaken() {
        let title = String(repeating: "x", count: 255 * 16 - 15)
        let body = Body(interval: 1, [title, nil])
        let heard = listen(body.bytes, interval: 1, pieces: [body.bytes.count])
        #expect(heard.sound == body.sound)
        #expect(heard.titles == [title: 1])
    }

    @Test(
        arguments: [
            ("StreamTitle='Artist - Title';", "Artist - Title", nil),
            ("StreamTitle='Don't Stop 'til You Get Enough';", "Don't Stop 'til You Get Enough", nil),
            ("StreamTitle='a';b';StreamUrl='http://h/';", "a';b", "http://h/"),
            ("StreamTitle='a; b';", "a; b", nil), ("StreamTitle='';", "", nil),
            ("StreamUrl='u';StreamTitle='t';", "t", "u"), ("streamtitle='t';STREAMURL='u'", "t", "u"),
            ("StreamTitle='cut off", "cut off", nil), ("StreamTitle='cut'", "cut", nil),
            ("StreamTitle='  spaces \u{0}\u{0}", "spaces", nil), ("StreamTitle='x'; StreamUrl='y';", "x", "y"),
            ("StreamTitle='日本 — 語';", "日本 — 語", nil), ("adw_ad='true';StreamTitle='t';durationMs='1';", "t", nil),
            ("StreamTitle=unquoted;", nil, nil), ("garbage", nil, nil), ("", nil, nil), ("StreamTitle='", "", nil),
        ] as [(String, String?, String?)]
    )
    func titlesAreRead(block: String, title: String?, url: String?) {
        let metadata = ICYMetadata(block: Array(block.utf8))
        #expect(metadata?.title == title)
        #expect(metadata?.url == url)
        #expect((metadata == nil) == (title == nil && url == nil))
    }

    @Test func whatIsNotUnicodeIsWindows1252() {
        let block = Array("StreamTitle='".utf8) + [0x4a, 0xf3, 0x67, 0x61, 0x20, 0x93, 0x71, 0x94] + Array("';".utf8)
        #expect(ICYMetadata(block: block)?.title == "Jóga “q”")
    }
}
