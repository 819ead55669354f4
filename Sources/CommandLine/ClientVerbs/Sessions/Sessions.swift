import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings
import Threads

struct SessionVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List audio sessions, follow what happens to them, and change them.",
        usage: "segue session list|info|events|... [<options>] ...",
        discussion: """
            Every zone, announcement and program that has something to say is an audio session; the server decides who
            is heard. 'segue exec' runs a program as one. The model is described in segue-session(7).

            Examples:
              segue session list
              segue session events --follow
              id=$(segue session open Intercom)
              segue session category "$id" playback --options duckOthers
              segue session activate "$id"
            """,
        subcommands: [
            List.self, Info.self, Events.self, Hint.self, Open.self, Close.self, Category.self, Activate.self,
            Deactivate.self, Playing.self, Background.self, Prefer.self, Interrupt.self, Silence.self, Lock.self,
            Permission.self,
        ],
        defaultSubcommand: List.self
    )
}

extension CommandConfiguration {
    static func session(
        _ name: String,
        _ abstract: String,
        _ arguments: String = "",
        discussion: String = "",
        aliases: [String] = []
    ) -> CommandConfiguration {
        .remote(name, abstract, arguments, parent: "session", discussion: discussion, aliases: aliases)
    }
}

/// The session argument of a verb.
struct SessionArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("Its number or name, as 'segue session list' shows them.", valueName: "session"))
    var word: String
}

extension Session {
    /// The number of a session given by number or name.
    func sessionID(_ argument: SessionArgument) throws -> String {
        if Int(argument.word) != nil { return argument.word }
        let found = try run("session", "list").sessions.filter { $0.name == argument.word }
        guard let session = found.first else {
            throw fail("there is no session '\(argument.word)'; 'segue session list' shows them")
        }
        guard found.count == 1 else {
            let numbers = found.map { String($0.id) }.joined(separator: ", ")
            throw fail("there are \(found.count) sessions '\(argument.word)'; name one by its number: \(numbers)")
        }
        return String(session.id)
    }
}

extension SessionVerb {
    struct List: SegueOnlyVerb {
        static let entersZone = false
        static let configuration = CommandConfiguration.session(
            "list",
            "List the audio sessions.",
            discussion: "With --zone, those of that zone only.",
            aliases: ["ls"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let words = ["list"] + (server.zone.map { ["zone", $0] } ?? [])
            let sessions = try session.connection.run(Request("session", words)).sessions
            session.console.print(AudioSessionReport(sessions: sessions, known: try others(than: sessions, session)))
        }

        /// The server's sessions, where one of another zone interrupts a listed one.
        private func others(than listed: [SessionBlock], _ session: Session) throws -> [SessionBlock] {
            let listedIDs = Set(listed.map(\.id))
            guard !listed.allSatisfy({ listedIDs.isSuperset(of: $0.interrupters) }) else { return [] }
            return try session.connection.run(Request("session", ["list"])).sessions
        }
    }

    struct Info: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "info",
            "Show an audio session.",
            "[<session>]",
            discussion: "Without a session, that of the zone's player."
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Its number or name.", valueName: "session")) var word: String?

        func run(on session: Session) throws {
            var words = ["info"]
            if let word {
                var argument = SessionArgument()
                argument.word = word
                words.append(try session.sessionID(argument))
            }
            let reply = try session.connection.run(Request("session", words))
            if session.console.form == .json {
                for record in reply.records(.sessions) { session.console.print(record) }
            } else {
                session.console.print(PairReport(pairs: reply.pairs))
            }
        }
    }

    struct Events: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "events",
            "Show what has happened to audio sessions.",
            "[--since <n>] [--follow]",
            discussion: """
                Elsewhere than on a terminal a line has the event's number, time (UTC), session, type and details, with
                tabs between them.
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Option(help: ArgumentHelp("Only what came after the event of this number.", valueName: "n")) var since: Int?
        @Flag(help: "Go on, and show what happens as it happens.") var follow = false

        func validate() throws {
            if let since, since < 0 { throw ValidationError("--since is the number of an event, from 0") }
        }

        func run(on session: Session) throws {
            var cursor = SessionEventCursor(after: since)
            var names: [Int: String] = [:]
            while true {
                let lost = cursor.lostCount
                let events = try cursor.fetch(session.connection)
                if cursor.lostCount > lost {
                    Console.complain("the server has forgotten \(count(cursor.lostCount - lost, "event"))")
                }
                if !events.isEmpty {
                    // Sessions that have ended since keep their last name.
                    for block in try session.run("session", "list").sessions { names[block.id] = block.name }
                }
                for event in events { session.print(event, event.session.flatMap { names[$0] }) }
                session.console.flush()
                guard follow else { return }
                _ = try session.connection.idle(["session"])
            }
        }
    }

    struct Hint: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "hint",
            "Show whether other sessions are heard, and whether background music should be silent."
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let reply = try session.run("session", "hint")
            let isOther = reply["otheraudio"] == "1"
            let isSilenced = reply["secondaryaudioshouldbesilenced"] == "1"
            switch session.console.form {
            case .json:
                session.console.print(
                    .object([
                        .init("other_audio", .bool(isOther)),
                        .init("secondary_audio_should_be_silenced", .bool(isSilenced)),
                    ])
                )
            case .plain: session.console.print(PairReport(pairs: reply.pairs))
            case .terminal:
                session.console.print(isOther ? "Other sessions are heard." : "No other session is heard.")
                session.console.print(
                    isSilenced ? "Background music should be silent." : "Background music may play."
                )
            }
        }
    }
}

extension Session {
    fileprivate func print(_ event: SessionEvent, _ name: String?) {
        let text = SessionEventText(event: event, name: name)
        switch console.form {
        case .terminal: console.print(text.line)
        case .plain: console.print(text.plainLine)
        case .json: console.print(text.json)
        }
    }
}
