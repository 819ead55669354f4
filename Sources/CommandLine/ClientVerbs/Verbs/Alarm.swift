import ArgumentParser
import AudioTypes
import CivilTime
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings
import ValueText

struct AlarmVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alarm",
        abstract: "List, set and end alarms.",
        usage: "segue alarm <verb> [<options>] ...",
        discussion: """
            Alarms ring in the server, whether a client is there or not.

            Examples:
              segue alarm add 07:00 mon-fri --uri radio --volume 5-40 --ramp 5m
              segue alarm snooze
              segue alarm skip 3
            """,
        subcommands: [
            List.self, Add.self, Remove.self, Enable.self, Disable.self, Skip.self, Snooze.self, Dismiss.self,
            HolidayVerb.self,
        ],
        defaultSubcommand: List.self
    )
}

extension AlarmVerb {
    struct List: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "list",
            "List the alarms and when they ring next.",
            parent: "alarm",
            aliases: ["ls"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let alarms = try session.run("alarm", "list").groups(startingWith: "alarm")
            if alarms.isEmpty, session.console.isTerminal {
                session.console.print(
                    StyledText("There are none. Make one with: segue alarm add 07:00 mon-fri", .faint)
                )
            }
            session.console.print(AlarmReport(alarms: alarms))
        }
    }

    struct Add: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "add",
            "Set an alarm.",
            "<time> [<days>|<date>]",
            parent: "alarm",
            discussion: """
                Without days it rings once, at the next such time. What it plays is a file, a folder, a URL or a stored
                playlist; without one, and when nothing of it is heard within nine seconds, the fallback or a bell.

                Examples:
                  segue alarm add 07:00 mon-fri --zone bedroom --uri radio --volume 5-40 --ramp 5m
                  segue alarm add 09:30 sat,sun --uri https://example.org/live --fallback bell.flac
                  segue alarm add 16:45 2026-12-24
                """
        )
        @Option(help: ArgumentHelp("What it plays: a file, folder, URL or stored playlist.", valueName: "uri"))
        var uri: String?
        @Option(help: ArgumentHelp("What it plays when that does not start.", valueName: "uri"), completion: .file())
        var fallback: String?
        @Option(help: ArgumentHelp("The volume in percent; 5-40 rises.", valueName: "percent"))
        var volume: String?
        @Option(help: ArgumentHelp("How long the volume rises, such as 5m.", valueName: "time"))
        var ramp: String?
        @Option(help: ArgumentHelp("How long a snooze is, such as 9m.", valueName: "time"))
        var snooze: String?
        @Option(help: ArgumentHelp("How long it rings at most, such as 1h.", valueName: "time"))
        var length: String?
        @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
        var name: String?
        @Flag(name: .customLong("then-play"), help: "When dismissed, load what it plays into the queue.")
        var playsOn = false
        @Flag(help: "Ring on holidays, too.")
        var holidays = false
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "The time of day, such as 07:00.") var time: String
        @Argument(
            help: ArgumentHelp("mon-fri, sat,sun, daily, or a date.", valueName: "days"),
            completion: .list(["mon-fri", "sat,sun", "daily", "weekdays", "weekends"])
        )
        var days: String?

        func validate() throws {
            do throws(ArgumentProblem) {
                _ = try TimeOfDay(parsing: time)
                if let days, (try? CivilDate(parsing: days)) == nil { _ = try Weekdays(parsing: days) }
            } catch {
                throw ValidationError("\(error)")
            }
        }

        func run(on session: Session) throws {
            var words = [time] + (days.map { [$0] } ?? [])
            func add(_ key: String, _ value: String?) { if let value { words += [key, value] } }
            add("uri", try uri.map(session.alarmURI))
            add("fallback", try fallback.map(session.alarmURI))
            for (key, value) in [("volume", volume), ("ramp", ramp), ("snooze", snooze), ("length", length)] {
                add(key, value.map { $0.hasSuffix("%") ? String($0.dropLast()) : $0 })
            }
            add("name", name)
            add("thenplay", playsOn ? "1" : nil)
            add("holidays", holidays ? "1" : nil)
            let id = try session.connection.run(Request("alarm", ["add"] + words))["alarm"] ?? ""
            let alarms = try session.run("alarm", "info", id).groups(startingWith: "alarm")
            session.console.print(AlarmReport(alarms: alarms))
        }
    }

    struct Remove: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "rm",
            "Remove alarms.",
            "<id> ...",
            parent: "alarm",
            aliases: ["remove"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("alarm", "rm", "\(id)") } }
    }

    struct Enable: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote("enable", "Enable alarms.", "<id> ...", parent: "alarm")
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("alarm", "enable", "\(id)") } }
    }

    struct Disable: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "disable",
            "Disable alarms.",
            "<id> ...",
            parent: "alarm"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("alarm", "disable", "\(id)") } }
    }

    struct Skip: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "skip",
            "Leave out the next ring of an alarm, or no longer.",
            "<id> [off]",
            parent: "alarm"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its number.") var id: Int
        @Argument(
            help: ArgumentHelp("off: ring all the same.", valueName: "off"),
            completion: .list(["off"]),
            transform: Switch.parse
        )
        var state: Switch?

        func run(on session: Session) throws {
            try session.run("alarm", "skip", "\(id)", state?.word ?? "1")
            let alarms = try session.run("alarm", "info", "\(id)").groups(startingWith: "alarm")
            session.console.print(AlarmReport(alarms: alarms))
        }
    }

    struct Snooze: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "snooze",
            "Silence what rings for a while.",
            "[<time>]",
            parent: "alarm"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("How long, such as 10m; else as the alarm says.", valueName: "time"))
        var time: String?

        func run(on session: Session) throws {
            // A bare number would be an alarm's.
            let words = try time.map { ["\(brief(try TimeArgument.parse($0).seconds))s"] } ?? []
            try session.connection.run(Request("alarm", ["snooze"] + words))
        }
    }

    struct Dismiss: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "dismiss",
            "End what rings or is snoozed.",
            "[<id>]",
            parent: "alarm",
            aliases: ["stop"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its number; without one, all.") var id: Int?

        func run(on session: Session) throws {
            try session.connection.run(Request("alarm", ["dismiss"] + (id.map { ["\($0)"] } ?? [])))
        }
    }

    struct HolidayVerb: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "holiday",
            "List, add or remove days on which weekly alarms are silent.",
            "[add|rm <date> [<last date>]]",
            parent: "alarm",
            aliases: ["holidays"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("add or rm.", valueName: "verb"), completion: .list(["add", "rm"]))
        var verb: String?
        @Argument(help: ArgumentHelp("The first and the last day, such as 2026-12-24.", valueName: "date"))
        var dates: [String] = []

        func validate() throws {
            guard let verb else { return }
            guard ["add", "rm"].contains(verb), (1...2).contains(dates.count) else {
                throw ValidationError("write add or rm, and a date, or the first and the last of several days")
            }
        }

        func run(on session: Session) throws {
            if let verb { try session.connection.run(Request("alarm", ["\(verb)holiday"] + dates)) }
            session.console.print(HolidayReport(days: try session.run("alarm", "holidays").values("holiday")))
        }
    }
}

