import AudioTypes
import Foundation
import MediaHeaders
import TestSupport
import Testing

/// The identity of what is heard stays whatever real programs do to a file's tags.
@Suite(
    .enabled("ffmpeg, lame, metaflac or vorbiscomment is not installed") {
        ChildProcess.missing("ffmpeg", "lame", "metaflac", "vorbiscomment").isEmpty
    }
)
struct IdentityTests {
    private static let long = String(repeating: "long words ", count: 3000)

    private static func sound(_ name: String) -> [Float] {
        Signal.chorus(seconds: 3, sampleRate: 44_100, seed: name == "one" ? 1 : 2)
    }

    @Test(arguments: [
        MediaFixtures.Codec.flac, .mp3, .mp3VBR, .m4a, .alac, .opus, .vorbis, .wav,
    ]) func retaggingKeepsTheIdentity(codec: MediaFixtures.Codec) async throws {
        let source = try await MediaFixtures.audio("one", codec) { Self.sound("one") }
        let identity = try #require(try identity(of: source))
        let folder = try TemporaryFolder()
        let copy = folder.file("copy." + codec.fileExtension)
        var options = ["-i", source, "-map", "0:a", "-c", "copy", "-metadata", "title=\(Self.long)"]
        if codec == .wav { options += ["-bitexact"] }
        try await MediaFixtures.ffmpeg(options + [copy])
        #expect(try self.identity(of: copy) == identity, "after FFmpeg")
        let other = try await MediaFixtures.audio("two", codec) { Self.sound("two") }
        #expect(try self.identity(of: other) != identity, "of another sound")
    }

    @Test func metaflacKeepsTheIdentity() async throws {
        let source = try await MediaFixtures.audio("one", .flac) { Self.sound("one") }
        let picture = try await MediaFixtures.file("identity.jpg") { path in
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=640x480:d=0.04", "-frames:v", "1", path])
        }
        let identity = try #require(try identity(of: source))
        for withDigest in [true, false] {
            let folder = try TemporaryFolder()
            var bytes = try FileBytes.read(source)
            if !withDigest { bytes.replaceSubrange(26..<42, with: [UInt8](repeating: 0, count: 16)) }
            let path = try folder.write("a.flac", bytes)
            let before = try self.identity(of: path)
            #expect((before == identity) == withDigest)
            for words in [
                ["--set-tag=TITLE=\(Self.long)"], ["--add-padding=200000"], ["--import-picture-from=\(picture)"],
                ["--remove-all", "--dont-use-padding"],
            ] {
                _ = try ChildProcess.run("metaflac", words + [path])
                #expect(try self.identity(of: path) == before, "after metaflac \(words[0].prefix(30))")
            }
        }
    }

    /// libavformat passes over pages with a wrong checksum, and may not open what lacks its first ones.
    @Test(arguments: [MediaFixtures.Codec.vorbis, .opus]) func damagedHeadersKeepTheIdentity(
        codec: MediaFixtures.Codec
    ) async throws {
        let whole = try FileBytes.read(try await MediaFixtures.audio("one", codec) { Self.sound("one") })
        let (result, file) = MadeMedia.read(whole, uri: "a.ogg")
        #expect(result == .complete)
        let identity = try #require(file.portableID)
        let starts = whole.indices.filter { whole[$0...].starts(with: Array("OggS".utf8)) }
        try #require(starts.count > 3)
        for page in 0..<2 {
            var damaged = whole
            damaged[starts[page] + 22] ^= 1
            let (result, file) = MadeMedia.read(damaged, uri: "a.ogg")
            #expect(result == .unknown, "page \(page)")
            #expect(file.portableID == identity, "page \(page)")
        }
        // A damaged page in the middle costs a moment of the sound, and not the song.
        var damaged = whole
        damaged[starts[3] + 22] ^= 1
        #expect(MadeMedia.read(damaged, uri: "a.ogg").0 == .complete)
    }

    @Test func vorbiscommentKeepsTheIdentity() async throws {
        let source = try await MediaFixtures.audio("one", .vorbis) { Self.sound("one") }
        let folder = try TemporaryFolder()
        let copy = folder.file("copy.ogg")
        _ = try ChildProcess.run(
            "vorbiscomment",
            ["-w", "-t", "TITLE=\(Self.long)", "-t", "ARTIST=me", source, copy]
        )
        #expect(try identity(of: copy) == identity(of: source))
    }

    @Test(.enabled("eyeD3 or id3v2 is not installed") { ChildProcess.missing("eyeD3", "id3v2").isEmpty })
    func taggersOfMP3KeepTheIdentity() async throws {
        let source = try await MediaFixtures.audio("one", .mp3) { Self.sound("one") }
        let folder = try TemporaryFolder()
        let path = try folder.write("a.mp3", try FileBytes.read(source))
        let before = try #require(try identity(of: path))
        for command in [["eyeD3", "--title", Self.long, path], ["id3v2", "-a", "me", "-t", "words", path]] {
            _ = try ChildProcess.run(command[0], Array(command.dropFirst()))
            #expect(try identity(of: path) == before, "after \(command[0])")
        }
    }

    private func identity(of path: String) throws -> String? {
        let bytes = try FileBytes.read(path)
        var reader = HeaderReader()
        var file = ScannedFile(uri: path, size: bytes.count, modified: 0, inode: 0)
        _ = reader.read(bytes, into: &file)
        return file.portableID
    }
}
