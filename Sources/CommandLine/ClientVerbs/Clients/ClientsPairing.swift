import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// The grants of a client when it becomes known.
struct GrantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Its permissions, as for 'segue clients set'.",
            valueName: "list"
        )
    )
    var permissions: String?
    @Flag(help: "It may add songs at the end of the queue, and see and remove its own, and nothing else.")
    var addOnly = false
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("A zone that it may use, and then only those. Repeatable.", valueName: "zone")
    )
    var zones: [String] = []
    @Option(help: ArgumentHelp("When all of it ends, as for 'segue clients set'.", valueName: "time"))
    var until: EndTime?
    @Option(help: ArgumentHelp("Times of day: 07:00-20:00.", valueName: "hours"))
    var hours: String?
    @Option(help: ArgumentHelp("How many songs it may have in a queue.", valueName: "number"))
    var songs: String?
    @OptionGroup var quota: QuotaOptions

    func validate() throws {
        if addOnly, permissions != nil {
            throw ValidationError("--add-only is a permission, and goes without --permissions")
        }
    }

    var words: [String] {
        var words: [String] = []
        if addOnly { words += ["permissions", "add-only"] }
        if let permissions { words += ["permissions", permissions] }
        for zone in zones { words += ["zone", zone] }
        if let until { words += ["until", until.word] }
        if let hours { words += ["hours", hours] }
        if let songs { words += ["songs", songs] }
        return words + quota.words
    }
}

extension ClientsVerb {
    struct Requests: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "requests",
            "List the clients that ask to be known.",
            "[--follow]",
            parent: "clients"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Go on, and list them whenever they change.")
        var follow = false

