import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import TerminalText
import TextEncodings

struct PlaylistVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playlist",
        abstract: "List, load, save and change stored playlists.",
        usage: "segue playlist <verb> [<options>] ...",
        discussion:
            "As with mpc, 'segue playlist' alone lists the queue, and 'segue playlist <name>' a stored playlist.",
        subcommands: [
            List.self, Show.self, Load.self, Save.self, Remove.self, Rename.self, Add.self, Clear.self, Delete.self,
            Move.self,
        ]
    )
}

private let nameHelp = ArgumentHelp("The playlist's name.", valueName: "name")
private let playlistNames = ServerNames.playlists

extension PlaylistVerb {
    struct List: ClientVerb {
        static let configuration = CommandConfiguration.remote("ls", "List the stored playlists.", parent: "playlist")
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let blocks = try session.run("listplaylists").groups(startingWith: "playlist")
            switch session.console.form {
            case .plain: for block in blocks { session.console.print(block.pairs[0].value) }
            case .json:
                for block in blocks {
                    session.console.print(
                        .compact([
                            .init("playlist", .string(block.pairs[0].value)),
                            .init("last_modified", .optional(block["Last-Modified"])),
                        ])
                    )
                }
            case .terminal(let width):
                var table = TextTable([.init(style: .strong, isFlexible: true), .init(style: .faint)])
                for block in blocks {
                    let time = block["Last-Modified"].flatMap { localTime($0, "%Y-%m-%d %H:%M") }
                    table.add([block.pairs[0].value, time ?? ""])
                }
                session.console.print(table, width: width)
            }
        }
    }

    struct Show: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "show",
            "List a playlist's songs.",
            "<name>",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String

        func run(on session: Session) throws {
            let reply = try session.run("listplaylistinfo", name)
            var report = SongReport(reply, format: session.options.songFormat, plainFormat: .usual)
            report.showsPaths = false
            session.console.print(report)
        }
    }

    struct Load: ChangingVerb {
        static let configuration = CommandConfiguration.remote(
            "load",
            "Add playlists to the queue.",
            "[--play] <name> ...",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Play the first of their songs at once.") var play = false
        @Option(
            name: [.short, .long],
            help: ArgumentHelp(
                "Only songs from START to before END, from 0, as mpc counts them.",
                valueName: "start:end"
            )
        )
        var range: String?
        @Argument(help: nameHelp, completion: playlistNames) var names: [String]

        func change(_ session: Session) throws {
            let place = play ? try session.status().queueLength : 0
            try session.connection.run(names.map { Request("load", [$0] + (range.map { [$0] } ?? [])) })
            if play { try session.run("play", String(place)) }
        }
    }

    struct Save: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "save",
            "Store the queue as a playlist.",
            "[--replace|--append] <name>",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Replace an existing playlist.") var replace = false
        @Flag(help: "Append to an existing playlist.") var append = false
        @Argument(help: nameHelp, completion: playlistNames) var name: String

        func validate() throws {
            if replace, append { throw ValidationError("--replace and --append exclude each other") }
        }

        func run(on session: Session) throws {
            guard replace || append else { return try save(session) }
            // The modes exist since protocol 0.24.
            if session.connection.version >= ProtocolVersion(0, 24, 0) {
                try session.run("save", name, replace ? "replace" : "append")
            } else if replace {
                _ = try session.succeeds(Request("rm", name), unless: .doesNotExist)
                try session.run("save", name)
            } else {
                throw session.fail(
                    "this server's protocol (\(session.connection.version)) has no way to append the queue"
                )
            }
        }

        private func save(_ session: Session) throws {
            guard try session.succeeds(Request("save", name), unless: .alreadyExists) else {
                throw session.fail("there is a playlist '\(name)' already; use --replace or --append")
            }
        }
    }

    struct Remove: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "rm",
            "Remove playlists.",
            "<name> ...",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var names: [String]

        func run(on session: Session) throws { try session.connection.run(names.map { Request("rm", $0) }) }
    }

    struct Rename: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "rename",
            "Rename a playlist.",
            "<name> <new name>",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String
        @Argument(help: "Its new name.") var newName: String

        func run(on session: Session) throws { try session.run("rename", name, newName) }
    }

    struct Add: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "add",
            "Add songs to a playlist, creating it if necessary.",
            "<name> <uri> ...",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String
        @Argument(
            help: ArgumentHelp("Songs or folders of the library, or URLs.", valueName: "uri"),
            completion: ServerNames.songs
        )
        var uris: [String]

        func run(on session: Session) throws {
            try session.connection.runAll(uris.map { Request("playlistadd", name, $0) })
        }
    }

    struct Clear: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "clear",
            "Empty a playlist.",
            "<name>",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String

        func run(on session: Session) throws { try session.run("playlistclear", name) }
    }

    struct Delete: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "del",
            "Remove songs from a playlist.",
            "<name> <n>|<n>-<m> ...",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String
        @Argument(help: ArgumentHelp("Places from 1, or spans of them.", valueName: "n")) var spans: [QueueSpan]

        func validate() throws {
            if spans.contains(where: { $0.first == 0 || $0.last == nil }) {
                throw ValidationError("places in a playlist count from 1, and a span has an end")
            }
        }

        func run(on session: Session) throws {
            let places = spans.reduce(into: Set<Int>()) { $0.formUnion($1.first...($1.last ?? $1.first)) }
            // One by one: ranges exist since protocol 0.23.3.
            try session.connection.runAll(places.sorted(by: >).map { Request("playlistdelete", name, String($0 - 1)) })
        }
    }

    struct Move: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "move",
            "Move a song of a playlist.",
            "<name> <n> <to>",
            parent: "playlist"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: nameHelp, completion: playlistNames) var name: String
        @Argument(help: ArgumentHelp("Its place, from 1.", valueName: "n")) var place: QueuePlace
        @Argument(help: ArgumentHelp("Its new place.", valueName: "to")) var target: QueuePlace

        func validate() throws {
            if place.number == 0 || target.number == 0 { throw ValidationError("places count from 1") }
        }

        func run(on session: Session) throws {
            try session.run("playlistmove", name, String(place.number - 1), String(target.number - 1))
        }
    }
}
