import AudioTypes
import MediaHeaders
import TestSupport
import Testing

@Suite struct ID3Tests {
    @Test(arguments: [0, 1, 2, 3] as [UInt8], [2, 3, 4] as [UInt8])
    func textsOfAllEncodingsAreRead(encoding: UInt8, version: UInt8) {
        let id = version == 2 ? ["TT2", "TP1"] : ["TIT2", "TPE1"]
        let body =
            MadeMedia.frame(id[0], MadeMedia.text("Stück", encoding: encoding), version: version)
            + MadeMedia.frame(id[1], MadeMedia.text("A\0Bé", encoding: encoding), version: version)
        let (result, file) = MadeMedia.read(MadeMedia.id3(version: version, body) + MadeMedia.mp3())
        #expect(result == .complete)
        #expect(file.lines == ["Title=Stück", "Artist=A", "Artist=Bé"])
        #expect(file.format == "44100:24:2")
        #expect(file.codec == "mp3")
    }

    @Test(arguments: [2, 3, 4] as [UInt8]) func framesAfterAnEmptyOneAreRead(version: UInt8) {
        let id = version == 2 ? ["TP1", "TT2"] : ["TPE1", "TIT2"]
        let body =
            MadeMedia.frame(id[0], [], version: version)
            + MadeMedia.frame(id[1], MadeMedia.text("T"), version: version)
        let file = MadeMedia.read(MadeMedia.id3(version: version, body) + MadeMedia.mp3()).1
        #expect(file.lines == ["Title=T"])
    }

    @Test(arguments: [[0, 0xfe, 0xff, 0, 0x41], [0, 0xff, 0xfe, 0x41, 0]] as [[UInt8]])
    func utf16InPlaceOfLatin1IsUnderstood(content: [UInt8]) {
        let body = MadeMedia.frame("TIT2", content, version: 3)
        #expect(MadeMedia.read(MadeMedia.id3(version: 3, body) + MadeMedia.mp3()).1.lines == ["Title=A"])
    }

    /// In zlib's form, here with what is stored in it as it is; the uncompressed length is before it.
    @Test(arguments: [3, 4] as [UInt8]) func compressedFramesAreRead(version: UInt8) {
        let text = MadeMedia.text("Stück", encoding: 1)
        let count = MadeMedia.littleEndian(text.count, 2)
        let stored = [0x78, 0x01, 0x01] + count + count.map { ~$0 } + text + [0, 0, 0, 0]
        let flags: [UInt8] = version == 3 ? [0, 0x80] : [0, 0x09]
        let size = version == 3 ? MadeMedia.bigEndian(text.count, 4) : MadeMedia.synchsafe(text.count)
        let body =
            MadeMedia.frame("TIT2", size + stored, version: version, flags: flags)
            + MadeMedia.frame("TPE1", MadeMedia.text("A"), version: version)
        let file = MadeMedia.read(MadeMedia.id3(version: version, body) + MadeMedia.mp3()).1
        #expect(file.lines == ["Title=Stück", "Artist=A"])
    }

    @Test func utf8InPlaceOfLatin1IsUnderstood() {
        let body = MadeMedia.frame("TIT2", [0] + Array("Stück".utf8))
        #expect(MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1.lines == ["Title=Stück"])
    }

