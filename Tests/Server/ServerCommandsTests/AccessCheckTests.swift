import Authorization
import LineProtocol
import ServerBasics
import ServerCommands
import ServerRequests
import Testing

/// What each principal may do with each command, in each zone, with each kind of URI.
@Suite struct AccessCheckTests {
    private static let zones = ["default", "kitchen", "hall"]

    private static let principals: [(name: String, grants: String)] = [
        ("nothing", "permissions none"), ("reader", "permissions read"), ("adder", "permissions read,add,no-network"),
        ("guest", "permissions read,add-only,no-network zone kitchen"), ("adds only", "permissions add-only"),
        ("player", "permissions read,add,player"), ("kitchen", "permissions read,add,player,control zone kitchen"),
        ("some", "permissions all zone kitchen=read zone hall=read,player"), ("everything", "permissions all"),
        ("over", "permissions all until 1"),
    ]

    /// Words that stand for a URI, and whether the server fetches it.
    private static let uris = [
        ("Albums/a.flac", false), ("/etc/passwd", false), ("file:///a.flac", false), ("http://host/a", true),
        ("smb://host/a", true),
    ]

    /// Where requests with a URI have it; `%U` is one, `%Z` a zone.
    private static let lines = [
        "add %U", "add %U 0", "addid %U", "load %U", "listplaylist %U", "listplaylistinfo %U", "playlistlength %U",
        "searchplaylist %U any x", "playlistadd mine %U", "announce %U", "announce %U zone %Z",
        "announce say x zone %Z",
        "announce say x chime %U", "alarm add 07:00 uri %U zone %Z", "alarm list", "why %Z", "partition %Z",
        "delpartition %Z", "zone handover %Z", "session interrupt begin call zone %Z", "session silence 1",
        "session list", "announcement cancel all", "announcement list", "library status", "library pause",
    ]

    /// What verbs need besides their commands.
    private static let verbs: [String: Permissions] = [
        "session interrupt": [.player, .control], "session silence": [.player, .control],
        "announcement cancel": .player, "library pause": .control, "alarm add": .player,
    ]

    /// What a client that may only add may give.
    private static let forAddOnly: Set = [
        "add %U", "addid %U", "currentsong", "delete", "deleteid", "idle", "playlistid", "playlistinfo", "status",
    ]

    @Test(arguments: principals.indices) func everyCommand(index: Int) throws {
        var grants = Grants()
        try grants.change(Self.principals[index].grants.split(separator: " ").map(String.init))
        let rights = grants.rights(configured: .anonymous, at: Moment(seconds: 1_000, minute: 0))
        let commands = CommandTable.standard.commands
        var (permitted, refused) = (0, 0)
        for line in commands.map(\.name) + Self.lines {
            for own in Self.zones {
                for (uri, isFetched) in line.contains("%U") ? Self.uris : [("", false)] {
                    for named in line.contains("%Z") ? Self.zones : [""] {
                        let words = line.replacing("%U", with: uri).replacing("%Z", with: named)
                            .split(separator: " ").map(String.init)
                        let command = try #require(CommandTable.standard[words[0]])
                        var needed = command.permission ?? []
                        needed.formUnion(Self.verbs[words.prefix(2).joined(separator: " ")] ?? [])
                        if words.count == 1, words[0] == "alarm" || words[0] == "session" { needed = .read }
                        if isFetched { needed.insert(.network) }
                        var meant = named.isEmpty ? [own] : [named]
                        if words.first == "zone", words.count > 1 { meant.append(own) }
                        let isAllowed = meant.allSatisfy { zone in
                            let held = rights.permissions(in: zone)
                            var missing = needed.subtracting(held)
                            if held.contains(.addOnly), Self.forAddOnly.contains(line) {
                                missing.subtract(command.permission ?? [])
                            }
                            return missing.isEmpty
                        }
                        let check = AccessCheck(rights: rights, zone: own) { Self.zones }
                        let passes = (try? check.check(command, Array(words.dropFirst()))) != nil
                        #expect(passes == isAllowed, "\(Self.principals[index].name) in \(own): \(words)")
                        if passes { permitted += 1 } else { refused += 1 }
                    }
                }
            }
        }
        #expect(permitted > 0 && (refused > 0 || Self.principals[index].name == "everything"))
    }

    /// Limited, withheld, or free, as declared; what is named is looked at.
    @Test(arguments: [
        ("ping", LibraryNeed.none), ("setvol 3", .none), ("find a b", .limited),
        ("add x.flac", .named([.place("x.flac")])),
        ("albumart x.flac 0", .named([.song("x.flac")])), ("update", .named([])), ("rm mine", .withheld),
        ("artwork song x 3 0", .named([.song("x")])), ("artwork directory x 3 0", .named([.place("x")])),
        ("artwork playlist x 3 0", .limited), ("sticker get song x y", .named([.song("x")])),
        ("sticker find song x y", .limited), ("sticker get album x y", .withheld), ("session events", .withheld),
        ("session list", .limited), ("announce say x", .named([])),
        ("announce x chime y", .named([.song("x"), .song("y")])),
        ("alarm add 07:00 uri x", .named([.playable("x")])), ("alarm list", .named([])), ("why", .withheld),
    ]) func needs(line: String, need: LibraryNeed) throws {
        let words = line.split(separator: " ").map(String.init)
        let command = try #require(CommandTable.standard[words[0]])
        #expect(command.library.need(Array(words.dropFirst())) == need)
    }
}
