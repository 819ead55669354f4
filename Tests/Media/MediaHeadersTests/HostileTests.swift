import MediaHeaders
import TestSupport
import TestTiming
import Testing

@Suite struct HostileTests {
    @Test func billionsOfCommentsThatAreNotThereCostNothing() {
        let (result, file) = MadeMedia.read(MadeMedia.flac(["TITLE=T"], count: 0xffff_ffff), uri: "a.flac")
        #expect(result == .complete)
        #expect(file.lines.first == "Title=T")
    }

    @Test func whatIsKeptOfOneFileIsBounded() {
        let many = (0..<20_000).map { "ARTIST=Artist \($0)" }
        let file = MadeMedia.read(MadeMedia.flac(many), uri: "a.flac").1
        #expect(file.tags.count == 2000)
        let long = "COMMENT=" + String(repeating: "ü", count: 3_000_000)
        let other = MadeMedia.read(MadeMedia.flac([long, "TITLE=T"]), uri: "a.flac").1
        #expect(other.lines.count == 2)
        #expect(other.tags[0].1.utf8.count <= 8192)
        #expect(other.tags[0].1.allSatisfy { $0 == "ü" })
    }

    @Test func yearsWithoutEndAreLeft() {
        let years = MadeMedia.frame("TYER", MadeMedia.text(String(repeating: "1999\0", count: 500)), version: 3)
        let body = (0..<100).flatMap { _ in years }
        let file = MadeMedia.read(MadeMedia.id3(version: 3, body) + MadeMedia.mp3()).1
        #expect(file.tags.count <= 16)
    }

    @Test func sizesBeyondTheFileAreRefused() {
        var bytes = MadeMedia.flac(["TITLE=T"])
        // The vendor's length.
        bytes.replaceSubrange(46..<50, with: [0xff, 0xff, 0xff, 0x7f])
        #expect(MadeMedia.read(bytes, uri: "a.flac").1.tags.isEmpty)
        let box = MadeMedia.bigEndian(1, 4) + Array("moov".utf8) + [0x7f] + [UInt8](repeating: 0xff, count: 7)
        let movie = MadeMedia.bigEndian(16, 4) + Array("ftypM4A \0\0\0\0".utf8) + box
        #expect(MadeMedia.read(movie, uri: "a.m4a").0 == .unknown)
    }

    @Test func boxesInBoxesWithoutEndAreLeft() {
        var bytes: [UInt8] = []
        for _ in 0..<100_000 { bytes += MadeMedia.bigEndian(8, 4) + Array("trak".utf8) }
        let movie = MadeMedia.bigEndian(bytes.count + 8, 4) + Array("moov".utf8) + bytes
        #expect(MadeMedia.read(movie, uri: "a.m4a").0 == .unknown)
    }

    @Test func deeplyScatteredTagsReadOnlySoMuch() {
        // Each frame lies in a piece of its own; all of them would be 400 MB.
        var body: [UInt8] = []
        for number in 0..<200 {
            body += MadeMedia.frame("TIT2", MadeMedia.text("\(number)"), version: 3)
            body += MadeMedia.frame("PRIV", [UInt8](repeating: 0, count: 200_000), version: 3)
        }
        let start = threadSeconds()
        let file = MadeMedia.read(MadeMedia.id3(version: 3, body) + MadeMedia.mp3()).1
        #expect(file.tags.count == 200)
        #expect(threadSeconds() - start < 5)
    }

    /// Whatever is changed in a file, reading it ends, within bounds.
    @Test(arguments: 0..<16) func changedFilesAreRead(seed: UInt64) {
        var random = SplitMix(state: seed)
        let body =
            MadeMedia.frame("TIT2", MadeMedia.text("Title"))
            + MadeMedia.frame("APIC", [UInt8](repeating: 3, count: 3000))
            + MadeMedia.frame("TXXX", MadeMedia.text("CUESHEET\0x"))
        let samples: [[UInt8]] = [
            MadeMedia.id3(version: 4, body) + MadeMedia.mp3(frames: 20),
            MadeMedia.flac(["TITLE=T", "ARTIST=A", "TRACKNUMBER=3/4"], picture: 2000),
        ]
        for sample in samples {
            for _ in 0..<500 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 0..<min(bytes.count, 4000), using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                var reader = TagReader(bytes)
                #expect((reader.comments(ofID3: true) ?? []).count < 1000)
                #expect(reader.id3v2Picture().map { $0.bytes.count < bytes.count } ?? true)
                _ = reader.id3v2Volumes()
                let file = MadeMedia.read(bytes).1
                #expect(file.tags.count <= 2000)
                #expect(file.duration.map { $0.isFinite && $0 >= 0 } ?? true)
            }
        }
    }
}

/// A small generator that gives the same numbers each time.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
