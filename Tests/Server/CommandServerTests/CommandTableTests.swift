import LineProtocol
import Testing

@testable import CommandServer

/// The commands, and who may give them.
@Suite struct CommandTableTests {
    private let commands = CommandTable.standard.commands

    /// MPD's classes, where each of its commands is in; those of stickers are one lower.
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
            .admin,
            """
            config delpartition disableoutput enableoutput kill mount moveoutput newpartition outputset toggleoutput \
            unmount
            """
        ),
    ]

    /// Commands that MPD does not have.
    private static let extensions: [(permission: Permissions?, commands: String)] = [
        (.read, "announcement buffer identify library nowplaying session why"), (.player, "announce pitch speed"),
        (.admin, "route zone"),
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
}
