import Announcements
import AudioTypes
import Settings
import Testing

/// Sessions, announcements and speech.
@Suite struct SessionTests {
    /// Each key alone, and what it changes; for `SettingTests`.
    static let cases: [(String, @Sendable (inout Configuration) -> Void)] = [
        ("[session]\nfade = \"50ms\"", { $0.session.fade = .milliseconds(50) }),
        ("session.fade = 0.2", { $0.session.fade = .milliseconds(200) }),
        ("session.lease = \"10m\"", { $0.session.lease = .seconds(600) }),
        ("[session]\nduck = 20.5", { $0.session.duck = 20.5 }),
        ("[session]\nduck-ramp = \"80 ms\"", { $0.session.duckRamp = .milliseconds(80) }),
        ("category = \"soloAmbient\"", { $0.zones[0].session.category = "soloAmbient" }),
        ("mode = \"spokenAudio\"", { $0.zones[0].session.mode = "spokenAudio" }),
        (
            "options = [\"duckOthers\", \"mixWithOthers\", \"duckOthers\"]",
            { $0.zones[0].session.options = ["duckOthers", "mixWithOthers"] }
        ),
        ("auto-resume = false", { $0.zones[0].session.resumesAutomatically = false }),
        ("max-volume = 60", { $0.zones[0].session.maxVolume = 60 }),
        // What a [[zone]] says of the default zone counts more, key for key.
        (
            "category = \"ambient\"\nauto-resume = false\n[[zone]]\nname = \"default\"\ncategory = \"multiRoute\"",
            {
                $0.zones[0].session.category = "multiRoute"
                $0.zones[0].session.resumesAutomatically = false
            }
        ),
        ("[announcements]\nvolume = 60", { $0.announcements.volume = 60 }),
        ("[announcements]\nmax-volume = 80", { $0.announcements.maxVolume = 80 }),
        ("[announcements]\nchime = \"gong.wav\"", { $0.announcements.chime = "/nonexistent/here/gong.wav" }),
        ("[announcements]\nchime = \"http://box/gong.wav\"", { $0.announcements.chime = "http://box/gong.wav" }),
        ("[announcements]\nvoice = \"en-gb\"", { $0.announcements.voice = "en-gb" }),
        (
            "[announcements]\nspeech-command = [\"say\", \"a b\", \"{output}\"]",
            { $0.announcements.speechCommand = ["say", "a b", "{output}"] }
        ),
        (
            "[announcements]\nspeech-command = 'say  -o {output} \"a \\b\" \"\" x\"y z\"'",
            { $0.announcements.speechCommand = ["say", "-o", "{output}", "a \\b", "", "xy z"] }
        ),
        (
            "[announcements]\nquiet-hours = \"22:00-07:00\"",
            { $0.announcements.quietHours = QuietHours(parsing: "22:00-07:00") }
        ),
        ("[announcements]\nquiet-volume = 0", { $0.announcements.quietVolume = 0 }),
        ("[announcements]\nexpires = \"5m\"", { $0.announcements.expires = .seconds(300) }),
        ("[announcements]\nmax-queued = 5", { $0.announcements.maxQueued = 5 }),
        ("[announcements]\nmax-text = \"1 KiB\"", { $0.announcements.maxTextBytes = 1024 }),
        ("[announcements]\npairing-zone = \"all\"", { $0.announcements.pairingZone = "all" }),
        ("[announcements]\npairing-text = \"{name}?\"", { $0.announcements.pairingText = "{name}?" }),
        (
            "[[announcement-rule]]\nprefix = \"http://ha:8123/\"\nhost = \"192.168.1.5\"",
            {
                $0.announcementRules = [
                    AnnouncementRule(prefix: "http://ha:8123/", host: AddressRange("192.168.1.5"))
                ]
            }
        ),
        (
            "[[announcement-rule]]\nprefix = \"http://h/\"\nuser = \"root\"\nclass = \"alarm\"\nvolume = 5\nzone = \"all\"",
            {
                $0.announcementRules = [
                    AnnouncementRule(prefix: "http://h/", user: 0, class: .alarm, volume: 5, zone: "all")
                ]
            }
        ),
        (
            "[[announcement-rule]]\nprefix = \"http://h/\"\nuser = 1234",
            { $0.announcementRules = [AnnouncementRule(prefix: "http://h/", user: 1234)] }
        ),
        ("foreign-streams = false", { $0.watchesForeignStreams = false }),
        (
            "[[foreign]]\nname = \"Firefox\"\nbinary = \"firefox\"\nrole = \"video\"\nignore = true",
            {
                var rule = ForeignRule(name: "Firefox", binary: "firefox", role: "video")
                rule.isIgnored = true
                $0.foreignRules = [rule]
            }
        ),
        (
            "[[foreign]]\nrole = \"phone\"\ncategory = \"playback\"\nmode = \"spokenAudio\"\noptions = []",
            {
                var rule = ForeignRule(role: "phone")
                (rule.category, rule.mode, rule.options) = ("playback", "spokenAudio", [])
                $0.foreignRules = [rule]
            }
        ),
        ("spoken-genres = [\"Hörspiel\"]", { $0.spoken.genres = ["Hörspiel"] }),
        ("spoken-prefixes = [\"Talk\", \"http://news/\"]", { $0.spoken.prefixes = ["Talk", "http://news/"] }),
    ]

