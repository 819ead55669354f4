import Settings
import Testing

@Suite struct ProblemTests {
    /// What is said of a text, to the letter.
    private static let cases: [(String, [String])] = [
        (
            "music-directory = 5",
            [#"segued.toml:1: "music-directory" must be a path, not 5"#]
        ),
        (
            "\n\nmusik-directory = \"/m\"",
            [#"segued.toml:3: unknown key "musik-directory"; did you mean "music-directory"?"#]
        ),
        (
            "music_directory = \"/m\"",
            [#"segued.toml:1: unknown key "music_directory"; did you mean "music-directory"?"#]
        ),
        ("music-dir = \"/m\"", [#"segued.toml:1: unknown key "music-dir"; did you mean "music-directory"?"#]),
        ("colour = \"red\"", [#"segued.toml:1: unknown key "colour""#]),
        (
            "[limits]\n# many\nmax-connections = 0\nmax-conections = 5",
            [
                #"segued.toml:3: "max-connections" must be a whole number from 1 to 100000, not 0"#,
                #"segued.toml:4: unknown key "max-conections" in "limits"; did you mean "max-connections"?"#,
            ]
        ),
        (
            "limits.max-line-size = \"lots\"",
            [
                #"segued.toml:1: "max-line-size" must be a size from 4 KiB to 16 MiB, in bytes or as "2 MiB", not "lots""#
            ]
        ),
        ("limits = 3", [#"segued.toml:1: "limits" must be a table, not 3"#]),
        (
            "[replay-gain]\nmode = \"loud\"\npreamp = true\nlimit = 1",
            [
                #"segued.toml:2: "mode" must be one of off, track, album, auto, not "loud""#,
                #"segued.toml:3: "preamp" must be a number of dB from -30 to 30, not true"#,
                #"segued.toml:4: "limit" must be true or false, not 1"#,
            ]
        ),
        (
            "crossfade = 61",
            [#"segued.toml:1: "crossfade" must be a time from 0 to 60 seconds, as 90, "90s" or "10m", not 61"#]
        ),
        (
            "resume-within = 1979-05-27",
            [
                #"segued.toml:1: "resume-within" must be a time from 0 to 31536000 seconds, as 90, "90s" or "10m""#
                    + #", or "never", or "always", not a date"#
            ]
        ),
        (
            "listen = [\n  \"tcp::6600\",\n  \"udp::1\"\n]\nallow-anonymous = \"lan\"",
            [
                #"segued.toml:3: "listen" cannot be "udp::1": "#
                    + "listeners are unix:PATH, @NAME, tcp:HOST:PORT, tcp::PORT (every address), and tls: in place of tcp:"
            ]
        ),
        (
            "[[listen]]\nmode = \"0660\"\n[[listen]]\naddress = \"@a\"\nmode = \"0660\"",
            [
                #"segued.toml:1: a [[listen]] table needs an "address""#,
                #"segued.toml:3: "mode" goes with unix: sockets only, not with @a"#,
            ]
        ),
        (
            "listen = [\"@a\", \"@a\"]",
            [#"segued.toml:1: the listener "@a" is given twice"#]
        ),
        (
            "listen = [\"tcp::6600\"]",
            [
                "segued.toml:1: warning: clients of other machines may do nothing at tcp::6600: give them a [[password]],"
                    + " grant single ones something by 'segue clients set', or set allow-anonymous = \"lan\""
            ]
        ),
        (
            "[[zone]]\nname = \"kitchen\"\n[[zone.output]]\nname = \"K\"\ntype = \"null\"\n[[password]]\n"
                + "password = \"x\"\nzone = \"kitchn\"",
            [
                #"segued.toml:6: warning: no [[zone]] is named "kitchn", so it has no output yet; did you mean "kitchen"?"#
            ]
        ),
        (
            "[[zone]]\nname = \"attic\"",
            [#"segued.toml:1: warning: the zone "attic" has no output and will be silent"#]
        ),
        (
            "[[zone]]\nname = \"up/down\"\n[[password]]\npassword = \"x\"\nzone = \"a/b\"",
            [
                #"segued.toml:1: the name of the zone "up/down" has a "/""#,
                #"segued.toml:3: the name of the zone "a/b" has a "/""#,
            ]
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"null\"\n[[output]]\nname = \"A\"\ntype = \"pulse\"",
            [#"segued.toml:4: the output "A" is given twice"#]
        ),
        (
            "[[output]]\ntype = \"oss\"",
            [
                #"segued.toml:1: an [[output]] table needs a "name""#,
                "segued.toml:2: \"type\" must be hls, httpd, icecast, snapcast, pulse, alsa, null, null:fast, file:PATH, pipe:PATH or fifo:PATH, not \"oss\"",
            ]
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"fifo:/f\"\ndevice = \"x\"\nformat = \"follow\"\nmixer = \"hardware\"",
            [
                #"segued.toml:1: "device" goes with the types pulse and alsa only; "A" is fifo:/f"#,
                #"segued.toml:1: the format "follow" goes with the types pulse and alsa only; "A" is fifo:/f"#,
                #"segued.toml:1: the mixer "hardware" goes with the types pulse and alsa only; "A" is fifo:/f"#,
            ]
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"alsa\"\nserver = \"x\"\nmixer = \"hardware\"",
            [
                #"segued.toml:1: "server" goes with the type pulse only; "A" is alsa"#,
                #"segued.toml:1: the mixer "hardware" of "A" needs a "mixer-control""#,
            ]
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"pulse\"\nmixer-control = \"PCM\"",
            [
                #"segued.toml:1: "mixer-control" goes with the type alsa only; "A" is pulse"#
            ]
        ),
        (
            "[output]\nname = \"A\"",
            [#"segued.toml:1: "output" must be a list of tables, [[output]], not a table"#]
        ),
        (
            "[[password]]\npassword = \"s\"\n[[password]]\npassword = \"s\"\n[[password]]\npassword = \"\"",
            [
                "segued.toml:3: a password is given twice",
                #"segued.toml:6: "password" must be a string that is not empty, on one line, not """#,
            ]
        ),
        (
            "[[host]]\naddress = \"192.168.1.0/33\"",
            [
                #"segued.toml:1: a [[host]] table needs "permissions""#,
                #"segued.toml:2: "address" must be an address or a network such as "192.168.1.0/24", not "192.168.1.0/33""#,
            ]
        ),
        (
            "anonymous-permissions = [\"read\", \"write\"]",
            [
                "segued.toml:1: \"anonymous-permissions\" must be a list of pick, read, add-only, add, network, player, control, "
                    + "outputs, owner, admin, or \"all\", \"none\", not a list"
            ]
        ),
    ]

    @Test(arguments: cases.indices)
    func everyProblemIsNamedWithItsLine(index: Int) {
        let (text, expected) = Self.cases[index]
        #expect(remarks(text) == expected)
    }

    @Test(arguments: [
        ("a = ", 1), ("\n\nmusic-directory /m", 3), ("log-level = \"info\nx = 1", 1), ("[limits\n", 1),
        ("log-level = \"info\"\nlog-level = \"info\"", 2),
    ])
    func whatIsNoTOMLIsNamedWithItsLine(text: String, line: Int) throws {
        let said = remarks(text)
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("segued.toml:\(line): ") == true, "\(said)")
    }
}
