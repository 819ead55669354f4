import AudioTypes
import Foundation
import Songs
import TestSupport
import Testing

@testable import MediaHeaders

/// Tags as they are stored, read alone.
@Suite struct TagReaderTests {
    private func comments(_ bytes: [UInt8], ofID3: Bool = true) -> [String]? {
        var reader = TagReader(bytes)
        return reader.comments(ofID3: ofID3)?.map { "\($0.0)=\($0.1)" }
    }

    // MARK: - ID3v2

    @Test(arguments: [2, 3, 4] as [UInt8]) func ownWordsAreShown(version: UInt8) {
        let id = version == 2 ? ["TT2", "TXX"] : ["TIT2", "TXXX"]
        let body =
            MadeMedia.frame(id[0], MadeMedia.text("T"), version: version)
            + MadeMedia.frame(id[1], MadeMedia.text("a\0é\0c", encoding: 1), version: version)
            + MadeMedia.frame(id[1], MadeMedia.text("alone"), version: version)
        let file = MadeMedia.id3(version: version, body) + MadeMedia.mp3()
        #expect(comments(file) == ["a=é", "a=c"])
        #expect(comments(file, ofID3: false) == nil)
        #expect(comments(MadeMedia.mp3()) == nil)
    }

    @Test func groupedFramesAreRead() {
        let content = MadeMedia.text("a\0b")
        let third = MadeMedia.frame("TXXX", [9] + content, version: 3, flags: [0, 0x20])
        #expect(comments(MadeMedia.id3(version: 3, third) + MadeMedia.mp3()) == ["a=b"])
        let fourth = MadeMedia.frame("TXXX", [9] + MadeMedia.synchsafe(4) + content, flags: [0, 0x41])
        #expect(comments(MadeMedia.id3(version: 4, fourth) + MadeMedia.mp3()) == ["a=b"])
    }

    @Test func plainSizesInVersion4AreUnderstood() {
        let plain = Array("TPE1".utf8) + MadeMedia.bigEndian(300, 4) + [0, 0] + [UInt8](repeating: 3, count: 300)
        let picture: [UInt8] = [0] + Array("image/png\0".utf8) + [3, 0, 1, 2, 3]
        let volume = Array("track\0".utf8) + [1, 0xf1, 0x00, 0]
        let body =
            plain + MadeMedia.frame("TXXX", MadeMedia.text("a\0b")) + MadeMedia.frame("APIC", picture)
            + MadeMedia.frame("RVA2", volume)
        var reader = TagReader(MadeMedia.id3(version: 4, body) + MadeMedia.mp3())
        #expect(reader.comments(ofID3: true)?.count == 1)
        #expect(reader.id3v2Picture()?.bytes == [1, 2, 3])
        #expect(reader.id3v2Picture()?.mimeType == "image/png")
        #expect(reader.id3v2Volumes() == ReplayGain(trackGain: -7.5))
    }

    private func picture(_ bytes: [UInt8]) -> [UInt8] { [0] + Array("image/png\0".utf8) + [3, 0] + bytes }

    /// A picture of FLAC with a type that libavformat does not know.
    private func flacPicture(_ kind: Int, _ type: String, _ bytes: [UInt8]) -> [UInt8] {
        let words = MadeMedia.bigEndian(kind, 4) + MadeMedia.bigEndian(type.utf8.count, 4) + Array(type.utf8)
        return words + [UInt8](repeating: 0, count: 20) + MadeMedia.bigEndian(bytes.count, 4) + bytes
    }

