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

    @Test func aSheetAmongCommentsIsFoundBehindPictures() {
        let pictures = Array(repeating: MadeMedia.picture(Self.large), count: 3)
        let comments = MadeMedia.comments(["CUESHEET=FILE", "TITLE=T"])
        let file = MadeMedia.read(MadeMedia.flac(pictures + [comments]), uri: "a.flac").1
        #expect(file.cueSheet == "FILE")
        #expect(file.lines == ["Title=T"])
        #expect(file.cover == .embedded)
    }
}