        func run(on session: Session) throws {
            try session.listRequests(follows: follow)
        }
    }

    struct Allow: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "allow",
            "Let a client that asks be known, with what it is granted.",
            "<name> [<grants>]",
            parent: "clients",
            discussion: "Without --permissions and --add-only it has all permissions but the owner's."
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument
        @OptionGroup(title: "What it is granted") var grants: GrantOptions
        @Option(help: ArgumentHelp("The code that the client shows; another one is refused.", valueName: "digits"))
        var code: String?

        func run(on session: Session) throws {
            let code = code.map { ["code", $0] } ?? []
            try session.connection.run(Request("pairing", ["allow", client.word] + code + grants.words))
        }
    }

    struct Deny: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "deny",
            "Deny a client that asks, and do not ask about it again.",
            "<name>",
            parent: "clients"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument

        func run(on session: Session) throws { try session.run("pairing", "deny", client.word) }
    }

    struct Reset: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "reset",
            "Let a client that was denied ask again.",
            "<client>",
            parent: "clients"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument

        func run(on session: Session) throws { try session.run("pairing", "reset", client.word) }
    }

    struct Invite: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "invite",
            "Invite a client: print links and a QR code for it, which count once.",
            "<name> [--address <host>] [--page <url>] [--with-password] [<grants>]",
            parent: "clients",
            discussion: """
                The first who opens the page's link in a browser, or uses the other one by segue pair '<link>', is known to the
                server by this name; they are valid for a day. Programs for MPD use neither; with --with-password there is a
                password for them too. Without --permissions and --add-only the client has all permissions but the owner's.

                Examples:
                  segue clients invite anna --add-only --in kitchen --songs 5 --until 23:59
                  segue clients invite tablet --page https://music.example.org/
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Its name: letters, digits, '-', '_' and '.'.", valueName: "name")) var name:
            String
        @Option(help: ArgumentHelp("The host by which the client finds the server.", valueName: "host"))
        var address: String?
        @Option(
            help: ArgumentHelp(
                "The address of the page as the client opens it; otherwise as the server knows it.",
                valueName: "url"
            )
        )
        var page: String?
        @Flag(help: "Make a password for programs for MPD, too; an earlier one is not valid any more.")
        var withPassword = false
        @OptionGroup(title: "What it is granted") var grants: GrantOptions

        func run(on session: Session) throws {
            let page = page.map { ["page", $0] } ?? []
            let reply = try session.connection.run(Request("pairing", ["invite", name] + page + grants.words))
            let password = withPassword ? try session.run("clients", "password", name)["password"] : nil
            session.show(Invitation(reply, host: address, password: password))
        }
    }

    struct Log: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "log",
            "Show what was changed about rights, and what was refused.",
            "[--follow] [<client>]",
            parent: "clients"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Go on, and show what is added.")
        var follow = false
        @Argument(help: ArgumentHelp("Only what concerns this client.", valueName: "client"))
        var word: String?

        func run(on session: Session) throws {
            var shown = try session.showAudit("list", word)
            while follow {
                _ = try session.connection.idle(["audit"])
                shown = try session.showAudit("list", word, after: shown)
            }
        }
    }

    struct Why: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "why",
            "Show what was refused last, and why.",
            "[<client>]",
            parent: "clients"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Only what concerns this client.", valueName: "client"))
        var word: String?

        func run(on session: Session) throws { _ = try session.showAudit("why", word) }
    }
}

extension Session {
    /// - Parameter follows: Whether to go on, and list them whenever they change.
    func listRequests(follows: Bool) throws(RemoteError) {
        try listRequests()
        while follows {
            _ = try connection.idle(["pairing"])
            try listRequests()
        }
    }

    private func listRequests() throws(RemoteError) {
        let requests = try run("pairing", "list").groups(startingWith: "request")
        for request in requests {
            let (name, code) = (request["request"] ?? "", request["code"] ?? "")
            if console.form == .json {
                console.print(request.record(.pairingRequests))
            } else {
                console.print(
                    "\(name)\tcode \(code)\tfrom \(request["from"] ?? "")\t\(request["expires"] ?? "") s left"
                )
            }
        }
        console.flush()
    }

    /// How far entries were shown: the newest one's number, and how often it had happened.
    struct AuditPlace {
        var number = 0
        var count = 0
    }

    /// Shows the entries that are new since an earlier call.
    func showAudit(
        _ verb: String,
        _ client: String?,
        after place: AuditPlace = AuditPlace()
    ) throws(RemoteError) -> AuditPlace {
        var shown = place
        let reply = try connection.run(Request("audit", [verb] + (client.map { [$0] } ?? [])))
        for entry in reply.groups(startingWith: "entry") {
            let count = entry["count"].flatMap { Int($0) } ?? 1
            let number = entry["number"].flatMap { Int($0) } ?? 0
            guard number > place.number || number == place.number && count > place.count else { continue }
            shown = AuditPlace(number: number, count: count)
            if console.form == .json {
                console.print(entry.record(.audit))
            } else {
                let times = count > 1 ? " (\(count) times)" : ""
                let who = entry["entry"] == "refusal" ? "\(entry["client"] ?? ""): " : ""
                console.print("\(entry["time"] ?? "")  \(who)\(entry["text"] ?? "")\(times)")
            }
        }
        console.flush()
        return shown
    }

    func show(_ invitation: Invitation) {
        if console.form == .json {
            console.print(
                .compact([
                    .init("name", .string(invitation.name)), .init("page", .optional(invitation.page)),
                    .init("link", .optional(invitation.link?.text)),
                    .init("password", .optional(invitation.password)),
                ])
            )
            return
        }
        if case .terminal = console.form, let text = invitation.page ?? invitation.link?.text {
            for line in (invitation.code ?? QRCode(text))?.lines ?? [] { console.print(line) }
        }
        if let page = invitation.page { console.print("In a browser: \(page)") }
        if let link = invitation.link { console.print("segue pair '\(link.text)'") }
        if invitation.page == nil, invitation.link == nil {
            console.print(
                "Neither browsers (web.listen in segued.toml) nor encrypted connections (a tls: listener) reach the server from other machines, so only passwords can be given out."
            )
        }
        if let password = invitation.password {
            let port = invitation.port.map { ", port \($0)" } ?? ""
            console.print("Programs for MPD: host \(invitation.host)\(port), password \(password)")
        }
    }
}

/// The reply to `pairing invite`.
struct Invitation {
    let name: String
    let host: String
    /// For a browser.
    let page: String?
    /// That of ``page``.
    let code: QRCode?
    /// For `segue pair`.
    let link: InvitationLink?
    /// Of unencrypted connections.
    let port: Int?
    let password: String?

    /// - Parameter host: As the owner says it; otherwise as the server knows it.
    init(_ reply: ServerReply, host: String?, password: String?) {
        name = reply["name"] ?? ""
        let own = host ?? reply["hostname"] ?? "localhost"
        self.host = own
        self.password = password
        page = reply["page"]
        code = QRCode(rows: reply.values("qr"))
        port = reply["port"].flatMap { Int($0) }
        if let pin = reply["pin"], let secret = reply["invitation"], let port = reply["tlsport"].flatMap({ Int($0) }) {
            link = InvitationLink(host: own, port: port, pin: pin, secret: secret)
        } else {
            link = nil
        }
    }
}
