import AudioTypes
import MediaCoding
import TestSupport
import Testing

/// Tags are the library's own, wherever a medium is: each value by itself.
@Suite(
    .enabled("nginx, ffmpeg or lame is not installed") { WebServer.missing.isEmpty && MediaFixtures.missing.isEmpty }
)
struct StoredTagsTests {
    private static func sound(_ codec: MediaFixtures.Codec) async throws -> [UInt8] {
        try FileBytes.read(try await MediaFixtures.audio("tags", codec) { Signal.noise(frames: 20_000) })
    }

    /// The tags of bytes as a file and behind an address.
    private static func tags(_ bytes: [UInt8], _ name: String) async throws -> [Tags] {
        let folder = try TemporaryFolder()
        let path = try folder.write(name, bytes)
        let server = try await WebServer.start()
        let url = try server.publish(path, as: name)
        return [try MediaProbe.probe(path).tags, try MediaProbe.probe(url).tags]
    }

    @Test func valuesOfID3AreApart() async throws {
        let frames =
            MadeMedia.frame("TPE1", MadeMedia.text("Anna\0Bert")) + MadeMedia.frame("TCON", MadeMedia.text("17\0Jazz"))
            + MadeMedia.frame("TRCK", MadeMedia.text("3/12")) + MadeMedia.frame("TXXX", MadeMedia.text("Own\0word"))
        let bytes = MadeMedia.id3(version: 4, frames) + (try await Self.sound(.mp3))
        for tags in try await Self.tags(bytes, "a.mp3") {
            #expect(tags[all: "artist"] == ["Anna", "Bert"])
            #expect(tags[all: "genre"] == ["Rock", "Jazz"])
            // The number of tracks, and names that are not MPD's, are libavformat's to tell.
            #expect(tags["track"] == "3/12")
            #expect(tags["own"] == "word")
        }
    }

    @Test func valuesOfVorbisCommentsAreApart() async throws {
        let comments = ["ARTIST=Anna", "ARTIST=Bert", "TITLE=One; two", "ALBUMARTIST=Both"]
        let made = MadeMedia.comments(comments)
        var bytes = try await Self.sound(.flac)
        // Behind STREAMINFO.
        let block = [made.kind] + MadeMedia.bigEndian(made.content.count, 3) + made.content
        bytes.insert(contentsOf: block, at: 42)
        for tags in try await Self.tags(bytes, "a.flac") {
            #expect(tags[all: "artist"] == ["Anna", "Bert"])
            #expect(tags[all: "title"] == ["One; two"])
            #expect(tags[all: "album_artist"] == ["Both"])
        }
    }

    /// Letters that are no UTF-8, in the tags that have no other letters.
    @Test func latin1IsRead() async throws {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            return bytes + [UInt8](repeating: 0, count: count - bytes.count)
        }
        let old =
            Array("TAG".utf8) + field("Café", 30) + field("Zoë", 30) + field("", 30) + field("1999", 4)
            + field("Übung", 30) + [17]
        let folder = try TemporaryFolder()
        let path = try folder.write("a.mp3", try await Self.sound(.mp3) + old)
        let tags = try MediaProbe.probe(path).tags
        #expect(tags.title == "Café" && tags.artist == "Zoë")
        #expect(tags["comment"] == "Übung")
        let info = Array("INFOINAM".utf8) + MadeMedia.littleEndian(4) + field("Café", 4)
        let wave = try folder.write(
            "a.wav",
            try await Self.sound(.wav) + Array("LIST".utf8) + MadeMedia.littleEndian(info.count) + info
        )
        #expect(try MediaProbe.probe(wave).tags.title == "Café")
    }
}