    @Test(arguments: [
        "announcements.expires = 0", "announcements.expires = \"never\"", "announcements.chime = \"\"",
        "announcements.voice = \"\"", "announcements.speech-command = []", "announcements.speech-command = \"\"",
        "announcements.quiet-hours = \"\"",
    ])
    func nothingIsTheDefault(text: String) throws { #expect(try parse(text) == Configuration(defaultsFor: person)) }

    @Test func otherZonesHaveSessionsOfTheirOwn() throws {
        let text = """
            category = "ambient"
            [[zone]]
            name = "kitchen"
            mode = "spokenAudio"
            auto-resume = false
            """
        let zones = try parse(text).zones
        #expect(zones.map(\.session.category) == ["ambient", "playback"])
        #expect(zones.map(\.session.mode) == ["default", "spokenAudio"])
        #expect(zones.map(\.session.resumesAutomatically) == [true, false])
    }

    @Test(arguments: [
        ("[session]\nfade = 1", #"segued.toml:2: "fade" must be a time from 50 to 200 ms, as "50ms", not 1"#),
        (
            "session.lease = 0",
            #"segued.toml:1: "lease" must be a time from 1 to 604800 seconds, as 90, "90s" or "10m", not 0"#
        ),
        ("session.duck = 61", #"segued.toml:1: "duck" must be a number of dB from 0 to 60, not 61"#),
        (
            "category = \"play\"",
            #"segued.toml:1: "category" cannot be "play": there is no category "play""#
        ),
        (
            "mode = \"spokenaudio\"",
            #"segued.toml:1: "mode" cannot be "spokenaudio": there is no mode "spokenaudio"; did you mean "spokenAudio"?"#
        ),
        (
            "options = [\"duckOther\"]",
            #"segued.toml:1: "options" cannot be a list: there is no option "duckOther"; did you mean "duckOthers"?"#
        ),
        (
            "announcements.quiet-hours = \"22-7\"",
            #"segued.toml:1: "quiet-hours" must be a time of day such as "22:00-07:00", not "22-7""#
        ),
        (
            "announcements.voice = \"-f/etc/passwd\"",
            #"segued.toml:1: "voice" must be a voice such as "en-gb", not "-f/etc/passwd""#
        ),
        (
            "announcements.speech-command = \"say 'x\"",
            #"segued.toml:1: "speech-command" cannot be "say 'x": a quotation mark is not closed"#
        ),
        (
            "announcements.speech-command = [\"{text}\"]",
            #"segued.toml:1: "speech-command" cannot be a list: the first word must be a program"#
        ),
        (
            "announcements.speech-command = [\"bash\", \"-ec\", \"say '{text}' > x\"]",
            "segued.toml:1: \"speech-command\" cannot be a list: what follows -ec may be run as a program, so {text} and "
                + "{voice} have no place in it; give them as arguments of their own behind it, or leave {text} out to "
                + "have it on the standard input"
        ),
        (
            "[[announcement-rule]]\nuser = \"no such\"",
            #"segued.toml:2: "user" cannot be "no such": there is no such user on this machine"#
        ),
        (
            "[[announcement-rule]]\nprefix = \"http://h/\"",
            #"segued.toml:1: an [[announcement-rule]] table needs a "host" or a "user""#
        ),
        (
            "[[announcement-rule]]\nhost = \"::1\"",
            #"segued.toml:1: an [[announcement-rule]] table needs a "prefix""#
        ),
        (
            "[[announcement-rule]]\nprefix = \"music/\"\nhost = \"::1\"",
            "segued.toml:2: \"prefix\" must be the beginning of a URL such as \"http://192.168.1.5:8123/\", not \"music/\""
        ),
        (
            "[[announcement-rule]]\nprefix = \"http://h/\"\nhost = \"::1\"\nzone = \"attic\"",
            #"segued.toml:1: warning: no [[zone]] is named "attic", so it has no output yet"#
        ),
        (
            "[announcements]\npairing-zone = \"defalt\"",
            #"warning: announcements.pairing-zone is "defalt", which is not a zone; did you mean "default"?"#
        ),
        (
            "[announcements]\npairing-text = \"\"",
            #"segued.toml:2: "pairing-text" must be a text of 1 to 500 bytes without control characters, not """#
        ),
    ])
    func whatIsWrongIsNamed(text: String, problem: String) {
        #expect(remarks(text).contains(problem), "\(remarks(text))")
    }

    /// What a client says must never be run by a shell, however the shell is reached.
    @Test(arguments: [
        #"["sh", "-cx", "say {text}"]"#, #"["env", "-i", "/bin/bash", "-c", "--", "say {text}"]"#,
        #"["env", "-S", "sh -c {text}"]"#, #"["dash", "-c", "{text}"]"#, #"["ssh", "host", "say", "{text}"]"#,
        #"["bash", "-lc", "say", "x{voice}"]"#, #"["su", "--command=say {text}"]"#, #"["python3", "-c", "{text}"]"#,
    ])
    func aTextInAShellIsRefused(words: String) {
        #expect(remarks("announcements.speech-command = \(words)").contains { $0.contains("have no place") })
    }

    @Test(arguments: [
        #"["sh", "-c", "say \"$1\" >\"$2\"", "sh", "{text}", "{output}"]"#, #"["say", "{text}"]"#,
        #"["sh", "-c", "say >{output}"]"#, #"["piper", "-c", "voice.json", "--text", "{text}"]"#,
    ])
    func aTextAsAnArgumentIsTaken(words: String) {
        #expect(remarks("announcements.speech-command = \(words)") == [])
    }

    /// What was asked for, class, the zone's volume, time, and what comes of it.
    @Test(
        arguments: [
            (nil, AnnouncementClass.normal, 50, "12:00", 80), (40, .normal, 50, "12:00", 40),
            (nil, .normal, nil, "12:00", 60),
            // At most 60 percent of full scale.
            (100, .normal, 100, "12:00", 60), (100, .normal, 75, "12:00", 80), (100, .normal, 60, "12:00", 100),
            (100, .normal, 0, "12:00", 100), (500, .normal, 10, "12:00", 100), (-5, .normal, 10, "12:00", 0),
            // Quiet but for alarms, and what is quieter still stays so.
            (100, .normal, 50, "23:00", 30), (nil, .assistant, 50, "03:00", 30), (10, .normal, 50, "23:00", 10),
            (100, .alarm, 50, "23:00", 100), (100, .alarm, 100, "23:00", 60),
        ] as [(Int?, AnnouncementClass, Int?, String, Int)]
    )
    func volumesHaveACeiling(
        asked: Int?,
        announcementClass: AnnouncementClass,
        zone: Int?,
        time: String,
        volume: Int
    ) throws {
        let settings = try parse(
            "[announcements]\nvolume = 80\nmax-volume = 60\nquiet-hours = \"22:00-07:00\""
        ).announcements
        let parts = time.split(separator: ":").compactMap { Int($0) }
        let minute = try #require(parts.first) * 60
        let result = settings.volume(
            asked: asked,
            class: announcementClass,
            zoneVolume: zone,
            minuteOfDay: minute
        )
        #expect(result == volume)
    }

    @Test func rulesAreForSomeClientsAndURLs() throws {
        let configuration = try parse(
            """
            [[announcement-rule]]
            prefix = "http://ha:8123/"
            host = "192.168.1.0/24"
            volume = 1
            [[announcement-rule]]
            prefix = "http://ha:8123/api/tts_proxy/"
            host = "192.168.1.5"
            user = 1234
            volume = 2
            """
        )
        func volume(_ uri: String, _ address: String) throws -> Int? {
            let client = Principal(
                try #require(IPAddress(address)),
                server: nil,
                at: Listener(.tcp(host: nil, port: 1))
            )
            return configuration.announcementRule(for: uri, from: client)?.volume
        }
        #expect(try volume("http://ha:8123/radio", "192.168.1.5") == 1)
        #expect(try volume("http://ha:8123/api/tts_proxy/x.mp3", "192.168.1.5") == 2)
        #expect(try volume("http://ha:8123/api/tts_proxy/x.mp3", "192.168.1.6") == 1)
        #expect(try volume("http://ha:8123/api/tts_proxy/x.mp3", "192.168.2.5") == nil)
        #expect(try volume("http://other/x.mp3", "192.168.1.5") == nil)
        let uri = "http://ha:8123/api/tts_proxy/x.mp3"
        func local(_ user: UInt32?) -> Principal {
            Principal(user.map { UnixPeer(uid: $0, process: 1) }, at: Listener(.abstract(name: "x")))
        }
        #expect(configuration.announcementRule(for: uri, from: local(1234))?.volume == 2)
        #expect(configuration.announcementRule(for: uri, from: local(1235)) == nil)
        #expect(configuration.announcementRule(for: uri, from: local(nil)) == nil)
    }

    @Test(arguments: [
        ("a.mp3", [], false), ("a.mp3", ["Rock", "audiobook"], true), ("a.mp3", ["Speech "], true),
        ("a.mp3", ["Speech Rock"], false), ("Books/a.M4B", [], true), ("Talk", [], true), ("Talk/a.mp3", [], true),
        ("Talking Heads/a.mp3", [], false), ("http://news/1", [], true), ("http://new", [], false),
        ("Radio play.flac", [], true), ("Radio play.flac2", [], false), ("Shows/a", [], true), ("Shows", [], false),
    ])
    func speechIsToldFromMusic(uri: String, genres: [String], isSpoken: Bool) throws {
        let spoken = try parse("spoken-prefixes = [\"Talk\", \"http://news/\", \"Radio play.flac\", \"Shows/\", \"\"]")
            .spoken
        #expect(spoken.covers(uri, genres: genres) == isSpoken)
    }
}
