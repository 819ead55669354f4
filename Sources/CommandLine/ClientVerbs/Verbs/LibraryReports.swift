import ArgumentParser
import AudioTypes
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct LibraryVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Show the library's state, and pause its scans.",
        usage: "segue library <verb> [<options>] ...",
        subcommands: [
            Status.self, Problems.self, Duplicates.self, Loudness.self, Media.self, Identify.self, Pause.self,
            Resume.self,
        ],
        defaultSubcommand: Status.self
    )
}

extension LibraryVerb {
    struct Status: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "status",
            "Show what is in the library, and how far a scan is.",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let status = LibraryProgress(try session.run("library", "status"))
            session.console.print(LibraryReport(status: status, stats: try session.run("stats")))
        }
    }

    struct Problems: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "problems",
            "List the files that cannot be used, and why.",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let reply = try session.run("library", "problems")
            let problems = reply.groups(startingWith: "file").map {
                (file: $0["file"] ?? "", reason: $0["problem"] ?? "")
            }
            switch session.console.form {
            case .json: for record in reply.records(.problems) { session.console.print(record) }
            case .plain: for problem in problems { session.console.print("\(problem.file): \(problem.reason)") }
            case .terminal(let width):
                var table = TextTable([.init(style: .strong, isFlexible: true), .init(isFlexible: true)])
                for problem in problems { table.add([problem.file, problem.reason]) }
                session.console.print(table, width: width)
                if problems.isEmpty { session.console.print("All files can be used.") }
            }
        }
    }

    struct Duplicates: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "duplicates",
            "List files of the same sound, whatever their names and tags.",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let groups = try session.run("library", "duplicates").groups(startingWith: "group").map {
                $0.values("file")
            }
            for (index, files) in groups.enumerated() {
                if session.console.form == .json {
                    session.console.print(.object([.init("files", .array(files.map { .string($0) }))]))
                    continue
                }
                if index > 0 { session.console.print("") }
                for file in files { session.console.print(file) }
            }
            if groups.isEmpty, session.console.isTerminal { session.console.print("There are no duplicate files.") }
        }
    }

    struct Pause: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "pause",
            "Pause scans and measurements until 'segue library resume'.",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws { _ = try session.run("library", "pause") }
    }

    struct Resume: ClientVerb {
        static let configuration = CommandConfiguration.remote(
            "resume",
            "Resume scans and measurements.",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws { _ = try session.run("library", "resume") }
    }
}

/// The reply of `library status`.
struct LibraryProgress {
    let reply: ServerReply

    init(_ reply: ServerReply) { self.reply = reply }

    private func number(_ key: String) -> Int? { reply[key].flatMap { Int($0) } }

    var database: String { reply["database"] ?? "" }
    var isComplete: Bool { reply["complete"] == "1" }
    var isWatched: Bool { reply["watched"] == "1" }
    var isPaused: Bool { reply["paused"] == "1" }
    var error: String? { reply["error"] }
    /// Whether nothing is being done because of an error, such as a full disk, until that is mended.
    var isStuck: Bool { error != nil && percent == nil }
    /// Of sounds, and of songs that wait for it.
    var measured: Int? { number("measured") }
    var unmeasured: Int { number("unmeasured") ?? 0 }
    var isMeasuring: Bool { reply["measuring"] == "1" }
    var job: Int? { number("updating_db") }
    var percent: Int? { number("percent") }
    var files: Int { number("files") ?? 0 }
    var problems: Int { number("problems") ?? 0 }
    /// Files per second.
    var rate: Int { number("rate") ?? 0 }
    var folder: String { reply["folder"] ?? "" }

    /// Columns left free at the end: for the `^C` that a terminal shows, and one more, where some would wrap.
    private static let margin = 3
    /// A shorter folder name is not informative.
    private static let leastFolder = 10

    /// One line for a terminal: a bar, then as much as there is room for.
    ///
    /// On narrow terminals the least important parts are dropped first: the folder, the rate, the files, half of the
    /// bar.
    func line(width: Int, isUnicode: Bool) -> StyledText {
        let percent = min(100, max(0, percent ?? 0))
        let number = String(repeating: " ", count: 3 - "\(percent)".count) + "\(percent)%"
        let state = isPaused ? "paused" : "\(rate) files/s"
        let attempts = [
            (20, " \(number)  \(files) files  \(state)"), (20, " \(number)  \(files) files"), (20, " \(number)"),
            (10, " \(number)"), (0, number),
        ]
        let room = width - Self.margin
        let (cells, text) = attempts.first { $0 + $1.count <= room } ?? (0, "")
        let done = percent * cells / 100
        let bar =
            String(repeating: isUnicode ? "█" : "#", count: done)
            + String(repeating: isUnicode ? "░" : "-", count: cells - done)
        var line = StyledText(bar, isPaused ? .attention : .good)
        line.append(text)
        let rest = room - cells - text.count - 2
        if rest >= Self.leastFolder, text == attempts[0].1, !folder.isEmpty {
            let folder = DisplayText.truncated(
                DisplayText.harmless(folder),
                to: rest,
                ellipsis: isUnicode ? "…" : "..."
            )
            line.append("  \(folder)", .faint)
        }
        return line
    }
}

/// The output of `segue library status`.
struct LibraryReport: Report {
    var status: LibraryProgress
    var stats: ServerReply

    private var songs: Int { stats["songs"].flatMap { Int($0) } ?? 0 }

    private var state: String {
        if let error = status.error { return error }
        let update = status.job.map { job in
            "\(status.isPaused ? "paused at" : "updating,") \(status.percent ?? 0)% (job \(job), \(status.files) files)"
        }
        return update ?? (status.isComplete ? "up to date" : "not read yet")
    }

    private var loudness: String? {
        guard let measured = status.measured else { return nil }
        if status.unmeasured == 0 {
            return measured == 0 ? "nothing to measure" : "\(measured) measured, all that can be"
        }
        // Whether a zone uses it, and what plays, decides when that goes on.
        let rest = status.isMeasuring ? "being measured" : "not measured yet"
        return "\(measured) measured, \(status.unmeasured) \(rest)"
    }

    private var rows: [(String, String)] {
        [("state", state), ("songs", "\(songs)")] + (loudness.map { [("loudness", $0)] } ?? []) + [
            ("changes", status.isWatched ? "detected automatically" : "detected by 'segue update'"),
            ("database", status.database),
        ]
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([.init(style: .faint), .init(isFlexible: true)])
        for (name, value) in rows { table.add([name, value]) }
        var lines = table.lines(width: width)
        if status.job != nil { lines.append(status.line(width: width, isUnicode: isUnicode)) }
        return lines
    }

    var plainLines: [String] { rows.map { "\($0.0): \($0.1)" } }

    var json: [JSON] { [status.reply.record(.library, ("songs", stats["songs"]))] }
}
