import Testing

@testable import MPDImport

@Suite struct StateFileTests {
    private func parse(_ text: String) -> ImportedState {
        var state = ImportedState()
        StateFileParser.parse(text, into: &state)
        return state
    }

    private func entry(_ uri: String, _ change: (inout ImportedEntry) -> Void = { _ in }) -> ImportedEntry {
        var entry = ImportedEntry(uri)
        change(&entry)
        return entry
    }

    /// As mpd 0.23.12 wrote it.
    @Test func aWholeFileIsRead() {
        let state = parse(
            """
            sw_volume: 55
            audio_device_state:1:Null one
            audio_device_state:0:Two:colon
            state: pause
            current: 1
            time: 10.091000
            random: 1
            repeat: 0
            single: 2
            consume: 1
            crossfade: 3
            mixrampdb: -17.000000
            mixrampdelay: -1.000000
            playlist_begin
            0:album/1.flac
            song_begin: album/3.flac
            Range: 1500-9250
            Time: 30.000000
            Title: T3
            mtime: 1795240815
            song_end
            song_begin: sp ace ü.flac
            Range: 2500-
            song_end
            song_begin: http://127.0.0.1:9/stream.mp3
            Title: Stream: one
            song_end
            Prio: 5
            4:a:b.flac
            5: leading.flac
            playlist_end

            """
        )
        var expected = ImportedState()
        expected.volume = 55
        expected.outputs = [
            ImportedOutput(name: "Null one", isEnabled: true), ImportedOutput(name: "Two:colon", isEnabled: false),
        ]
        expected.playback = .paused
        expected.current = 1
        expected.elapsed = 10.091
        expected.options.random = true
        expected.options.single = .oneshot
        expected.options.consume = .on
        expected.options.crossfade = 3
        expected.options.mixRampThreshold = -17
        expected.queue = [
            entry("album/1.flac"),
            entry("album/3.flac") {
                $0.start = 1.5
                $0.end = 9.25
            },
            entry("sp ace ü.flac") { $0.start = 2.5 },
            entry("http://127.0.0.1:9/stream.mp3") { $0.tags = [ImportedTag(name: "Title", value: "Stream: one")] },
            entry("a:b.flac") { $0.priority = 5 },
            entry(" leading.flac"),
        ]
        #expect(state == expected)
    }

    /// What is damaged costs no more than itself.
    @Test(arguments: [
        ("", ImportedState()),
        (
            "current: 3\nstate: play",
            {
                var state = ImportedState()
                state.problems = ["the state file names entry 3 of a queue of 0"]
                return state
            }()
        ),
        (
            "sw_volume: 900\ncrossfade: -1\nmixrampdelay: nan\ntime: inf\nsingle: x\n\n:::\nplaylist_end\nsong_end",
            ImportedState()
        ),
    ])
    func damageIsBounded(text: String, expected: ImportedState) { #expect(parse(text) == expected) }

    @Test func aFileThatBreaksOffIsReadAsFarAsItGoes() {
        let state = parse("playlist_begin\n0:a\nsong_begin: b\nRange: x\nPrio: 9")
        #expect(state.queue == [entry("a"), entry("b")])
        #expect(parse("playlist_begin\nPrio: 999\n0:a\nnonsense\nx:y").queue == [entry("a") { $0.priority = 255 }])
    }

    @Test func aPlaceOutsideOfTheQueueIsNone() {
        let state = parse("state: play\ncurrent: 2\ntime: 5\nplaylist_begin\n0:a\n1:b\nplaylist_end")
        #expect(state.current == nil && state.elapsed == 0 && state.playback == .stopped)
        #expect(state.problems == ["the state file names entry 2 of a queue of 2"])
    }
}
