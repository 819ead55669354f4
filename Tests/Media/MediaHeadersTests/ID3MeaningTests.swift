import AudioTypes
import MediaHeaders
import Songs
import TestSupport
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

    @Test func genresOfMP4AreNamed() {
        // One more than ID3's.
        let genre = MadeMedia.box("gnre", MadeMedia.item([0, 138]))
        #expect(MadeMedia.read(MadeMedia.mp4(genre), uri: "a.m4b").1.lines == ["Genre=Heavy Metal"])
        let ofQuickTime = MadeMedia.mp4(genre, isOfQuickTime: true)
        #expect(MadeMedia.read(ofQuickTime, uri: "a.m4b").1.lines == ["Genre=Heavy Metal"])
    }

    // MARK: - Dates

    @Test(
        arguments: [
            ([("TYER", "2003")], "2003"), ([("TYER", "2003"), ("TDAT", "2512")], "2003-12-25"),
            ([("TYER", "2003"), ("TDAT", "2512"), ("TIME", "1530")], "2003-12-25T15:30"),
            ([("TIME", "1530"), ("TDAT", "2512"), ("TYER", "2003")], "2003-12-25T15:30"),
            ([("TYER", "2003"), ("TIME", "1530")], "2003"), ([("TYER", "2003"), ("TDAT", "1225")], "2003"),
            ([("TYER", "2003"), ("TDAT", "251")], "2003"), ([("TYER", "2003"), ("TDAT", "2a12")], "2003"),
            ([("TYER", "2003"), ("TDAT", "0012"), ("TIME", "1530")], "2003"),
            ([("TYER", "2003"), ("TDAT", "2512"), ("TIME", "2430")], "2003-12-25"),
            ([("TYER", "2003"), ("TDAT", "2512"), ("TIME", "15:3")], "2003-12-25"),
            ([("TYER", "2003-05"), ("TDAT", "2512")], "2003-05"),
        ] as [([(String, String)], String)]
    )
    func datesInPiecesAreJoined(frames: [(String, String)], date: String) {
        #expect(lines(frames, version: 3) == ["Date=" + date])
        let short = ["TYER": "TYE", "TDAT": "TDA", "TIME": "TIM"]
        #expect(lines(frames.map { (short[$0.0] ?? "", $0.1) }, version: 2) == ["Date=" + date])
    }

    @Test func aDayWithoutAYearIsNoDate() {
        #expect(lines([("TDAT", "2512"), ("TIME", "1530")], version: 3) == [])
    }

    @Test(
        arguments: [
            (["TDRC=2001-02-03", "TYER=2001"], ["Date=2001-02-03"]), (["TYER=2001"], ["Date=2001"]),
            (["TDRC=2001-02-03", "TXXX=YEAR\0" + "2001"], ["Date=2001-02-03"]),
            (["TYER=2001", "TXXX=YEAR\0" + "2002"], ["Date=2001"]),
            (["TDOR=1999-05", "TORY=1999"], ["OriginalDate=1999-05"]),
            (["TXXX=ORIGINALDATE\0" + "1999-05", "TXXX=originalyear\0" + "1999"], ["OriginalDate=1999-05"]),
            (["TORY=1999", "TXXX=originalyear\0" + "1999"], ["OriginalDate=1999"]),
            (["TXXX=originalyear\0" + "1999"], ["OriginalDate=1999"]),
            (["TDRC=2001", "TXXX=originalyear\0" + "1999"], ["Date=2001", "OriginalDate=1999"]),
        ]
    )
    func substitutesCountOnlyAlone(frames: [String], expected: [String]) {
        for frames in [frames, frames.reversed()] {
            let pairs = frames.map { (String($0.prefix(4)), String($0.dropFirst(5))) }
            for version in [3, 4] as [UInt8] { #expect(lines(pairs, version: version).sorted() == expected) }
        }
    }

    @Test(
        arguments: [
            (["DATE=2001-02-03", "YEAR=2001"], ["Date=2001-02-03"]), (["YEAR=2001"], ["Date=2001"]),
            (["ORIGINALDATE=1999-05", "ORIGINALYEAR=1999"], ["OriginalDate=1999-05"]),
            (["ORIGINALYEAR=1999", "DATE=2001"], ["Date=2001", "OriginalDate=1999"]),
            (["DATE=2001", "DATE=2002"], ["Date=2001", "Date=2002"]),
        ]
    )
    func substitutesInVorbisCommentsCountOnlyAlone(comments: [String], expected: [String]) {
        for comments in [comments, comments.reversed()] {
            #expect(MadeMedia.read(MadeMedia.flac(comments), uri: "a.flac").1.lines.sorted() == expected)
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

    // MARK: - Loudness

    @Test func volumesAreReplayGain() {
        func gain(_ frames: [(String, [UInt8])]) -> ReplayGain {
            let body = frames.flatMap { MadeMedia.frame($0.0, $0.1) }
            return MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1.replayGain
        }
        // −7.5 dB and 1.5 dB, with a peak of 16 bits behind another channel.
        let track = ("RVA2", Array("track\0".utf8) + [1, 0xf1, 0x00, 0])
        let album = ("RVA2", Array("ALBUM\0".utf8) + [2, 0x7f, 0xff, 16, 1, 2, 1, 0x03, 0x00, 0])
        #expect(gain([track, album]) == ReplayGain(trackGain: -7.5, albumGain: 1.5))
        #expect(gain([("RVA2", Array("mine\0".utf8) + [1, 0xf1, 0x00, 0])]) == ReplayGain(trackGain: -7.5))
        #expect(gain([("RVA2", Array("track\0".utf8) + [2, 0xf1, 0x00, 0])]).isEmpty)
        for bytes in [[], [0], Array("track".utf8), Array("track\0".utf8) + [1, 0xf1]] {
            #expect(gain([("RVA2", bytes)]).isEmpty)
        }
        let named = ("TXXX", MadeMedia.text("replaygain_track_gain\0-3 dB"))
        for frames in [[named, track, album], [album, track, named]] {
            #expect(gain(frames) == ReplayGain(trackGain: -3, albumGain: 1.5))
        }
    }

    // MARK: - Files that others explain

    @Test func tagsOfFilesThatHeadersDoNotExplainAreKept() {
        let tag = MadeMedia.id3(version: 4, MadeMedia.frame("TPE1", MadeMedia.text("A\0B")))
        // ADTS: layer 0.
        let sound = (0..<40).flatMap { _ in
            [0xff, 0xf1, 0x50, 0x80, 0x03, 0x3f, 0xfc] + [UInt8](repeating: 1, count: 18)
        }
        let (result, file) = MadeMedia.read(tag + sound, uri: "a.aac")
        #expect(result == .unknown)
        #expect(file.lines == ["Artist=A", "Artist=B"])
        #expect(file.format == nil)

        let items = MadeMedia.box("aART", MadeMedia.item(Array("A".utf8)) + MadeMedia.item(Array("B".utf8)))
        let book = MadeMedia.read(MadeMedia.mp4(items), uri: "a.m4b")
        #expect(book.0 == .unknown)
        #expect(book.1.lines == ["AlbumArtist=A", "AlbumArtist=B"])
    }
}
