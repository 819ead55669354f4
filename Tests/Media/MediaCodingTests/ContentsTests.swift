import AudioTypes
import MediaCoding
import TestSupport
import Testing

/// What a medium contains besides samples.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ContentsTests {
    /// The pitch between 0.5 and 1 s.
    private func pitch(_ path: String, _ track: TrackSelection) throws -> Double {
        let sound = try MediaSound.of(MediaEntry(location: path), track: track)
        return Analysis.frequency(sound.channel(0)[22_050..<40_000], sampleRate: 44_100)
    }

    @Test(arguments: ["mkv", "mp4"])
    func tracksAreChosen(_ container: String) async throws {
        let path = try await MediaFixtures.video(container)
        for (track, expected) in [
            (TrackSelection.automatic, 400.0), (.number(1), 400), (.number(2), 2000), (.language("eng"), 400),
            (.language("en"), 400), (.language("DEU"), 2000),
        ] {
            #expect(abs(try pitch(path, track) - expected) < 2, "\(track)")
        }
        for track in [TrackSelection.number(0), .number(3), .number(-1), .language("fra"), .language("")] {
            let error = #expect(throws: MediaError.self) { try pitch(path, track) }
            #expect(error?.reason == .noSuchTrack(track))
        }
    }

    @Test(arguments: ["mkv", "mp4"])
    func videosAreHeard(_ container: String) async throws {
        let info = try MediaProbe.probe(await MediaFixtures.video(container))
        #expect(info.streams.map(\.kind) == [.video, .audio, .audio])
        // MPEG-4's size in MP4 is in its frames only (FFmpeg's mov.c: "let decoder init width/height"), which are not read.
        #expect(info.streams[0].width == (container == "mkv" ? 160 : nil))
        #expect(info.streams[0].height == (container == "mkv" ? 120 : nil))
        #expect(info.streams[1].language == "eng")
        #expect(info.streams[1].dispositions.contains("default"))
        #expect(info.streams[2].codec == "aac" && info.streams[2].sampleRate == 44_100)
        #expect(info.hasExactEnd == (container == "mp4"))
        let sound = try MediaSound.of(await MediaFixtures.video(container))
        #expect(container == "mkv" || sound.frameCount == 3 * 44_100)
        #expect(Analysis.position(sound.channel(0)[90_000...], sampleRate: 44_100) == 2)
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a])
    func coversAreNotPlayed(_ codec: MediaFixtures.Codec) async throws {
        let tags = ["title": "A Title", "artist": "Somebody", "album": "An Album", "track": "3/8"]
        let path = try await MediaFixtures.tagged("contents", codec, tags: tags)
        let info = try MediaProbe.probe(path)
        #expect(Set(info.streams.map(\.kind)) == [.audio, .cover])
        #expect(info.tags.title == "A Title" && info.tags.artist == "Somebody" && info.tags.album == "An Album")
        #expect(info.tags["track"] == "3/8")
        #expect(info.streams.first { $0.kind == .cover }?.width == 16)
        // Copying the MP3's frames to another file with FFmpeg keeps its paddings only in part.
        let sound = try MediaSound.of(path)
        #expect(codec == .mp3 ? abs(sound.frameCount - 88_200) < 2_400 : sound.frameCount == 88_200)
        #expect(Analysis.position(sound.channel(0)[50_000...], sampleRate: 44_100) == 1)
    }

    @Test(arguments: ["mp4", "mkv", "mp3", "opus"])
    func chaptersAreFound(_ container: String) async throws {
        var path = ""
        if container == "opus" {
            // FFmpeg reads chapters in Ogg's comments, but writes none.
            var tags: [String: String] = [:]
            for number in 1...4 {
                tags["CHAPTER00\(number)"] = "00:00:0\(number - 1).000"
                tags["CHAPTER00\(number)NAME"] = "Chapter \(number)"
            }
            path = try await MediaFixtures.audio("chapters", .opus, sampleRate: 48_000, tags: tags) {
                Signal.noise(frames: 4 * 48_000)
            }
        } else {
            path = try await MediaFixtures.chapters(container)
        }
        let info = try MediaProbe.probe(path)
        #expect(info.chapters.map(\.title) == (1...4).map { "Chapter \($0)" })
        for (index, chapter) in info.chapters.enumerated() {
            #expect(abs(chapter.start.seconds - Double(index)) < 0.002)
            // An Ogg chapter has a beginning only (its end is the next one's).
            #expect(abs(chapter.end.seconds - Double(index + 1)) < 0.05)
        }
    }

    /// Chapters of MP3 in any order, without titles, and without ends.
    @Test func chaptersAreInOrder() async throws {
        func chapter(_ name: String, _ start: Int, _ end: Int, _ title: String?) -> [UInt8] {
            let times = [start, end, 0xffff_ffff, 0xffff_ffff].flatMap { MadeMedia.bigEndian($0, 4) }
            let inner = title.map { MadeMedia.frame("TIT2", MadeMedia.text($0)) } ?? []
            return MadeMedia.frame("CHAP", Array(name.utf8) + [0] + times + inner)
        }
        let frames =
            chapter("c", 2_000, 0xffff_ffff, "Third") + chapter("a", 0, 0xffff_ffff, "First")
            + chapter("b", 1_000, 1_500, nil)
        let sound = try FileBytes.read(try await MediaFixtures.position(.mp3, seconds: 3))
        let folder = try TemporaryFolder()
        let path = try folder.write("chapters.mp3", MadeMedia.id3(version: 4, frames) + sound)
        let chapters = try MediaProbe.probe(path).chapters
        #expect(chapters.map(\.title) == ["First", nil, "Third"])
        #expect(chapters.map(\.start.seconds) == [0, 1, 2])
        #expect(chapters.map(\.end.seconds) == [1, 1.5, 3])
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .vorbis])
    func replayGainIsRead(_ codec: MediaFixtures.Codec) async throws {
        let tags = [
            "REPLAYGAIN_TRACK_GAIN": "-7.03 dB", "REPLAYGAIN_TRACK_PEAK": "0.988",
            "REPLAYGAIN_ALBUM_GAIN": "+1.5 dB", "REPLAYGAIN_ALBUM_PEAK": "1.02",
        ]
        let path = try await MediaFixtures.audio("gain", codec, tags: tags) { Signal.noise(frames: 50_000) }
        let gain = try MediaProbe.probe(path).replayGain
        #expect(gain == ReplayGain(trackGain: -7.03, trackPeak: 0.988, albumGain: 1.5, albumPeak: 1.02))
    }

    /// In an APE tag behind the sound, where ID3v2 has no gain.
    @Test func gainBehindMP3IsRead() async throws {
        let sound = try FileBytes.read(try await MediaFixtures.audio("told", .mp3) { Signal.noise(frames: 9_999) })
        let item =
            MadeMedia.littleEndian(9) + MadeMedia.littleEndian(0) + Array("REPLAYGAIN_TRACK_GAIN\0-12.00 dB".utf8)
        let footer = [2_000, item.count + 32, 1, 0, 0, 0].flatMap { MadeMedia.littleEndian($0) }
        let folder = try TemporaryFolder()
        let path = try folder.write("told.mp3", sound + item + Array("APETAGEX".utf8) + footer)
        #expect(try MediaProbe.probe(path).replayGain == ReplayGain(trackGain: -12))
    }

    /// R128's scale is in 256ths of a dB and 5 dB lower (RFC 7845, section 5.2.1); what stands beside it is not Opus's.
    @Test func r128IsRead() async throws {
        let tags = ["R128_TRACK_GAIN": "-512", "R128_ALBUM_GAIN": "256", "REPLAYGAIN_TRACK_GAIN": "-20 dB"]
        let path = try await MediaFixtures.audio("r128", .opus, sampleRate: 48_000, tags: tags) {
            Signal.noise(frames: 48_000)
        }
        let info = try MediaProbe.probe(path)
        #expect(info.replayGain.trackGain == 3 && info.replayGain.albumGain == 6)
        #expect(info.streams.first?.codec == "opus")
    }

    /// Frames `RVA2` of ID3v2.4, behind other frames; named tags count more.
    @Test func volumesOfID3AreRead() async throws {
        let folder = try TemporaryFolder()
        func gain(_ frames: [UInt8], flags: UInt8 = 0) async throws -> ReplayGain {
            let sound = try FileBytes.read(
                try await MediaFixtures.audio("told", .mp3) { Signal.noise(frames: 9_999) }
            )
            let head = Array("ID3".utf8) + [4, 0, flags, 0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7f)]
            let path = folder.file("x.mp3")
            try FileBytes.write(head + frames + sound, to: path)
            return try MediaProbe.probe(path).replayGain
        }
        func frame(_ id: String, _ content: [UInt8], flags: UInt8 = 0) -> [UInt8] {
            Array(id.utf8) + [0, 0, UInt8(content.count >> 7), UInt8(content.count & 0x7f), 0, flags] + content
        }
        let other = frame("PRIV", [UInt8](repeating: 7, count: 5_000))
        let track = frame("RVA2", Array("track\0".utf8) + [1, 0xf1, 0x00, 0])
        let album = frame("RVA2", Array("Album\0".utf8) + [1, 0xff, 0x00, 0x00, 0], flags: 2)
        let named = frame("TXXX", [3] + Array("replaygain_track_gain\0-3 dB".utf8))
        #expect(try await gain(other + track + album) == ReplayGain(trackGain: -7.5, albumGain: -0.5))
        #expect(try await gain(track + named) == ReplayGain(trackGain: -3))
        let stuffed = frame("RVA2", Array("album\0".utf8) + [1, 0xff, 0x00, 0x00, 0])
        #expect(try await gain(stuffed, flags: 0x80) == ReplayGain(albumGain: -0.5))
        // iTunes wrote plain sizes, of which more than seven bits of each byte count.
        let plain = Array("PRIV".utf8) + [0, 0, 1, 0x2c, 0, 0] + [UInt8](repeating: 7, count: 300)
        #expect(try await gain(plain + track) == ReplayGain(trackGain: -7.5))
        #expect(try await gain(other).isEmpty)
    }

    @Test func nonsenseIsNoGain() async throws {
        for (index, text) in ["", "loud", "nan dB", "inf", "-", "99999999 dB", "--3 dB"].enumerated() {
            let tags = ["REPLAYGAIN_TRACK_GAIN": text, "REPLAYGAIN_TRACK_PEAK": text]
            let path = try await MediaFixtures.audio("nonsense\(index)", .flac, tags: tags) { [0, 0.5] }
            let gain = try MediaProbe.probe(path).replayGain
            #expect(gain.trackGain == nil, "\(text)")
            #expect(gain.trackPeak.map(\.isFinite) ?? true, "\(text)")
        }
    }

    @Test func formatsAreTold() async throws {
        let noise = { @Sendable in Signal.noise(frames: 9_999) }
        let flac = try MediaProbe.probe(
            await MediaFixtures.audio("told", .flac24, sampleRate: 96_000, channels: 1, signal: noise)
        )
        #expect(flac.container == "flac")
        #expect(flac.streams[0].bitsPerSample == 24 && flac.streams[0].sampleRate == 96_000)
        #expect(flac.streams[0].channels == .mono)
        let wav = try MediaProbe.probe(await MediaFixtures.audio("told", .wav, channels: 6, signal: noise))
        #expect(wav.streams[0].bitsPerSample == 16 && wav.streams[0].channels?.count == 6)
        #expect(wav.isSeekable && wav.duration?.sample(at: 44_100) == 9_999)
        let mp3 = try MediaProbe.probe(await MediaFixtures.audio("told", .mp3, signal: noise))
        #expect(mp3.streams[0].codec == "mp3" && mp3.streams[0].bitsPerSample == nil)
        #expect((150_000...250_000).contains(mp3.streams[0].bitRate ?? 0))
    }

    @Test func theLocationOfAnErrorHidesThePassword() {
        #expect(MediaError.display("http://user:secret@host/a@b") == "http://host/a@b")
        #expect(MediaError.display("http://host/a@b") == "http://host/a@b")
        #expect(MediaError.display("-") == "standard input")
        #expect(MediaError.display("a@b.flac") == "a@b.flac")
    }
}
