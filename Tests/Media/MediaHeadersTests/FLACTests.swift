import MediaHeaders
import TestSupport
import Testing

/// FLAC's blocks, in whatever order they come.
@Suite struct FLACTests {
    private static let large = 300_000

    @Test(arguments: [0, 100, large])
    func aSheetIsFoundBehindAPicture(_ picture: Int) {
        let bytes = MadeMedia.flac([
            MadeMedia.comments(["TITLE=T"]), MadeMedia.picture(picture), MadeMedia.padding(5_000),
            MadeMedia.cueSheet([0, 88_200, 220_500]), MadeMedia.padding(100),
        ])
        let (result, file) = MadeMedia.read(bytes, uri: "a.flac")
        #expect(result == .complete)
        #expect(file.lines == ["Title=T"])
        #expect(file.cover == .embedded)
        let indexes = file.cueSheet?.split(separator: "\n").filter { $0.hasPrefix("INDEX") }
        #expect(indexes == ["INDEX 1 0:0:0", "INDEX 1 0:2:0", "INDEX 1 0:5:0"])
        // What is heard are the bytes behind all blocks.
        #expect(file.bitRate == 4_000)
    }

    /// Files that may be undecodable are left to libavformat, and keep their identity.
    @Test func damageIsLeftToLibavformat() throws {
        let whole = MadeMedia.flac(["TITLE=T"])
        let identity = try #require(MadeMedia.read(whole, uri: "a.flac").1.portableID)
        let frames = try #require(whole.indices.first { whole[$0...].starts(with: [0xff, 0xf8, 0xc0, 0x10]) })
        var noFrame = whole
        noFrame[frames] = 0
        var wrongSum = whole
        wrongSum[frames + 5] ^= 1
        for (name, bytes) in [
            ("no frame", noFrame), ("a wrong checksum", wrongSum), ("half a frame", Array(whole[..<(frames + 10)])),
        ] {
            let (result, file) = MadeMedia.read(bytes, uri: "a.flac")
            #expect(result == .unknown, "\(name)")
            #expect(file.lines == ["Title=T"], "\(name)")
            #expect(file.portableID == identity, "\(name)")
        }
        #expect(MadeMedia.read(Array(whole[..<(frames + 14)]), uri: "a.flac").0 == .complete)
        // 32 bits; the first block with another size than it has.
        var deep = whole
        (deep[20], deep[21]) = (deep[20] | 1, 0xf0)
        #expect(MadeMedia.read(deep, uri: "a.flac").0 == .unknown)
        var long = whole
        long[7] = 38
        long.insert(contentsOf: [0, 0, 0, 0], at: 42)
        #expect(MadeMedia.read(long, uri: "a.flac").0 == .unknown)
    }

    @Test func aSheetAmongCommentsIsFoundBehindPictures() {
        let pictures = Array(repeating: MadeMedia.picture(Self.large), count: 3)
        let comments = MadeMedia.comments(["CUESHEET=FILE", "TITLE=T"])
        let file = MadeMedia.read(MadeMedia.flac(pictures + [comments]), uri: "a.flac").1
        #expect(file.cueSheet == "FILE")
        #expect(file.lines == ["Title=T"])
        #expect(file.cover == .embedded)
    }
}
