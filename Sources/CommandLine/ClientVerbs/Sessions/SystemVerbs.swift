import ArgumentParser
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings
import Threads

/// The kinds of system interruptions.
enum InterruptionClass: String, CaseIterable, ExpressibleByArgument {
    case call, alarm, assistant
}

/// The options of `interrupt` and `session interrupt begin`.
struct InterruptionOptions: ParsableArguments {
    enum Style: String, CaseIterable, ExpressibleByArgument {
        case full, banner
    }

    @Option(help: ArgumentHelp("Its display name.", valueName: "name")) var name: String?
    @Option(help: "A call that fills the screen, or one that is only shown.") var style: Style?
    @Flag(help: "It also records.") var recording = false

    /// The request that begins the interruption.
    ///
    /// - Parameters:
    ///   - zone: The zone, or `all`.
    ///   - isBound: Whether it ends at the latest with the connection.
    func request(_ kind: InterruptionClass, zone: String?, isBound: Bool = false) -> Request {
        var words = ["interrupt", "begin", kind.rawValue]
        if let name { words += ["name", name] }
        if let style { words += ["style", style.rawValue] }
        if recording { words += ["recording", "1"] }
        if isBound { words += ["bound", "1"] }
        if let zone { words += ["zone", zone] }
        return Request("session", words)
    }
}

extension SessionVerb {
    struct Interrupt: SegueOnlyVerb {
        enum Step: String, CaseIterable, ExpressibleByArgument {
            case begin, accept, end
        }

        static let entersZone = false
        static let configuration = CommandConfiguration.session(
            "interrupt",
            "Begin an interruption by a call, an alarm or an assistant, or end it.",
            "begin call|alarm|assistant, or accept|end <id>",
            discussion: """
                'begin' prints the number that 'accept' and 'end' take; a call that was only shown is accepted. To interrupt for as long as a program runs, there is
                'segue interrupt'.
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var options: InterruptionOptions
        @Flag(name: .customLong("no-resume"), help: "At the end, do not resume interrupted sessions.")
        var noResume = false
        @Argument(help: "begin, accept or end.") var step: Step
        @Argument(help: ArgumentHelp("The kind of interruption, or its number.", valueName: "class|id"))
        var word: String

        private var kind: InterruptionClass? { InterruptionClass(rawValue: word) }

        func validate() throws {
            if step == .begin, kind == nil { throw ValidationError("begin needs call, alarm or assistant") }
            if step != .begin, Int(word) == nil {
                throw ValidationError("'\(word)' is not the number of an interruption; 'begin' prints it")
            }
        }

        func run(on session: Session) throws {
            switch step {
            case .begin: try begin(on: session)
            case .accept: try session.run("session", "interrupt", "accept", word)
            case .end: try session.run("session", "interrupt", "end", word, "resume", noResume ? "0" : "1")
            }
        }

        private func begin(on session: Session) throws {
            guard let kind else { return }
            let reply = try session.connection.run(options.request(kind, zone: server.zone))
            guard let id = reply["session"] else { return }
            if session.console.form == .json {
                session.console.print(.object([.init("session", .optional(Int(id)))]))
            } else {
                session.console.print(id)
            }
        }
    }

    struct Silence: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "silence",
            "Turn the silence switch on or off.",
            "on|off"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "on or off.") var value: OnOff

        func run(on session: Session) throws { try session.run("session", "silence", value.word) }
    }

    struct Lock: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "lock",
            "Tell the server that the screen is locked, or no longer.",
            "on|off"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "on or off.") var value: OnOff

        func run(on session: Session) throws { try session.run("session", "lock", value.word) }
    }

    struct Permission: SegueOnlyVerb {
        enum Step: String, CaseIterable, ExpressibleByArgument {
            case list, grant, deny
        }

        static let configuration = CommandConfiguration.session(
            "permission",
            "Show, grant and deny clients the classes of sessions.",
            "list, or grant|deny <owner> <class>",
            discussion: """
                An owner is a client, as 'segue session list' shows it. These are the classes
                among its grants, which 'segue clients set <client> --classes <list>' sets at
                once, and takes back with 'default'.
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "list, grant or deny.") var step = Step.list
        @Argument(help: "The sessions' owner: uid:NUMBER, an address, or a client's name.") var owner: String?
        @Argument(help: ArgumentHelp("normal, assistant, alarm or call.", valueName: "class")) var kind: String?

        func validate() throws {
            if step != .list, kind == nil { throw ValidationError("name an owner, and a class of sessions") }
            if step == .list, owner != nil { throw ValidationError("list takes no arguments") }
        }

        func run(on session: Session) throws {
            let words = ["permission", step.rawValue] + [owner, kind].compactMap(\.self)
            let reply = try session.connection.run(Request("session", words))
            session.console.print(PairReport(pairs: reply.pairs))
        }
    }
}

struct SilenceVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "silence",
        "Turn the silence switch on or off.",
        "on|off",
        discussion: """
            As the switch of a telephone: it mutes sessions of the categories ambient and soloAmbient, not playback.
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "on or off.") var value: OnOff

    func run(on session: Session) throws { try session.run("session", "silence", value.word) }
}

struct WhyVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "why",
        "Show why a zone is silent or quieter now, if it is.",
        "[<zone>]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "The zone; otherwise that of --zone, or the default one.") var zone: String?

    func run(on session: Session) throws {
        let reply = try session.connection.run(Request("why", zone.map { [$0] } ?? []))
        for block in reply.groups(startingWith: "cause") {
            let cause = block["cause"] ?? ""
            let since = block["since"].flatMap { $0.isEmpty ? nil : $0 }
            switch session.console.form {
            case .json:
                session.console.print(block.record(.causes))
            case .plain: session.console.print(since.map { "\(cause)\t\($0)" } ?? cause)
            case .terminal:
                var line = StyledText(DisplayText.harmless(cause))
                if let since { line.append("  since \(DisplayText.harmless(localTime(since)))", .faint) }
                session.console.print(line)
            }
        }
        if let sound = reply["sound"] { tell(sound, from: reply["audio"], to: reply["sinkaudio"], session) }
    }

    /// Tells what happens to the samples on their way.
    private func tell(_ sound: String, from audio: String?, to sink: String?, _ session: Session) {
        let formats = [audio, sink].compactMap(\.self).map(AudioText.describe)
        let way = formats.isEmpty ? "" : " (\(formats.joined(separator: " in the file, ")) at the sink)"
        switch session.console.form {
        case .json:
            session.console.print(
                .compact([
                    .init("sound", .string(sound)), .init("audio", .optional(audio)),
                    .init("sink_audio", .optional(sink)),
                ])
            )
        case .plain: session.console.print("sound: \(sound)")
        case .terminal: session.console.print(StyledText(DisplayText.harmless("sound: \(sound)\(way)"), .faint))
        }
    }
}

struct NowPlayingVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "nowplaying",
        "Show the server's now-playing session."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        let reply = try session.run("nowplaying")
        if reply.pairs.isEmpty, session.console.isTerminal {
            session.console.print(StyledText("Nothing is playing.", .faint))
        }
        session.console.print(PairReport(pairs: reply.pairs))
    }
}