extension Session {
    /// The form of an alarm's URI for the server: a file of this machine with its full path, else as it is.
    fileprivate func alarmURI(_ uri: String) throws -> String {
        // A bare name is more likely a stored playlist or a folder of the library.
        uri.contains("/") && !uri.contains("://") ? try announced(uri) : uri
    }
}

private struct HolidayReport: Report {
    let days: [String]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        days.isEmpty ? [StyledText("There are no holidays.", .faint)] : days.map { StyledText($0) }
    }

    var plainLines: [String] { days }
    var json: [JSON] { days.map { .object([.init("holiday", .string($0))]) } }
}

/// Alarms as the server lists them.
private struct AlarmReport: Report {
    let alarms: [ServerReply]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(isRight: true, style: .faint), .init(style: .strong), .init(), .init(), .init(),
            .init(isFlexible: true),
        ])
        for alarm in alarms {
            let state = alarm["state"] ?? ""
            table.add(
                [
                    alarm["alarm"] ?? "", alarm["time"] ?? "", Self.days(alarm), alarm["zone"] ?? "", Self.state(alarm),
                    Self.content(alarm),
                ],
                state == "disabled" ? .faint : state == "ringing" ? .attention : nil
            )
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] {
        alarms.map { alarm in
            [
                alarm["alarm"] ?? "", alarm["time"] ?? "", Self.days(alarm), alarm["zone"] ?? "", Self.state(alarm),
                Self.content(alarm),
            ]
            .joined(separator: "\t")
        }
    }

    var json: [JSON] { alarms.map { $0.record(.alarms) } }

    private static func days(_ alarm: ServerReply) -> String { alarm["days"] ?? alarm["date"] ?? "" }

    /// `ringing`, `next Wed 07:00` and the like.
    private static func state(_ alarm: ServerReply) -> String {
        var parts = [alarm["state"] ?? ""]
        if let reason = alarm["reason"] { parts.append(reason) }
        if let skipped = alarm["skipped"] { parts.append("not on \(skipped)") }
        if let next = alarm["next"] { parts.append("next \(localTime(next, "%a %d %b %H:%M") ?? next)") }
        if let missed = alarm["missed"] { parts.append("missed \(localTime(missed, "%a %d %b %H:%M") ?? missed)") }
        return parts.joined(separator: ", ")
    }

    private static func content(_ alarm: ServerReply) -> String {
        let volume = alarm["volume"].map { "at \($0)%" } ?? ""
        return [alarm["name"] ?? "", alarm["uri"] ?? "the bell", volume].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
