import ArgumentParser
import AudioTypes
import Foundation
import LineProtocol
import Settings
import Songs
import Testing
import ValueText

@Suite struct MPDConfTests {
    /// Reads a text as `segued --mpd-conf` does; the remarks come without the folder's name.
    private func read(_ text: String, including others: [String: String] = [:]) throws -> (Configuration?, [String]) {
        let scratch = try Scratch()
        try scratch.write(text, to: "mpd.conf")
        for (name, text) in others { try scratch.write(text, to: name) }
        let options = try DaemonOptions.parse(["--mpd-conf", scratch.path + "/mpd.conf"])
        var configuration: Configuration?
        let problems: [ConfigurationProblem]
        do {
            let loaded = try Configuration.load(options, in: person)
            configuration = loaded.configuration
            problems = loaded.warnings
        } catch {
            problems = error.problems
        }
        let said = problems.map { $0.description.replacing(scratch.path + "/", with: "") }
        return (configuration, said.filter { !$0.contains("there is no music directory") })
    }

    @Test func aWholeFileIsTakenOver() throws {
        let (configuration, said) = try read(
            """
            # a comment
            music_directory     "/srv/music"   # and another
            playlist_directory  "~/lists"
            state_file          "/var/lib/mpd/state"
            sticker_file        "/var/lib/mpd/sticker.sql"
            database {
                plugin "simple"
                path   "/var/lib/mpd/db"
            }
            bind_to_address "127.0.0.1"
            bind_to_address "::1"
            bind_to_address "/run/mpd/socket"
            bind_to_address "@mpd"
            port            "6601"
            password "a \\"word\\"@read,add,control"
            default_permissions "read"
            local_permissions "admin"
            host_permissions "192.168.7.9 read,player"
            max_connections "7"
            max_command_list_size "4096"
            max_output_buffer_size "16384"
            max_playlist_length "9"
            connection_timeout "30"
            follow_inside_symlinks "no"
            follow_outside_symlinks "no"
            restore_paused "yes"
            auto_update "yes"
            save_absolute_paths_in_playlists "yes"
            metadata_to_use "+comment"
            filesystem_charset "utf-8"
            replaygain "album"
            replaygain_preamp "-3"
            replaygain_missing_preamp "-6"
            replaygain_limit "no"
            log_level "verbose"
            partition {
                name "kitchen"
            }
            input {
                plugin "curl"
            }
            audio_output {
                type "fifo"
                name "Visualiser"
                path "/tmp/mpd.fifo"
                format "44100:16:2"
            }
            """
        )
        var expected = Configuration(defaultsFor: person)
        expected.musicDirectory = "/srv/music"
        expected.playlistDirectory = "/nonexistent/ada/lists"
        expected.mpdFiles = MPDFiles(
            stateFile: "/var/lib/mpd/state",
            stickerFile: "/var/lib/mpd/sticker.sql",
            databaseFile: "/var/lib/mpd/db"
        )
        expected.listeners = [
            Listener(.unix(path: "/run/user/1000/segue/socket", mode: 0o600), permissions: .all),
            Listener(.tcp(host: "127.0.0.1", port: 6601)), Listener(.tcp(host: "::1", port: 6601)),
            Listener(.unix(path: "/run/mpd/socket", mode: 0o666)), Listener(.abstract(name: "mpd")),
        ]
        expected.access.allowAnonymous = .any
        expected.access.anonymousPermissions = .read
        expected.access.localPermissions = .admin
        expected.access.hosts = [HostRule(try #require(AddressRange("192.168.7.9")), permissions: [.read, .player])]
        expected.access.passwords = [Password("a \"word\"", permissions: [.read, .add, .network, .control, .player])]
        expected.limits.maxConnections = 7
        expected.limits.maxCommandListBytes = 4096 * 1024
        expected.limits.maxOutputBufferBytes = 16_384 * 1024
        expected.limits.maxPlaylistLength = 9
        expected.limits.connectionTimeout = .seconds(30)
        expected.followsInsideLinks = false
        expected.followsOutsideLinks = false
        expected.restoresPaused = true
        expected.updatesAutomatically = true
        expected.savesAbsolutePaths = true
        expected.tags = .all
        expected.replayGain = ReplayGainSettings(mode: .album, preamp: -3, fallback: -6, preventsClipping: false)
        expected.logLevel = .debug
        let visualiser = Output(name: "Visualiser", kind: .fifo(path: "/tmp/mpd.fifo"), format: cd)
        expected.zones = [ZoneSettings(name: "default", outputs: [visualiser]), ZoneSettings(name: "kitchen")]
        #expect(configuration == expected)
        #expect(said == ["mpd.conf:36: warning: the zone \"kitchen\" has no output and will be silent"])
    }

    private let cd = OutputFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)

    /// An `audio_output` block, what becomes of it, and what is said.
    private static let outputs: [(String, [Output], [String])] = [
        ("type \"null\"\nname \"N\"", [Output(name: "N", kind: .null, mixer: Output.Mixer.none)], []),
        (
            "type \"null\"\nname \"N\"\nsync \"no\"\nenabled \"no\"\nmixer_type \"software\"",
            [Output(name: "N", kind: .nullFast, mixer: .software, isEnabled: false)], []
        ),
        (
            "type \"pulse\"\nname \"P\"\nserver \"s\"\nsink \"k\"\nalways_on \"no\"\nreplay_gain_handler \"software\"",
            [Output(name: "P", kind: .pulse, server: "s", device: "k")], []
        ),
        (
            "type \"pulse\"\nname \"P\"\nalways_on \"yes\"\nreplay_gain_handler \"mixer\"",
            [Output(name: "P", kind: .pulse)],
            [
                #"mpd.conf:5: warning: "always_on" in "audio_output" has no effect in Segue"#,
                #"mpd.conf:6: warning: "replay_gain_handler" in "audio_output" has no effect in Segue"#,
            ]
        ),
        (
            "type \"pulse\"\nname \"P\"\nmixer_type \"none\"\ntaste \"good\"",
            [Output(name: "P", kind: .pulse, mixer: Output.Mixer.none)],
            [#"mpd.conf:6: warning: "taste" in "audio_output" has no effect in Segue"#]
        ),
        (
            "type \"alsa\"\nname \"A\"\ndevice \"hw:0,0\"",
            [Output(name: "A", kind: .alsa, device: "hw:0,0", mixerControl: "PCM")], []
        ),
        (
            "type \"alsa\"\nname \"A\"\ndevice \"hw:CARD=DAC\"\nmixer_control \"Digital\"\nmixer_index \"1\"\n"
                + "format \"96000:24:2\"\nauto_resample \"no\"\nbuffer_time \"500000\"\ndop \"no\"",
            [
                Output(
                    name: "A",
                    kind: .alsa,
                    device: "hw:CARD=DAC",
                    format: OutputFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo),
                    mixerControl: "Digital,1"
                )
            ], []
        ),
        (
            "type \"alsa\"\nname \"A\"\nmixer_type \"software\"\ndop \"yes\"\nmixer_device \"hw:1\"\ndevice \"hw:2\"",
            [Output(name: "A", kind: .alsa, device: "hw:2", mixer: .software)],
            [
                #"mpd.conf:6: warning: "dop" in "audio_output" has no effect in Segue"#,
                #"mpd.conf:7: warning: "mixer_device" is not used: "A" uses the mixer of its card"#,
            ]
        ),
        (
            "type \"oss\"\nname \"A\"\ndevice \"/dev/dsp\"", [Output(name: "A", kind: .pulse)],
            [#"mpd.conf:2: warning: the output "A" of the type oss plays to the sound server instead"#]
        ),
        (
            "type \"httpd\"\nname \"H\"",
            [Output(name: "H", kind: .httpd, broadcast: everywhere { $0.encoder = .vorbis })],
            []
        ),
        (
            #"""
            type "httpd"
            name "H"
            encoder "lame"
            port "8123"
            bind_to_address "192.168.1.5"
            bitrate "128"
            format "44100:16:1"
            max_clients "7"
            genre "Jazz"
            website "http://h.example/"
            """#,
            [
                Output(
                    name: "H",
                    kind: .httpd,
                    format: OutputFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .mono),
                    broadcast: everywhere {
                        ($0.encoder, $0.bitRate, $0.port, $0.maxClients) = (.mp3, 128_000, 8_123, 7)
                        ($0.bindAddress, $0.genre, $0.website) = ("192.168.1.5", "Jazz", "http://h.example/")
                    }
                )
            ],
            []
        ),
        (
            "type \"httpd\"\nname \"H\"\nencoder \"twolame\"\nquality \"3\"",
            [
                Output(
                    name: "H",
                    kind: .httpd,
                    broadcast: everywhere { ($0.encoder, $0.quality) = (.mp3, 3) }
                )
            ],
            [#"mpd.conf:5: warning: the output "H" is encoded by lame: Segue has no encoder "twolame""#]
        ),
        (
            #"""
            type "shout"
            name "S"
            encoder "opus"
            host "radio.example"
            port "8010"
            mount "/live.opus"
            password "hackme"
            user "dj"
            bitrate "96"
            format "48000:16:2"
            public "yes"
            genre "Jazz"
            description "All night"
            url "http://radio.example/"
            timeout "2"
            """#,
            [
                Output(
                    name: "S",
                    kind: .icecast,
                    format: OutputFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo),
                    broadcast: sent {
                        ($0.host, $0.port, $0.mount) = ("radio.example", 8_010, "/live.opus")
                        ($0.user, $0.password, $0.isPublic) = ("dj", "hackme", true)
                        ($0.encoder, $0.bitRate) = (.opus, 96_000)
                        ($0.genre, $0.website, $0.description) = ("Jazz", "http://radio.example/", "All night")
                    }
                )
            ],
            []
        ),
        (
            "type \"snapcast\"\nname \"S\"\nport \"1704\"\nzeroconf \"yes\"",
            [Output(name: "S", kind: .snapcast, broadcast: .snapcast)],
            [
                "mpd.conf:2: warning: the output \"S\" plays to a Snapcast server on this machine, which has to be"
                    + " installed (segued.toml(5), Snapcast)"
            ]
        ),
        (
            "type \"shout\"\nname \"S\"\nprotocol \"shoutcast\"", [Output(name: "Sound server", kind: .pulse)],
            [#"mpd.conf:5: warning: the output "S" is left out: Segue does not speak shoutcast"#]
        ),
        (
            "type \"recorder\"\nname \"R\"\nencoder \"flac\"\npath \"/r/a.flac\"\ncompression \"8\"",
            [Output(name: "R", kind: .file(path: "/r/a.flac"))], []
        ),
        (
            "type \"recorder\"\nname \"R\"\nencoder \"lame\"\npath \"/r/a\"",
            [Output(name: "R", kind: .file(path: "/r/a.mp3"))],
            [#"mpd.conf:2: warning: the output "R" writes to /r/a.mp3"#]
        ),
        (
            "type \"pulse\"\nname \"P\"\n}\naudio_output {\ntype \"alsa\"\nname \"A\"",
            [
                Output(name: "P", kind: .pulse),
                Output(name: "A", kind: .alsa, mixerControl: "PCM", isEnabled: false),
            ],
            [
                #"mpd.conf:6: warning: the output "A" is off: another plays to the same sink"#
            ]
        ),
    ]

    private static func sent(_ change: (inout BroadcastSettings) -> Void) -> BroadcastSettings {
        var settings = BroadcastSettings()
        change(&settings)
        return settings
    }

    /// MPD's defaults: all addresses, and as many listeners as may be.
    private static func everywhere(_ change: (inout BroadcastSettings) -> Void) -> BroadcastSettings {
        var settings = BroadcastSettings()
        (settings.bindAddress, settings.maxClients) = (nil, 10_000)
        change(&settings)
        return settings
    }

    @Test(arguments: outputs.indices)
    func outputsBecomeOurs(index: Int) throws {
        let (block, expected, remarks) = Self.outputs[index]
        let (configuration, said) = try read("bind_to_address \"localhost\"\naudio_output {\n\(block)\n}")
        #expect(configuration?.zones.first?.outputs == expected)
        #expect(said == remarks)
    }

    /// What is said of a text, and whether it can be used.
    private static let problems: [(String, Bool, [String])] = [
        (
            "music_directory /m", false,
            [#"mpd.conf:1: after "music_directory" a value in quotation marks is expected, and nothing else"#]
        ),
        (
            "port \"6600\" x", false,
            [#"mpd.conf:1: after "port" a value in quotation marks is expected, and nothing else"#]
        ),
        ("port \"abc\"", false, [#"mpd.conf:1: "port" must be a whole number from 1 to 65535, not "abc""#]),
        ("\naudio_output { type \"null\" }", false, [#"mpd.conf:2: nothing may follow "{""#]),
        ("audio_output {\ntype \"null\"\nname \"x\"", false, [#"mpd.conf:1: the block "audio_output" has no "}""#]),
        ("}", false, [#"mpd.conf:1: there is no block that this "}" could end"#]),
        ("=\"x\"", false, [#"mpd.conf:1: a setting's name is expected, not "="x"""#]),
        ("password \"x\"", false, [#"mpd.conf:1: "password" must be a password, "@", and permissions"#]),
        (
            "password \"a@b@read\"", false,
            [#"mpd.conf:1: "password" takes the permissions read, add, player, control, admin, not "b@read""#]
        ),
        ("auto_update \"maybe\"", false, [#"mpd.conf:1: "auto_update" must be yes or no, not "maybe""#]),
        ("audio_output {\ntype \"null\"\n}", false, [#"mpd.conf:1: an "audio_output" needs a "name""#]),
        ("include \"no.conf\"", false, ["mpd.conf:1: there is no file no.conf to include"]),
        (
            "include \"mpd.conf\"", false,
            [
                "mpd.conf:1: files include each other without end",
                #"mpd.conf:2: the listener "tcp:localhost:6600" is given twice"#,
            ]
        ),
        ("include_optional \"no.conf\"", true, []),
        (
            "music_directory \"nfs://host/m\"", false,
            [#"mpd.conf:1: "music_directory" must be a folder of this machine"#]
        ),
        (
            "shiny \"1\"\nshiny \"2\"\ngapless \"no\"\nvolume_normalization \"yes\"\ngapless_mp3_playback \"yes\"",
            true,
            [
                #"mpd.conf:1: warning: "shiny" has no effect in Segue"#,
                #"mpd.conf:3: warning: "gapless" has no effect in Segue"#,
                #"mpd.conf:4: warning: "volume_normalization" has no effect in Segue: "#
                    + "Segue evens out loudness by tags and by measurement instead; see replay-gain and measure-loudness",
            ]
        ),
    ]

    @Test(arguments: problems.indices)
    func problemsAreNamedWithTheirLine(index: Int) throws {
        let (text, isUsable, remarks) = Self.problems[index]
        let (configuration, said) = try read("\(text)\nbind_to_address \"localhost\"")
        #expect((configuration != nil) == isUsable)
        #expect(said.filter { !$0.contains("open to the network") } == remarks)
    }

    @Test func includedFilesCount() throws {
        let (configuration, said) = try read(
            "bind_to_address \"localhost\"\ninclude \"parts/ports.conf\"",
            including: [
                "parts/ports.conf": "include_optional \"more.conf\"\nnew \"1\"", "parts/more.conf": "port \"7\"",
            ]
        )
        #expect(configuration?.listeners.last == Listener(.tcp(host: "localhost", port: 7)))
        #expect(said == ["parts/ports.conf:2: warning: \"new\" has no effect in Segue"])
    }

    /// Who needs a password, by what MPD's settings say together.
    @Test(
        arguments: [
            ("", AnonymousAccess.lan, Permissions.anonymous, 1),
            ("bind_to_address \"any\"", .lan, .anonymous, 1),
            ("bind_to_address \"192.168.0.1\"", .lan, .anonymous, 1),
            ("bind_to_address \"127.0.0.1\"", .loopback, .anonymous, 0),
            ("default_permissions \"read\"", .lan, .read, 1),
            ("password \"p@admin\"", .any, [], 0),
            ("password \"p@admin\"\ndefault_permissions \"read,control\"", .any, [.read, .control, .player], 0),
        ] as [(String, AnonymousAccess, Permissions, Int)]
    )
    func accessFollowsFromPasswords(
        text: String,
        access: AnonymousAccess,
        permissions: Permissions,
        warnings: Int
    ) throws {
        let (configuration, said) = try read(text)
        #expect(configuration?.access.allowAnonymous == access)
        #expect(configuration?.access.anonymousPermissions == permissions)
        #expect(said.filter { $0.contains("open to the network") }.count == warnings)
        #expect(said.count == warnings, "\(said)")
    }

    @Test func debiansOwnFileRuns() throws {
        guard let text = try? String(contentsOfFile: "/etc/mpd.conf", encoding: .utf8) else {
            print("Skipped: there is no /etc/mpd.conf; Debian's package mpd has one.")
            return
        }
        let (configuration, said) = try read(text)
        #expect(configuration?.musicDirectory == "/var/lib/mpd/music")
        #expect(configuration?.mpdFiles?.stickerFile == "/var/lib/mpd/sticker.sql")
        #expect(configuration?.listeners.map(\.description).last == "tcp:localhost:6600")
        #expect(said.count == 1 && said.first?.contains("\"user\" has no effect in Segue") == true, "\(said)")
    }

    /// The example that comes with mpd, with every setting in it switched on.
    @Test func mpdsExampleIsUnderstood() throws {
        let path = "/usr/share/doc/mpd/mpdconf.example.gz"
        guard FileManager.default.fileExists(atPath: path) else {
            print("Skipped: there is no \(path); Debian's package mpd has it.")
            return
        }
        let unpacked = Process()
        unpacked.executableURL = URL(filePath: "/usr/bin/gzip")
        unpacked.arguments = ["-dc", path]
        let output = Pipe()
        unpacked.standardOutput = output
        try unpacked.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        unpacked.waitUntilExit()
        // Its second database block is a remote one, with a quotation mark missing in the first.
        let setting = /^#+(?=\s*([a-z_]+[ \t]+("[^"\n]*"?|\{)|\})[ \t]*(#[^\n]*)?$)/
        let whole = text.replacing(setting.anchorsMatchLineEndings(), with: "")
            .replacing("share/mpd/db\n", with: "share/mpd/db\"\n")
            .replacing("\"nfs://fileserver.local/srv/mp3\"", with: "\"/srv/mp3\"")
        let (configuration, said) = try read(whole)
        let errors = said.filter { !$0.contains("warning: ") }
        #expect(errors == [])
        let outputs = try #require(configuration?.zones.first?.outputs)
        #expect(outputs.map(\.name).contains("My Pulse Output"))
        #expect(outputs.filter { $0.kind == .pulse && $0.device == nil && $0.isEnabled }.count == 1)
        #expect(
            configuration?.access.passwords == [
                Password("password", permissions: [.read, .add, .network, .control, .player, .admin])
            ]
        )
    }
}
