import ClientVerbs
import Testing

@Suite struct CommandWordsTests {
    @Test(
        arguments: [
            ("status", "status"),
            ("-q play 3", "play -q 3"),
            ("--host kitchen status", "status --host kitchen"),
            ("--host=kitchen -f x current", "current --host=kitchen -f x"),
            ("-p6601 next", "next -p6601"),
            ("-w update", "update -w"),
            ("--help", "--help"),
            ("-x status", "-x status"),
            ("lsplaylists", "playlist ls"),
            ("-q load mix", "playlist load -q mix"),
            ("save mix", "playlist save mix"),
            ("rm mix", "playlist rm mix"),
            ("playlist", "queue"),
            ("playlist -f x", "queue -f x"),
            ("playlist --json", "queue --json"),
            ("playlist mix", "playlist show mix"),
            ("playlist ls", "playlist ls"),
            ("playlist --json ls", "playlist ls --json"), ("--json zone new a", "zone new --json a"),
            ("--host a library problems", "library problems --host a"), ("-q library pause", "library pause -q"),
            ("--json library", "library --json"), ("--host a session ls", "session ls --host a"),
            ("--host a find Artist x", "find --host a Artist x"),
            ("playlist --host a show mix", "playlist show --host a mix"),
            ("playlist --help", "playlist --help"),
            ("partitions", "zone ls"),
            ("", ""),
        ]
    )
    func normalises(words: String, expected: String) {
        let split = { (text: String) in text.split(separator: " ").map(String.init) }
        #expect(CommandWords.normalised(split(words)) == split(expected))
    }

    @Test(
        arguments: [
            ("", .server), ("3", .server), ("-q 3", .server), ("--json", .server), ("--host kitchen", .server),
            ("--zone a 3", .server), ("-- 3", .server),
            ("./3", .here), ("3 4", .here), ("a.flac", .here), ("3a", .here), ("-", .here), ("--speed 2 a.flac", .here),
            ("--shuffle", .here), ("--playlist x.m3u", .here), ("--speed 2", .here), ("-q a.flac", .here),
            ("--host kitchen a.flac", .contradiction(file: "a.flac")),
            ("a.flac --host=k", .contradiction(file: "a.flac")),
            ("--zone a -- b", .contradiction(file: "b")), ("-P pw 3 4", .contradiction(file: "3")),
        ] as [(String, CommandWords.PlayMeaning)]
    )
    func whoPlays(words: String, meaning: CommandWords.PlayMeaning) {
        #expect(CommandWords.playMeaning(words.split(separator: " ").map(String.init)) == meaning)
    }
}
