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

struct ScheduleVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "List and make commands that are run at a time.",
        usage: "segue schedule list|add|rm|enable|disable|skip [<options>] ...",
        discussion: """
            The server runs them, whether a client is there or not, with the rights \
            of whoever made them. The commands are the protocol's, as for segue raw.

            Examples:
              segue schedule add 22:00 daily -- setvol 20
              segue schedule add 00:00 --zone kitchen -- stop
              segue schedule skip 2
            """,
        subcommands: [List.self, Add.self, Remove.self, Enable.self, Disable.self, Skip.self],
        defaultSubcommand: List.self
    )
}

extension ScheduleVerb {
    struct List: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "list",
            "List the schedules and when they are due next.",
            parent: "schedule",
            aliases: ["ls"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let schedules = try session.run("schedule", "list").groups(startingWith: "schedule")
            if schedules.isEmpty, session.console.isTerminal {
                session.console.print(
                    StyledText("There are none. Make one with: segue schedule add 22:00 daily -- setvol 20", .faint)
                )
            }
            session.console.print(ScheduleReport(schedules: schedules))
        }
    }

    struct Add: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "add",
            "Have commands run at a time.",
            "<time> [<days>|<date>] [-- <command> ...]",
            parent: "schedule",
            discussion: """
                Without days they are run once, at the next such time. What the maker \
                may not do any more then is refused.

                Examples:
                  segue schedule add 22:00 sun-thu --name night -- setvol 20
                  segue schedule add 23:59 daily --command 'pause 1' --command clear
                """
        )
        @Option(help: ArgumentHelp("A line of the protocol; repeatable.", valueName: "command"))
        var command: [String] = []
        @Option(help: ArgumentHelp("A name for people.", valueName: "text"))
        var name: String?
        @Flag(help: "Run it on holidays, too.")
        var holidays = false
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "The time of day, such as 22:00.") var time: String
        @Argument(
            help: ArgumentHelp("mon-fri, sat,sun, daily, or a date.", valueName: "days"),
            completion: .list(["mon-fri", "sat,sun", "daily", "weekdays", "weekends"])
        )
        var days: String?
        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("One more command, in words.", valueName: "word")
        )
        var words: [String] = []

        func validate() throws {
            do throws(ArgumentProblem) {
                _ = try TimeOfDay(parsing: time)
                if let days, (try? CivilDate(parsing: days)) == nil { _ = try Weekdays(parsing: days) }
            } catch {
                throw ValidationError("\(error)")
            }
            if command.isEmpty, words.isEmpty {
                throw ValidationError("say which command, such as: segue schedule add \(time) -- setvol 20")
            }
        }

        func run(on session: Session) throws {
            var words = [time] + (days.map { [$0] } ?? [])
            if let name { words += ["name", name] }
            if holidays { words += ["holidays", "1"] }
            for line in command { words += ["command", line] }
            if !self.words.isEmpty { words += ["command", self.words.map(Self.quoted).joined(separator: " ")] }
            let id = try session.connection.run(Request("schedule", ["add"] + words))["schedule"] ?? ""
            let schedules = try session.run("schedule", "info", id).groups(startingWith: "schedule")
            session.console.print(ScheduleReport(schedules: schedules))
        }

        /// A word of a line as the protocol writes it; in quotation marks only where it must.
        private static func quoted(_ word: String) -> String {
            let isPlain =
                !word.isEmpty && !word.contains { $0 == " " || $0 == "\t" || $0 == "\"" || $0 == "'" || $0 == "\\" }
            if isPlain { return word }
            let escaped = word.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
            return "\"\(escaped.joined())\""
        }
    }

    struct Remove: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "rm",
            "Remove schedules.",
            "<id> ...",
            parent: "schedule",
            aliases: ["remove"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("schedule", "rm", "\(id)") } }
    }

    struct Enable: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "enable",
            "Enable schedules.",
            "<id> ...",
            parent: "schedule"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("schedule", "enable", "\(id)") } }
    }

    struct Disable: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "disable",
            "Disable schedules.",
            "<id> ...",
            parent: "schedule"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Their numbers.") var id: [Int]

        func run(on session: Session) throws { for id in id { try session.run("schedule", "disable", "\(id)") } }
    }

    struct Skip: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "skip",
            "Leave out the next time of a schedule, or no longer.",
            "<id> [off]",
            parent: "schedule"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its number.") var id: Int
        @Argument(
            help: ArgumentHelp("off: run it all the same.", valueName: "off"),
            completion: .list(["off"]),
            transform: Switch.parse
        )
        var state: Switch?

        func run(on session: Session) throws {
            try session.run("schedule", "skip", "\(id)", state?.word ?? "1")
            let schedules = try session.run("schedule", "info", "\(id)").groups(startingWith: "schedule")
            session.console.print(ScheduleReport(schedules: schedules))
        }
    }
}

/// Schedules as the server lists them.
private struct ScheduleReport: Report {
    let schedules: [ServerReply]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(isRight: true, style: .faint), .init(style: .strong), .init(), .init(), .init(),
            .init(isFlexible: true),
        ])
        for schedule in schedules {
            let style: TextStyle? =
                schedule["error"] != nil ? .attention : schedule["state"] == "disabled" ? .faint : nil
            table.add(Self.cells(schedule), style)
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { schedules.map { Self.cells($0).joined(separator: "\t") } }

    var json: [JSON] { schedules.map { $0.record(.schedules) } }

    private static func cells(_ schedule: ServerReply) -> [String] {
        let commands = schedule.values("command").joined(separator: "; ")
        let content = [schedule["name"], commands].compactMap { $0?.isEmpty == false ? $0 : nil }
        return [
            schedule["schedule"] ?? "", schedule["time"] ?? "", schedule["days"] ?? schedule["date"] ?? "",
            schedule["zone"] ?? "", state(schedule), content.joined(separator: ": "),
        ]
    }

    /// `enabled, next Wed 22:00`, and how it went last.
    private static func state(_ schedule: ServerReply) -> String {
        var parts = [schedule["state"] ?? ""]
        if let skipped = schedule["skipped"] { parts.append("not on \(skipped)") }
        if let next = schedule["next"] { parts.append("next \(localTime(next, "%a %d %b %H:%M") ?? next)") }
        if let missed = schedule["missed"] { parts.append("missed \(localTime(missed, "%a %d %b %H:%M") ?? missed)") }
        if let error = schedule["error"] { parts.append("failed: \(error)") }
        return parts.joined(separator: ", ")
    }
}