    @Test func zerosOfUnsynchronisationAreTakenOut() {
        // A whole tag of 2.3 and single frames of 2.4; the byte order mark is what makes it necessary.
        let title: [UInt8] = [1, 0xff, 0xfe, 0x41, 0, 0xff, 0, 0x42, 0]
        let plain = MadeMedia.frame("TIT2", title, version: 3) + MadeMedia.frame("TALB", [0, 0x43], version: 3)
        func stuffed(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { $0 == 0xff ? [$0, 0] : [$0] } }
        let whole = MadeMedia.id3(version: 3, flags: 0x80, stuffed(plain)) + MadeMedia.mp3()
        #expect(MadeMedia.read(whole).1.lines == ["Title=AÿB", "Album=C"])
        let frames = MadeMedia.frame("TIT2", stuffed(title), flags: [0, 2]) + MadeMedia.frame("TALB", [0, 0x43])
        #expect(
            MadeMedia.read(MadeMedia.id3(version: 4, frames) + MadeMedia.mp3()).1.lines == ["Title=AÿB", "Album=C"]
        )
    }

    @Test func plainSizesInVersion4AreUnderstood() {
        // 300 is another number when seven bits of each byte count.
        let content = MadeMedia.text(String(repeating: "x", count: 299))
        let body =
            Array("TIT2".utf8) + MadeMedia.bigEndian(300, 4) + [0, 0] + content
            + MadeMedia.frame("TPE1", MadeMedia.text("B"))
        let file = MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1
        #expect(file.lines == ["Title=" + String(repeating: "x", count: 299), "Artist=B"])
    }

    /// Too little for another frame, so nothing that could tell the size to be a plain one.
    @Test(arguments: 0...4) func paddingOfFewBytesEndsATag(count: Int) {
        let title = String(repeating: "x", count: 299)
        let body = MadeMedia.frame("TIT2", MadeMedia.text(title)) + [UInt8](repeating: 0, count: count)
        #expect(MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1.lines == ["Title=" + title])
    }

    @Test func pictureBeforeTextsIsPassed() {
        let picture = MadeMedia.frame("APIC", [UInt8](repeating: 0x55, count: 300_000))
        let body = picture + MadeMedia.frame("TIT2", MadeMedia.text("T"))
        let (result, file) = MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3())
        #expect(result == .complete)
        #expect(file.lines == ["Title=T"])
        #expect(file.cover == .embedded)
    }

    @Test func ownWordsCommentsAndIdentifiersAreRead() {
        let body =
            MadeMedia.frame("TXXX", MadeMedia.text("MusicBrainz Album Id\0abc"))
            + MadeMedia.frame("TXXX", MadeMedia.text("replaygain_track_gain\0-7.5 dB"))
            + MadeMedia.frame("TXXX", MadeMedia.text("replaygain_track_peak\0" + "0.5"))
            + MadeMedia.frame("UFID", Array("http://musicbrainz.org\0def".utf8))
            + MadeMedia.frame("COMM", [3] + Array("eng\0words".utf8))
            + MadeMedia.frame("COMM", [3] + Array("engiTunNORM\0no words".utf8))
        let file = MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3()).1
        #expect(file.lines == ["MUSICBRAINZ_ALBUMID=abc", "MUSICBRAINZ_TRACKID=def", "Comment=words"])
        #expect(file.replayGain.trackGain == -7.5)
        #expect(file.replayGain.trackPeak == 0.5)
    }

    @Test func chaptersAreLeftToOthers() {
        let body =
            MadeMedia.frame("TIT2", MadeMedia.text("T")) + MadeMedia.frame("CHAP", [UInt8](repeating: 1, count: 40))
        let (result, file) = MadeMedia.read(MadeMedia.id3(version: 4, body) + MadeMedia.mp3())
        #expect(result == .lacksChapters)
        #expect(file.lines == ["Title=T"])
    }

    @Test func tagsAtTheEndAreReadWhenThereAreNoBetterOnes() {
        var id3v1 = [UInt8](repeating: 0, count: 128)
        id3v1.replaceSubrange(0..<7, with: Array("TAGOld\0".utf8))
        (id3v1[126], id3v1[127]) = (5, 17)
        let ape = apeTag([("Title", "Ape"), ("Artist", "A\0B"), ("REPLAYGAIN_TRACK_GAIN", "-3 dB")])
        let audio = MadeMedia.mp3()
        #expect(MadeMedia.read(audio + id3v1).1.lines == ["Title=Old", "Track=5", "Genre=Rock"])
        for tail in [ape, ape + id3v1, id3v1 + ape] {
            let file = MadeMedia.read(audio + tail).1
            #expect(file.lines == ["Title=Ape", "Artist=A", "Artist=B"])
            #expect(file.portableID == MadeMedia.read(audio).1.portableID)
        }
        let better = MadeMedia.id3(version: 4, MadeMedia.frame("TIT2", MadeMedia.text("New")))
        let both = MadeMedia.read(better + audio + ape).1
        #expect(both.lines == ["Title=New"])
        // mp3gain writes its words there.
        #expect(both.replayGain.trackGain == -3)
    }

    private func apeTag(_ items: [(String, String)]) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in items {
            body +=
                MadeMedia.littleEndian(value.utf8.count) + [0, 0, 0, 0] + Array(name.utf8) + [0] + Array(value.utf8)
        }
        func end(_ flags: Int) -> [UInt8] {
            Array("APETAGEX".utf8) + MadeMedia.littleEndian(2000) + MadeMedia.littleEndian(body.count + 32)
                + MadeMedia.littleEndian(items.count) + MadeMedia.littleEndian(flags)
                + [UInt8](repeating: 0, count: 8)
        }
        return end(0xa000_0000) + body + end(0x8000_0000)
    }
}
