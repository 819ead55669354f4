import LineProtocol
import ServerCommands
import ServerPersistence
import ServerRequests
import Testing

/// The commands, and who may give them.
@Suite struct CommandTableTests {
    private let commands = CommandTable.standard.commands

    /// MPD's classes, where each of its commands is in; those of stickers are one lower, and `admin` is two.
    private static let classes: [(permission: Permissions?, commands: String)] = [
        (nil, "binarylimit close commands notcommands password ping protocol tagtypes"),
        (
            .read,
            """
            albumart channels count currentsong decoders find getfingerprint getvol idle list listall listallinfo \
            listfiles listmounts listneighbors listpartitions listplaylist listplaylistinfo listplaylists lsinfo \
            outputs partition playlist playlistfind playlistid playlistinfo playlistlength playlistsearch plchanges \
            plchangesposid readcomments readmessages readpicture replay_gain_status search searchcount searchplaylist \
            stats status subscribe unsubscribe urlhandlers
            """
        ),
        (.add, "add addid addtagid cleartagid findadd load rangeid searchadd"),
        (
            .player,
            """
            clear clearerror consume crossfade delete deleteid mixrampdb mixrampdelay move moveid next pause play \
            playid previous prio prioid random repeat replay_gain_mode seek seekcur seekid setvol shuffle single stop \
            swap swapid volume
            """
        ),
        (
            .control,
            """
            playlistadd playlistclear playlistdelete playlistmove rename rescan rm save searchaddpl sendmessage \
            sticker stickernames stickernamestypes stickertypes update
            """
        ),
        (
            .outputs, "delpartition disableoutput enableoutput moveoutput newpartition outputset toggleoutput"
        ),
        (.owner, "config kill mount unmount"),
    ]

    /// Commands that MPD does not have.
    private static let extensions: [(permission: Permissions?, commands: String)] = [
        (
            .read,
            """
            alarm announcement artwork buffer chapters identify library lyrics mediaselection nowplaying schedule \
            session thumbnail why
            """
        ),
        (.player, "announce pitch selectmedia sleep speed"),
        (.outputs, "route zone"),
        (.owner, "audit ceiling clients pairing picking"),
        (.pick, "picker"),
        (nil, "json pair ticket unwatch watch"),
    ]

    @Test func everyCommandIsInMPDsClass() {
        var expected: [String: Permissions?] = [:]
        for (permission, names) in Self.classes + Self.extensions {
            for name in names.split(separator: " ") {
                #expect(expected.updateValue(permission, forKey: String(name)) == nil, "\(name) is there twice")
            }
        }
        for command in commands {
            guard let permission = expected[command.name] else {
                Issue.record("\(command.name) is in no class")
                continue
            }
            #expect(command.permission == permission, "\(command.name)")
        }
    }

    /// Where an alarm rings, a pause ends it and does no more; a stop ends it as well.
    @Test func someCommandsEndAlarms() throws {
        let effects = commands.filter { $0.alarmEffect([]) != .none }.map(\.name)
        #expect(effects == ["pause", "stop"])
        let (pause, stop) = (try #require(CommandTable.standard["pause"]), try #require(CommandTable.standard["stop"]))
        #expect(pause.alarmEffect(["1"]) == .endsInstead && pause.alarmEffect(["0"]) == .none)
        #expect(stop.alarmEffect([]) == .ends)
    }

    /// The meanings of requests for an announcement guest; what has none of its own is a change by its permission.
    @Test(
        arguments: [
            ("status", .status), ("currentsong", .songs), ("playlistinfo 0", .songs), ("playlistid", .songs),
            ("clear", .clear), ("clear x", .change), ("add http://h/a", .add(uri: "http://h/a")),
            ("add", .add(uri: nil)), ("addid x 0", .add(uri: "x", tellsID: true)), ("play 1", .play),
            ("playid 3", .play),
            ("setvol 20", .setVolume(20)), ("setvol 101", .setVolume(nil)), ("setvol", .setVolume(nil)),
            ("stop", .stop),
            ("pause 1", .change), ("seekcur 3", .change), ("load x", .change), ("rm x", .change),
            ("announce x", .other),
            ("sendmessage a b", .other), ("session list", .other), ("enableoutput 0", .other), ("ping", .other),
        ] as [(String, GuestRequest)]
    ) func guestsMean(line: String, request: GuestRequest) throws {
        let (command, words) = try parsed(line)
        #expect(command.guestRequest(words) == request)
    }

    @Test func someCommandsAreNotForSchedules() throws {
        let names = commands.filter { $0.isForClientsOnly([]) }.map(\.name)
        #expect(
            names == [
                "close", "idle", "json", "partition", "password", "picker", "picking", "ticket", "unwatch", "watch",
            ]
        )
        let schedule = try #require(CommandTable.standard["schedule"])
        #expect(schedule.isForClientsOnly(["add", "22:00"]) && !schedule.isForClientsOnly(["list"]))
    }

