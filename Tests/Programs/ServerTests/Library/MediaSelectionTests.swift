import Foundation
import TestSupport
import TestThreads
import Testing

/// Row 112: the streams of the current song, and the choice of another while it is played.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct MediaSelectionTests {
    /// A film with English and German sound and two subtitles, and one song.
    private func start(_ settings: String = "") async throws -> Segued {
        let music = try await OwnMusic()
        let english = try music.folder.write("en.srt", "1\n00:00:00,000 --> 00:00:01,000\nHello\n")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=60", "-f", "lavfi", "-i", "sine=400:d=60", "-f", "lavfi", "-i",
            "sine=800:d=60", "-i", english, "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map", "3",
            "-c:v", "mpeg4", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger",
            "-metadata:s:a:1", "title=Synchron", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger",
            "-disposition:a:0", "default", "-disposition:s:0", "0", "-disposition:s:1", "forced+hearing_impaired",
            music.path + "/film.mkv",
        ])
        guard !settings.isEmpty else { return try await Segued.start(in: music.folder, music: music.path) }
        let socket = "listen = [\"unix:\(music.folder.file("socket"))\"]\n"
        return try await Segued.start(.toml(socket + settings), in: music.folder, music: music.path)
    }

    private static let listed = [
        "group: audible", "automatic: 1", "allowsempty: 0",
        "option: 1", "selected: 1", "language: en", "codec: vorbis", "default: 1", "forced: 0",
        "option: 2", "selected: 0", "language: de", "name: Synchron", "codec: vorbis", "default: 0", "forced: 0",
        "group: legible", "automatic: 1", "allowsempty: 1",
        "option: 1", "selected: 0", "language: en", "codec: ass", "default: 0", "forced: 0",
        "option: 2", "selected: 0", "language: de", "codec: ass", "default: 0", "forced: 1",
        "characteristic: hearing_impaired",
        "group: visual", "automatic: 1", "allowsempty: 1",
        "option: 1", "selected: 0", "codec: mpeg4", "default: 0", "forced: 0", "OK",
    ]

    private func selected(_ client: LineClient) -> [String] {
        let lines = client.ask("mediaselection").prefix { $0 != "group: legible" }
        return zip(lines, lines.dropFirst()).filter { $0.1 == "selected: 1" }.map(\.0) + lines.dropFirst().prefix(1)
    }

    /// Waits until the current song has been opened.
    private func open(_ client: LineClient) throws {
        while client.ask("mediaselection") == ["OK"] { try client.order("idle player") }
    }

    @Test func optionsAreListedAndChosen() async throws {
        let server = try await start()
        let client = try server.connect()
        #expect(client.ask("mediaselection") == ["OK"])
        #expect(client.ask("selectmedia audible 1") == ["ACK [55@0] {selectmedia} Not playing"])
        for command in ["add film.mkv", "add one.flac", "play 0"] { try client.order(command) }
        try open(client)
        #expect(client.ask("mediaselection") == Self.listed)
        let watcher = try server.connect()
        _ = watcher.ask("status")
        for (wish, option) in [("2", "option: 2"), ("en", "option: 1"), ("deu", "option: 2")] {
            try client.order("selectmedia audible \(wish)")
            #expect(selected(client) == [option, "automatic: 0"], "\(wish)")
        }
        #expect(watcher.ask("idle player") == ["changed: player", "OK"])
        // It goes on at the same place, and the position is not lost.
        try client.order("seekcur 30")
        try client.order("selectmedia audible 1")
        #expect(try client.values("status")["elapsed"].flatMap { Double($0) }.map { $0 >= 29 } == true)
        try client.order("selectmedia audible auto")
        #expect(selected(client) == ["option: 1", "automatic: 1"])
        for (wish, reply) in [
            ("audible 3", "[50@0] {selectmedia} No such option"), ("audible fr", "[50@0] {selectmedia} No such option"),
            ("legible 1", "[52@0] {selectmedia} segued shows no subtitles"),
            ("visual 1", "[52@0] {selectmedia} segued shows no moving pictures"),
        ] {
            #expect(client.ask("selectmedia \(wish)") == ["ACK " + reply])
        }
        for wrong in ["audible 0", "audible", "audible english", "spoken 1", "audible -1"] {
            #expect(client.ask("selectmedia \(wrong)").first?.hasPrefix("ACK [2@0]") == true, "\(wrong)")
        }
    }

    /// As AVPlayerItem's: the choice is the item's.
    @Test func aChoiceEndsWithItsSong() async throws {
        let server = try await start()
        let client = try server.connect()
        for command in ["add film.mkv", "add film.mkv", "play 0"] { try client.order(command) }
        try open(client)
        try client.order("selectmedia audible 2")
        try client.order("next")
        try open(client)
        #expect(selected(client) == ["option: 1", "automatic: 1"])
    }

    /// Row 113.
    @Test func theConfigurationsLanguagesArePreferred() async throws {
        let server = try await start("audio-languages = [\"sv\", \"de\"]\n")
        let client = try server.connect()
        for command in ["add film.mkv", "play 0"] { try client.order(command) }
        try open(client)
        #expect(selected(client) == ["option: 2", "automatic: 1"])
        try client.order("selectmedia audible en")
        #expect(selected(client) == ["option: 1", "automatic: 0"])
    }

    @Test func theVerbShowsAndChooses() async throws {
        let server = try await start()
        func run(_ words: String...) async throws -> ChildProcess.Result {
            let segue = try Segued.path().replacing(/segued$/, with: "segue")
            let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
            return try await ChildProcess(segue, words, environment: environment).wait()
        }
        #expect(try await run("audio").errorText == "segue: there is no current song\n")
        let client = try server.connect()
        for command in ["add film.mkv", "play 0"] { try client.order(command) }
        try open(client)
        #expect(
            try await run("audio").outputText == "* 1  en  (vorbis, default)\n  2  de, Synchron  (vorbis)\n"
        )
        #expect(
            try await run("audio", "--json", "de").outputText
                == #"{"number":1,"selected":false,"language":"en","codec":"vorbis","default":true,"forced":false}"#
                + "\n"
                + #"{"number":2,"selected":true,"language":"de","name":"Synchron","codec":"vorbis","default":false,"#
                + #""forced":false}"# + "\n"
        )
        let missing = try await run("audio", "fr")
        #expect(missing.status == .code(1) && missing.errorText == "segue: there is no audio track fr\n")
        #expect(try await run("audio", "0").status == .code(64))
    }
}