    @Test func picturesOfAnyTypeAreRead() {
        let avif = [0, 0, 0, 0x1c] + Array("ftypavif".utf8) + [1, 2, 3]
        func block(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
            [kind] + MadeMedia.bigEndian(content.count, 3) + content
        }
        let flac =
            Array("fLaC".utf8) + block(0, [UInt8](repeating: 1, count: 34))
            + block(6, flacPicture(0, "image/x-odd", [7, 7])) + block(6, flacPicture(4, "-->", Array("http://x".utf8)))
            + block(0x86, flacPicture(3, "", avif))
        var reader = TagReader(flac)
        #expect(reader.embeddedPicture()?.bytes == avif, "the front cover")
        #expect(reader.embeddedPicture()?.mimeType == "image/avif")
        var odd = TagReader(Array("fLaC".utf8) + block(0x86, flacPicture(0, "image/x-odd", [7, 7])))
        #expect(odd.embeddedPicture()?.mimeType == "image/x-odd")
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            MadeMedia.bigEndian(content.count + 8, 4) + Array(name.utf8) + content
        }
        let cover = box("covr", box("data", [0, 0, 0, 0, 0, 0, 0, 0] + avif))
        let meta = box("meta", [0, 0, 0, 0] + box("ilst", cover))
        var movie = TagReader(box("ftyp", Array("M4A ".utf8)) + box("moov", box("udta", meta)))
        #expect(movie.embeddedPicture()?.bytes == avif)
        for cut in 1..<flac.count {
            var damaged = TagReader(Array(flac.prefix(cut)))
            #expect(damaged.embeddedPicture().map { $0.bytes.count <= avif.count } ?? true)
        }
    }

    @Test(
        .enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty },
        arguments: ["image/avif", "image/x-odd"]
    )
    func picturesInCommentsOfOggAreRead(_ type: String) async throws {
        let block = flacPicture(3, type, [9, 8, 7, 6, 5])
        let encoded = Data(block).base64EncodedString()
        let tags = ["METADATA_BLOCK_PICTURE": encoded]
        let path = try await MediaFixtures.audio("picture-\(type.suffix(4))", .vorbis, tags: tags) {
            Signal.noise(frames: 10_000)
        }
        var reader = TagReader([UInt8](try Data(contentsOf: URL(filePath: path))))
        #expect(reader.embeddedPicture()?.bytes == [9, 8, 7, 6, 5])
        #expect(reader.embeddedPicture()?.mimeType == type)
    }

    @Test(arguments: [3, 4] as [UInt8]) func chaptersHavePictures(version: UInt8) {
        func chapter(_ name: String, _ frames: [UInt8]) -> [UInt8] {
            let times = [UInt8](repeating: 0, count: 16)
            return MadeMedia.frame("CHAP", Array("\(name)\0".utf8) + times + frames, version: version)
        }
        let title = MadeMedia.frame("TIT2", MadeMedia.text("One"), version: version)
        let body =
            chapter("a", title) + chapter("b", title + MadeMedia.frame("APIC", picture([7, 8]), version: version))
            + chapter("c", MadeMedia.frame("APIC", picture([9]), version: version))
        var reader = TagReader(MadeMedia.id3(version: version, body) + MadeMedia.mp3())
        #expect(reader.id3v2ChapterPicture()?.bytes == [7, 8])
        #expect(reader.id3v2Picture() == nil)
        for damaged in [Array("x".utf8), Array("x\0".utf8) + [1, 2, 3], []] {
            var reader = TagReader(MadeMedia.id3(version: version, MadeMedia.frame("CHAP", damaged, version: version)))
            #expect(reader.id3v2ChapterPicture() == nil)
        }
    }

    @Test func tagsOfStreamsHaveTextsAndAPicture() {
        let body =
            MadeMedia.frame("TIT2", MadeMedia.text("T")) + MadeMedia.frame("TPE1", MadeMedia.text("A"))
            + MadeMedia.frame("TXXX", MadeMedia.text("x\0y")) + MadeMedia.frame("APIC", picture([1, 2, 3]))
        var reader = TagReader(MadeMedia.id3(version: 4, body))
        let tags = reader.streamTags(pictureAtMost: 3)
        #expect(tags.names == ["artist", "title"] && tags.title == "T" && tags.artist == "A")
        #expect(tags.picture == [1, 2, 3])
        #expect(reader.streamTags(pictureAtMost: 2).picture == nil)
        var timestamp = TagReader(MadeMedia.id3(version: 4, MadeMedia.frame("PRIV", Array("com.apple\0x".utf8))))
        #expect(timestamp.streamTags(pictureAtMost: 9).isEmpty)
    }

    /// What the scanner need not read, but a client asks for.
    @Test(arguments: [3, 4] as [UInt8], [0, 0x80] as [UInt8]) func largePicturesAreReadWhole(
        version: UInt8,
        flags: UInt8
    ) {
        let bytes = [UInt8](repeating: 0x55, count: 17_000_000)
        let picture: [UInt8] = [0] + Array("image/x\0".utf8) + [3, 0] + bytes
        let file = MadeMedia.id3(version: version, flags: flags, MadeMedia.frame("APIC", picture, version: version))
        var reader = TagReader(file + MadeMedia.mp3(frames: 1))
        #expect(reader.id3v2Picture()?.bytes == bytes)
    }

    // MARK: - Vorbis comments

    @Test func commentsOfFLACAreShownWhole() {
        let long = "LYRICS=" + String(repeating: "la ", count: 20_000)
        let pictures = ["METADATA_BLOCK_PICTURE=" + String(repeating: "A", count: 5_000), "coverart=AAAA"]
        let file = MadeMedia.flac(["b=1"] + pictures + ["none", "A=2", long, "b=3"], picture: 70_000)
        #expect(comments(file) == ["b=1", "A=2", long, "b=3"])
        let tag = MadeMedia.id3(version: 4, MadeMedia.frame("TXXX", MadeMedia.text("a\0b")))
        #expect(comments(tag + tag + file) == ["b=1", "A=2", long, "b=3"])
    }

    /// Packets that lie across pages, behind the first pages of other streams, and between their pages.
    @Test func commentsOfOggAreShown() {
        let long = "L=" + String(repeating: "x", count: 70_000)
        let vorbis = Array("\u{1}vorbis".utf8) + [UInt8](repeating: 0, count: 23)
        let head = Array("\u{3}vorbis".utf8) + MadeMedia.comments(["A=1", long, "a=2"]).content
        let film = page(7, [UInt8](repeating: 1, count: 60), flags: 2)
        var file = film + page(8, vorbis, flags: 2)
        for start in stride(from: 0, to: head.count, by: 51_000) {
            let part = Array(head[start..<min(head.count, start + 51_000)])
            file += page(7, [UInt8](repeating: 1, count: 100)) + page(8, part, flags: start > 0 ? 1 : 0)
        }
        #expect(comments(file) == ["A=1", long, "a=2"])
        let speex = Array("Speex   ".utf8) + [UInt8](repeating: 0, count: 72)
        let words = MadeMedia.comments(["A=1"]).content
        #expect(comments(page(1, speex, flags: 2) + page(1, words)) == ["A=1"])
        #expect(comments(film + page(7, words)) == nil)
    }

    /// A page of one packet, or of a part of one whose length is a multiple of 255.
    private func page(_ serial: Int, _ content: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        var lengths = [UInt8](repeating: 255, count: content.count / 255)
        if !content.count.isMultiple(of: 255) { lengths.append(UInt8(content.count % 255)) }
        let header = Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 8)
        return header + MadeMedia.littleEndian(serial) + [UInt8](repeating: 0, count: 8) + [UInt8(lengths.count)]
            + lengths + content
    }

    // MARK: - Tags by others' names

    @Test func theLibrarysTagsAreAmongNamesAndValues() {
        let stored = [
            ("artist", " A\n"), ("Year", "1999"), ("x", "y"), ("TRACK", "03/12"), ("ARTIST", "B"), ("title", ""),
            ("replaygain_track_gain", "-3 dB"),
        ]
        let tags = TagReader.libraryTags(stored).map { "\($0.0.name)=\($0.1)" }
        #expect(tags == ["Artist=A", "Track=3", "Artist=B", "Date=1999"])
    }
}