    /// Verbs that need more than their command.
    @Test(
        arguments: [
            ("session list", []), ("session nowplaying", []), ("session nowplaying 1 title x", .player),
            ("session open x", .player), ("session fly", .player), ("session silence 1", [.player, .control]),
            ("session interrupt begin call", [.player, .control]), ("session permission list", [.player, .control]),
            ("session permission grant x call", [.player, .owner]), ("announcement list", []),
            ("announcement cancel all", .player), ("library status", []), ("library pause", .control),
            ("library resume", .control),
        ] as [(String, Permissions)]
    ) func verbsNeed(line: String, more: Permissions) throws {
        let (command, words) = try parsed(line)
        #expect(command.permissions(for: words) == (command.permission ?? []).union(more))
    }

    /// The zones that a request acts on; an empty name is the client's own, and none means that one, too.
    @Test(arguments: [
        ("partition a", ["a"]), ("delpartition a", ["a"]), ("zone handover a", ["a", ""]),
        ("zone remove a", ["a", ""]),
        ("why a", ["a"]), ("why", []), ("play", []), ("announce x.flac zone a,b volume 3", ["a", "b"]),
        ("announce say zone volume 3 zone a", ["a"]), ("announce zone", []),
        ("session interrupt begin call name x zone a", ["a"]), ("session interrupt end 1", []),
        ("session open zone", []),
    ]) func zonesAreNamed(line: String, zones: [String]) throws {
        let (command, words) = try parsed(line)
        #expect(command.zones(in: words) == zones)
    }

    /// A command whose usage names a zone says so to the access check.
    @Test func zonesInUsagesAreDeclared() {
        let makers: Set = ["newpartition"]
        for command in commands where command.usage.contains("ZONE") || command.name.contains("partition") {
            guard command.usage.contains(" "), !makers.contains(command.name) else { continue }
            #expect(!command.zones(in: ["a"]).isEmpty, "\(command.usage)")
        }
    }

    private func parsed(_ line: String) throws -> (Command, [String]) {
        let words = line.split(separator: " ").map(String.init)
        return (try #require(CommandTable.standard[words[0]]), Array(words.dropFirst()))
    }

    @Test func namesAreSortedAndUnique() {
        let names = commands.map(\.name)
        #expect(names == names.sorted())
        #expect(Set(names).count == names.count)
        #expect(names.count > 80)
        for command in commands {
            #expect(CommandTable.standard[command.name]?.usage == command.usage)
            #expect(command.usage == command.name || command.usage.hasPrefix(command.name + " "))
        }
        #expect(CommandTable.standard["foo"] == nil)
        #expect(CommandTable.standard["Play"] == nil)
    }

    /// A name that could not be sent would not be reachable.
    @Test func namesAreWords() throws {
        for command in commands {
            #expect(try RequestLine(parsing: Array(command.name.utf8)).command == command.name)
        }
    }

    /// Whatever has the server fetch needs `network` besides the command's own class, and nothing else does.
    @Test(arguments: [
        ("add http://h/a.mp3", true), ("addid HTTPS://h/a 3", true), ("load http://h/l.m3u 0:1", true),
        ("listplaylist http://h/l", true), ("listplaylistinfo http://h/l", true),
        ("searchplaylist http://h/l any x", true),
        ("playlistlength http://h/l", true), ("playlistadd list rtsp://h/a", true), ("announce http://h/a", true),
        ("announce a.mp3 volume 3 chime http://h/a", true), ("announce say text chime srt://h:1", true),
        ("add a.mp3", false), ("add /a.mp3", false), ("add file:///a.mp3", false), ("load list", false),
        ("playlistadd http://h/l a.mp3", false), ("announce say http://h/ voice http://h/", false),
        ("announce a.mp3 say http://h/", false), ("lsinfo http://h/", false), ("find any http://h/", false),
        ("rename http://a http://b", false), ("searchplaylist list any http://h/", false),
    ]) func fetchingNeedsThePermissionNetwork(line: String, isNeeded: Bool) throws {
        let words = line.split(separator: " ").map(String.init)
        let command = try #require(CommandTable.standard[words[0]])
        let needed = command.permissions(for: Array(words.dropFirst()))
        #expect(needed == (command.permission ?? []).union(isNeeded ? .network : []))
    }
}
