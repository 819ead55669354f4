import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct ZoneVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "List, make, limit and remove zones, and move what plays between them.",
        usage: "segue zone ls|new|rm|handover|limit [<options>] ...",
        discussion: "A zone (MPD says partition) has its own queue and outputs. --zone makes any verb act on it.",
        subcommands: [List.self, New.self, Remove.self, Handover.self, Limit.self],
        defaultSubcommand: List.self
    )
}

extension ZoneVerb {
    struct List: ClientVerb {
        static let configuration = CommandConfiguration.remote("ls", "List the zones.", parent: "zone")
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let names = try session.run("listpartitions").values("partition")
            guard session.console.form != .plain else {
                for name in names { session.console.print(name) }
                return
            }
            // Each zone must be queried for its state.
            let requests = names.flatMap { [Request("partition", $0), Request("status"), Request("currentsong")] }
            let replies = try session.connection.runAll(requests)
            let zones = names.indices.map { index in
                (
                    name: names[index], status: ServerStatus(replies[3 * index + 1]),
                    song: replies[3 * index + 2].songs.first
                )
            }
            if case .terminal(let width) = session.console.form {
                var table = TextTable([
                    .init(style: .strong, isFlexible: true), .init(), .init(isRight: true, style: .faint),
                    .init(isFlexible: true),
                ])
                for zone in zones {
                    let state = Self.word(zone.status.state)
                    let song = zone.status.state == .stopped ? nil : zone.song
                    table.add([
                        zone.name, state, zone.status.volume.map { "\($0)%" } ?? "", song?.text(.usual) ?? "",
                    ])
                }
                session.console.print(table, width: width)
            } else {
                for zone in zones {
                    var fields = StatusReport(status: zone.status, song: zone.song).fields
                    fields.removeAll { $0.name == "zone" }
                    session.console.print(.object([.init("zone", .string(zone.name))] + fields))
                }
            }
        }

        private static func word(_ state: ServerStatus.State) -> String {
            switch state {
            case .playing: "playing"
            case .paused: "paused"
            case .stopped: "stopped"
            }
        }
    }

    struct New: ClientVerb {
        static let configuration = CommandConfiguration.remote("new", "Make a zone.", "<name>", parent: "zone")
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its name.") var name: String

        func run(on session: Session) throws {
            do {
                try session.run("newpartition", name)
            } catch {
                guard error.refusal?.text == "bad name" else { throw error }
                throw session.fail("a zone's name has 1 to 64 letters (a to z), digits, - and _: '\(name)'")
            }
        }
    }

    struct Remove: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "rm",
            "Remove a zone; its outputs go back to the default one.",
            "[--force] <name>",
            parent: "zone",
            discussion:
                "A zone of the server's configuration is removed only by force, and comes back with its next start."
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Flag(help: "Remove it even if it has clients, or the configuration has it.") var force = false
        @Argument(help: "Its name.", completion: ServerNames.zones) var name: String

        func run(on session: Session) throws {
            if force, try session.succeeds(Request("zone", "remove", name), unless: .unknownCommand) { return }
            // A zone with outputs is refused, by MPD with this code.
            do {
                guard try !session.succeeds(Request("delpartition", name), unless: .unknownCommand) else { return }
                try giveBackOutputs(session)
                try session.run("delpartition", name)
            } catch let error as RemoteError {
                guard let reason = error.refusal?.text, Self.isBusy(reason) else { throw error }
                throw session.fail("\(name): \(reason); to remove it nevertheless: segue zone rm --force \(name)")
            }
        }

        /// Whether only force removes a zone that is refused for this reason.
        private static func isBusy(_ reason: String) -> Bool {
            reason == "partition still has clients" || reason.hasPrefix("the configuration has zone")
        }

        private func giveBackOutputs(_ session: Session) throws {
            try session.run("partition", name)
            let outputs = try session.outputs().filter { !$0.isElsewhere }
            try session.run("partition", "default")
            try session.connection.run(outputs.map { Request("moveoutput", $0.name) })
        }
    }

    struct Handover: ChangingVerb {
        static let configuration = CommandConfiguration.remote(
            "handover",
            "Move the queue and what plays to another zone, without a gap.",
            "<name>",
            parent: "zone",
            discussion: "What is moved is the queue of the zone that --zone names. MPD cannot do this; segued can."
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "The zone it goes to.", completion: ServerNames.zones) var name: String

        func change(_ session: Session) throws {
            try session.run("zone", "handover", name)
            try session.run("partition", name)
        }
    }

    struct Limit: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "limit",
            "Set the most that a zone plays, whoever asks for more; without a zone, list what holds.",
            "[<name>] [--volume <percent>] [--alarms <percent>] [--speed <speed>] [--hours <hours>] [--until <time>] [--clear]",
            parent: "zone",
            discussion: """
                What is not named stays as it is. Only the server's owner may do this. The configuration's max-volume holds as
                well.

                Examples:
                  segue zone limit nursery --volume 25 --hours 20:00-07:00
                  segue zone limit bedroom --volume 40 --alarms 70
                  segue zone limit kitchen --volume 60 --until 23:59
                  segue zone limit kitchen --clear
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its name.", completion: ServerNames.zones) var name: String?
        @Option(help: ArgumentHelp("The highest volume in percent, or any.", valueName: "percent")) var volume: String?
        @Option(
            help: ArgumentHelp(
                "The highest volume in percent while an alarm rings, or limited: no higher than else.",
                valueName: "percent"
            )
        )
        var alarms: String?
        @Option(help: ArgumentHelp("The fastest playback, 0.25 to 4, or any.", valueName: "speed")) var speed: String?
        @Option(help: ArgumentHelp("The times of day at which it holds: 20:00-07:00, or always.", valueName: "hours"))
        var hours: String?
        @Option(help: ArgumentHelp("When it ends, as for 'segue clients set'.", valueName: "time")) var until: EndTime?
        @Flag(help: "Take the zone's limit away.") var clear = false

        private var words: [String] {
            var words: [String] = []
            if let volume { words += ["volume", volume] }
            if let alarms { words += ["alarms", alarms] }
            if let speed { words += ["speed", speed] }
            if let hours { words += ["hours", hours] }
            if let until { words += ["until", until.word] }
            return words
        }

        func validate() throws {
            if name == nil, clear || !words.isEmpty { throw ValidationError("name the zone that is to be limited") }
            if name != nil, clear != words.isEmpty {
                throw ValidationError(
                    clear ? "--clear goes without other options" : "say what limits the zone, or --clear"
                )
            }
        }

        func run(on session: Session) throws {
            guard let name else { return session.showCeilings(try session.run("ceiling", "list")) }
            let words = clear ? ["clear", name] : ["set", name] + words
            try session.connection.run(Request("ceiling", words))
        }
    }
}

extension Session {
    fileprivate func showCeilings(_ reply: ServerReply) {
        for zone in reply.groups(startingWith: "zone") {
            guard console.form != .json else {
                console.print(zone.record(.ceilings))
                continue
            }
            let limits = [
                zone["volume"].map { "volume \($0)" }, zone["alarms"].map { "alarms \($0)" },
                zone["speed"].map { "speed \($0)" }, zone["hours"], zone["until"].map { "until \($0)" },
            ]
            let text = limits.compactMap(\.self).joined(separator: ", ")
            console.print("\(zone["zone"] ?? "")\tat most \(zone["most"] ?? "") %\t\(text)")
        }
    }
}
