import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import TerminalText
import TextEncodings

struct ClientsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "List the server's clients, and set what each may do.",
        usage: "segue clients <verb> [<options>] ...",
        discussion: """
            A client is a user of this machine (uid:1000), an address, or a name that the owner gave to a client. What is
            set for it holds from its next command on, also for connections that are open, and survives a restart. Only
            the server's owner may do this. The model is described in segue-clients(7).

            Examples:
              segue clients
              segue clients set 192.168.1.20 --permissions read,add --in kitchen --until 23:59
              segue clients limit 192.168.1.20 --folder "Albums/Kind of Blue" --playlist party
              segue clients password tablet --permissions read,add,player --in kitchen
              segue clients revoke 192.168.1.20
            """,
        subcommands: [
            List.self, Show.self, Set.self, Limit.self, Revoke.self, Password.self, Forget.self, Requests.self,
            Allow.self,
            Deny.self, Reset.self, Invite.self, Log.self, Why.self,
        ],
        defaultSubcommand: List.self
    )
}

extension CommandConfiguration {
    fileprivate static func clients(
        _ name: String,
        _ abstract: String,
        _ arguments: String = "",
        discussion: String = ""
    ) -> CommandConfiguration {
        .remote(name, abstract, arguments, parent: "clients", discussion: discussion)
    }
}

/// The client argument of a verb.
struct ClientArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("uid:NUMBER, an address, or a client's name.", valueName: "client"))
    var word: String
}

extension ClientsVerb {
    struct List: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "list",
            "List the clients and what they may do.",
            "[--follow]"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Go on, and list the clients that ask to be known whenever they change.")
        var follow = false

        func run(on session: Session) throws {
            session.console.print(ClientReport(try session.run("clients", "list")))
            try session.listRequests(follows: follow)
        }
    }

    struct Show: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "show",
            "Show a client, its grants and its connections.",
            "<client>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument

        func run(on session: Session) throws {
            session.console.print(ClientDetails(try session.run("clients", "show", client.word)))
        }
    }

    struct Set: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "set",
            "Set what a client may do; what is not named stays as it is.",
            "<client> [--permissions <list>] [--classes <list>] [--in <zone>] [--until <time>] [--hours <hours>] [--songs <number>] [--quiet-hours <hours>] [--volume <percent>]... [--speed <speed>] [--songs-per-hour <number>] [--announcements-per-minute <number>] [--megabytes-per-hour <number>] [--order <order>] [--commands <list>] [--folder <uri>]... [--playlist <name>]... [--filter <filter>]... [--item <id>]..."
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument
        @Option(
            help: ArgumentHelp(
                "pick, read, add-only, add, network, player, control, outputs, owner, admin, all, none; default is what the configuration gives.",
                valueName: "list"
            )
        )
        var permissions: String?
        @Option(
            help: ArgumentHelp(
                "Classes of sessions that it may use, and no-<class> for those that it may not: alarm,assistant,no-call; default is all with the permission control, and normal without it.",
                valueName: "list"
            )
        )
        var classes: String?
        @Option(
            name: .customLong("in"),
            help: ArgumentHelp(
                "A zone that the client may use, and then only those; <zone>=<list> for a part of its permissions there; all for all zones. Repeatable.",
                valueName: "zone"
            )
        )
        var zones: [String] = []
        @Option(
            help: ArgumentHelp(
                "When all of it ends: 23:30, 2026-12-24, 2026-12-24T18:00, 2h or never.",
                valueName: "time"
            )
        )
        var until: EndTime?
        @Option(
            help: ArgumentHelp("Times of day: 07:00-20:00, several separated by commas, or always.", valueName: "hours")
        )
        var hours: String?

        @Option(help: ArgumentHelp("How many songs it may have in a queue, or any.", valueName: "number"))
        var songs: String?
        @OptionGroup var quotas: QuotaOptions
        @OptionGroup(title: "What it sees of the library, besides what it saw before") var library: LibraryLimits

        func validate() throws {
            if permissions == nil, classes == nil, zones.isEmpty, until == nil, hours == nil, songs == nil,
                (quotas.words + library.words).isEmpty
            {
                throw ValidationError(
                    "name what the client may do: --permissions, --classes, --in, --until, --hours, --songs, another limit or a part of the library"
                )
            }
        }

        func run(on session: Session) throws {
            var words = ["set", client.word]
            if let permissions { words += ["permissions", permissions] }
            if let classes { words += ["classes", classes] }
            for zone in zones { words += ["zone", zone] }
            if let until { words += ["until", until.word] }
            if let hours { words += ["hours", hours] }
            if let songs { words += ["songs", songs] }
            words += quotas.words + library.words
            try session.connection.run(Request("clients", words))
        }
    }

    struct Revoke: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "revoke",
            "Deny a client everything, at once.",
            "<client>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument

        func run(on session: Session) throws { try session.run("clients", "revoke", client.word) }
    }

    struct Password: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "password",
            "Make a password for a client, and print it.",
            "<name> [<grants>]",
            discussion: """
                The client gives all of what is printed as its password, <name>:<secret>, with any program for MPD. It is shown
                only once. A password that the client had before is not valid any more.

                A client to which nothing is granted has what anybody has who comes from where it does. For one that is known
                already only what is named changes.

                Examples:
                  segue clients password tablet --permissions read,add,player --in kitchen
                  segue clients password tablet             another password, and nothing else
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument
        @OptionGroup(title: "What it is granted") var grants: GrantOptions

        func run(on session: Session) throws {
            let request = Request("clients", ["password", client.word] + grants.words)
            let password = try session.connection.run(request)["password"] ?? ""
            if session.console.form == .json {
                session.console.print(.object([.init("password", .string(password))]))
            } else {
                session.console.print(password)
            }
        }
    }

    struct Forget: SegueOnlyVerb {
        static let configuration = CommandConfiguration.clients(
            "forget",
            "Forget what was set for a client: it may do what the configuration says.",
            "<client>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument

        func run(on session: Session) throws { try session.run("clients", "forget", client.word) }
    }
}
