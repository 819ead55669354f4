import MediaScan
import Songs
import Testing

/// What ID3v2's numbers, dates and comments say.
@Suite struct ID3MeaningTests {
    private func lines(_ frames: [(String, String)], version: UInt8) -> [String] {
        let body = frames.flatMap { MadeMedia.frame($0.0, MadeMedia.text($0.1, encoding: 0), version: version) }
        return MadeMedia.read(MadeMedia.id3(version: version, body) + MadeMedia.mp3()).1.lines
    }

    // MARK: - Genres

    @Test(
        arguments: [
            ("17", ["Rock"]), ("(17)", ["Rock"]), ("(17)Rock", ["Rock"]), ("(17)Hard", ["Rock", "Hard"]),
            ("(51)(39)", ["Techno-Industrial", "Noise"]), ("(17)(18)", ["Rock", "Techno"]),
            ("(4)Eurodisco", ["Disco", "Eurodisco"]), ("(137)", ["Heavy Metal"]), ("137", ["Heavy Metal"]),
            ("(80)", ["Folk"]), ("191", ["Psybient"]), ("RX", ["Remix"]), ("(RX)", ["Remix"]), ("CR", ["Cover"]),
            ("(17)(CR)", ["Rock", "Cover"]), ("((Foo)", ["(Foo)"]), ("(4)((Foo)", ["Disco", "(Foo)"]),
            ("(Foo)", ["(Foo)"]), ("Krach", ["Krach"]), ("192", ["192"]), ("(255)", ["(255)"]),
            ("(255)Krach", ["Krach"]),
            ("(17", ["(17"]), ("17\0" + "137\0Krach", ["Rock", "Heavy Metal", "Krach"]),
        ],
        [3, 4] as [UInt8]
    )
    func genresByNumberGetTheirNames(_ genre: (stored: String, shown: [String]), version: UInt8) {
        #expect(lines([("TCON", genre.stored)], version: version) == genre.shown.map { "Genre=" + $0 })
    }

    @Test func genresOfVersion2AndVersion1AreNamed() {
        #expect(lines([("TCO", "(51)(39)")], version: 2) == ["Genre=Techno-Industrial", "Genre=Noise"])
        var old = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)
        for (number, lines) in [(137 as UInt8, ["Genre=Heavy Metal"]), (191, ["Genre=Psybient"]), (192, [])] {
            old[127] = number
            #expect(MadeMedia.read(MadeMedia.mp3() + old).1.lines == lines)
        }
    }

    // MARK: - Comments and people

    @Test func commentsWithDescriptionsAreRead() {
        func comment(_ description: String, _ text: String) -> [UInt8] {
            MadeMedia.frame("COMM", [3] + Array("eng\(description)\0\(text)".utf8))
        }
        let body =
            comment("", "one") + comment("Rip", "two") + comment("iTunNORM", " 0000") + comment("iTunSMPB", " 0")
            + comment("iTunPGAP", "0") + comment("iTunes_CDDB_1", "a") + comment("ID3v1 Comment", "three")
        let file = MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1
        #expect(file.lines == ["Comment=one", "Comment=two", "Comment=three"])
    }

    @Test func whoeverRemixedIsAPerformer() {
        #expect(lines([("TPE4", "R")], version: 3) == ["Performer=R"])
        #expect(lines([("TP4", "R")], version: 2) == ["Performer=R"])
    }
}
