import AudioTypes
import Playlists
import Testing

struct CueSheetTests {
    @Test func `reads everything that a sheet says`() throws {
        let playlist = try Playlist(sample("disc.cue"), named: "disc.cue")
        let disc = [
            "album": "The Concert", "album_artist": "Keith", "artist": "Keith", "genre": "Jazz", "date": "1975",
            "disc": "2", "replaygain_album_gain": "-6.10 dB",
        ]
        func tags(_ more: [String: String]) -> [String: String] { disc.merging(more) { $1 } }
        let second = Double((26 * 60 + 1) * 75 + 37) / 75
        let third = Double((40 * 60 + 59) * 75 + 74) / 75
        let middle = Double((40 * 60 + 59) * 75 + 74 - (26 * 60 + 1) * 75 - 37) / 75
        let expected = Playlist(
            format: .cue,
            title: "The Concert",
            entries: [
                entry(
                    "disc.wav",
                    tags([
                        "title": "Part I", "track": "1", "isrc": "DEABC7500001", "replaygain_track_gain": "-5.00 dB",
                    ]),
                    seconds: second,
                    end: second
                ),
                entry(
                    "disc.wav",
                    tags(["title": "Part \"Two\"", "track": "2", "artist": "Guest", "composer": "Writer"]),
                    seconds: middle,
                    start: second,
                    end: third
                ),
                entry("disc.wav", tags(["title": "Part III", "track": "3"]), start: third),
                entry("bonus.wav", tags(["title": "Bonus", "track": "4"])),
            ],
            lines: [7, 7, 7, 23]
        )
        #expect(playlist == expected)
    }

    @Test func `every frame of a long disc is 588 samples`() throws {
        for frame in stride(from: 1, to: 99 * 60 * 75, by: 7) {
            let (minutes, seconds, frames) = (frame / 75 / 60, frame / 75 % 60, frame % 75)
            let text = "FILE a WAVE\nTRACK 1 AUDIO\nINDEX 1 \(minutes):\(seconds):\(frames)"
            let playlist = try Playlist(Array(text.utf8), as: .cue)
            guard playlist.entries.first?.start?.sample(at: 44_100) == frame * 588 else {
                Issue.record("frame \(frame) is at \(String(describing: playlist.entries.first?.start))")
                return
            }
        }
    }

    /// A sheet's lines after `FILE a WAVE`, and start and end of each entry in frames.
    @Test(arguments: [
        ("TRACK 1 AUDIO;INDEX 1 0:0:0;TRACK 2 AUDIO;INDEX 1 0:1:0", ["a nil 75", "a 75 nil"]),
        // A hidden track before the first INDEX 01 is left out.
        ("TRACK 1 AUDIO;INDEX 0 0:0:0;INDEX 1 0:2:0", ["a 150 nil"]),
        // The gap before track 2 lies at the end of track 1's file.
        (
            "TRACK 1 AUDIO;INDEX 1 0:0:0;TRACK 2 AUDIO;INDEX 0 3:0:0;FILE b WAVE;INDEX 1 0:0:0",
            ["a nil nil", "b nil nil"]
        ),
        // A data track ends the audio before it and is no entry.
        ("TRACK 1 AUDIO;INDEX 1 0:0:0;TRACK 2 MODE1/2352;INDEX 1 0:4:0", ["a nil 300"]),
        ("TRACK 1 AUDIO;INDEX 1 0:4:0;TRACK 2 AUDIO;INDEX 1 0:0:0", ["a 300 nil", "a nil 300"]),
        ("TRACK 1 AUDIO;INDEX 0 0:1:0", ["a 75 nil"]),
        ("TRACK 1 AUDIO;INDEX 3 0:3:0;INDEX 2 0:2:0;INDEX 0 0:1:0", ["a 150 nil"]),
        ("TRACK 1 AUDIO;INDEX 1 120:00:00", ["a 540000 nil"]),
    ]) func `finds the boundaries`(lines: String, expected: [String]) throws {
        let text = "FILE a WAVE\n" + lines.split(separator: ";").joined(separator: "\n")
        let playlist = try Playlist(Array(text.utf8), as: .cue)
        let found = playlist.entries.map { entry in
            let (start, end) = (entry.start?.sample(at: 75), entry.end?.sample(at: 75))
            return "\(entry.location) \(start.map(String.init) ?? "nil") \(end.map(String.init) ?? "nil")"
        }
        #expect(found == expected)
        #expect(playlist.problems.isEmpty)
    }

    @Test(arguments: [
        ("FILE \"a b.wav\" WAVE", "a b.wav"),
        ("FILE a b.wav WAVE", "a b.wav"),
        ("FILE \"a \"b\".wav\" WAVE", "a \"b\".wav"),
        ("file\t\"C:\\Rips\\a.wav\"  wave ", "C:\\Rips\\a.wav"),
        ("FILE a.wav", "a.wav"),
    ]) func `reads a file's name`(line: String, name: String) throws {
        let playlist = try Playlist(Array("\(line)\nTRACK 01 AUDIO\nINDEX 01 00:00:00".utf8), as: .cue)
        #expect(playlist.entries.map(\.location) == [name])
    }

    @Test(arguments: [
        ("INDEX 01 00:00:00", problem(2, .unexpectedCommand("INDEX"))),
        ("TRACK x AUDIO", problem(2, .invalidNumber("x"))),
        ("TRACK 1 AUDIO\nINDEX 01 00:60:00", problem(3, .invalidTime("00:60:00"))),
        ("TRACK 1 AUDIO\nINDEX 01 00:00:75", problem(3, .invalidTime("00:00:75"))),
        ("TRACK 1 AUDIO\nINDEX 01 00:00", problem(3, .invalidTime("00:00"))),
        ("TRACK 1 AUDIO\nINDEX 100 00:00:00", problem(3, .invalidNumber("100"))),
        ("TRACK 1 AUDIO", problem(2, .trackWithoutIndex)),
        ("TRACK 1 AUDIO\nINDEX 01 0:0:5\nTRACK 2 AUDIO\nINDEX 01 0:0:5", problem(2, .tracksAtSamePlace)),
        ("PREGAP 0:0:1", problem(2, .unexpectedCommand("a gap"))),
        ("FILE \"\" WAVE", problem(2, .missingLocation)),
    ]) func `reports what makes no sense`(lines: String, expected: PlaylistProblem) throws {
        let text = "FILE a WAVE\n\(lines)\nTRACK 9 AUDIO\nINDEX 01 10:00:00"
        let playlist = try Playlist(Array(text.utf8), as: .cue)
        #expect(playlist.problems.contains(expected), "\(playlist.problems)")
        #expect(playlist.entries.last?.tags["track"] == "9")
    }

    @Test(arguments: ["", "TRACK 01 AUDIO\nINDEX 01 00:00:00", "FILE a WAVE", "TITLE x"])
    func `refuses what is none`(text: String) {
        #expect(throws: ParseError.notInFormat(.cue)) { try Playlist(Array(text.utf8), as: .cue) }
    }
}
