import ArgumentParser
import Glibc
import RemoteControl
import TerminalText
import Verbs

struct DoctorVerb: RemoteVerb {
    static let configuration = CommandConfiguration.remote(
        "doctor",
        "Check the server, and suggest how to fix problems."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        var console = Console(server)
        let choice = try server.choice()
        let connection: RemoteConnection
        do {
            connection = try RemoteConnection.open(
                choice,
                zone: server.zone,
                limits: PatienceLimits(variable: console.variable)
            )
        } catch {
            console.print(DoctorReport(findings: Examination.findings(unreachable: error, choice)))
            console.flush()
            throw (error.refusal == nil ? ExitStatus.noOutput : .someFailed).exitCode
        }
        let session = Session(connection, choice, server, console)
        defer { session.console.flush() }
        do {
            try run(on: session)
        } catch let error as RemoteError {
            throw server.failure(error)
        }
    }

    func run(on session: Session) throws {
        var examination = Examination(session)
        try examination.examine()
        session.console.print(DoctorReport(findings: examination.findings))
        if examination.findings.contains(where: { $0.result == .problem }) { throw ExitStatus.someFailed.exitCode }
    }
}

/// The result of one check.
struct Finding: Hashable {
    enum Result: String, Hashable {
        case good
        case warning
        case problem
    }

    var check: String
    var result: Result
    var detail: String
    /// How to fix it.
    var advice: String?
}

struct DoctorReport: Report {
    var findings: [Finding]

    var plainLines: [String] {
        findings.map { "\($0.result.rawValue): \($0.check): \($0.detail)" + ($0.advice.map { ". \($0)" } ?? "") }
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        let labelWidth = findings.reduce(0) { max($0, $1.check.count) }
        return findings.flatMap { finding in
            let (symbol, style) = Self.mark(finding.result, isUnicode)
            var line = StyledText(symbol, style)
            let padding = String(repeating: " ", count: labelWidth - finding.check.count)
            line.append(" \(finding.check)\(padding)  ", .faint)
            line.append(DisplayText.harmless(finding.detail))
            guard let advice = finding.advice else { return [line] }
            let indent = String(repeating: " ", count: labelWidth + 4)
            return [line, StyledText(indent + (isUnicode ? "→ " : "> ") + DisplayText.harmless(advice), .attention)]
        }
    }

    private static func mark(_ result: Finding.Result, _ isUnicode: Bool) -> (String, TextStyle) {
        switch result {
        case .good: (isUnicode ? "✓" : "+", .good)
        case .warning: ("!", .attention)
        case .problem: (isUnicode ? "✗" : "x", .bad)
        }
    }

    var json: [JSON] {
        findings.map { finding in
            .compact([
                .init("check", .string(finding.check)),
                .init("result", .string(finding.result.rawValue)),
                .init("detail", .string(finding.detail)),
                .init("advice", .optional(finding.advice)),
            ])
        }
    }
}

/// Examines a server from outside, as any client could.
struct Examination {
    private let session: Session
    private(set) var findings: [Finding] = []
    private var commands: Set<String> = []

    init(_ session: Session) { self.session = session }

    private mutating func add(_ check: String, _ result: Finding.Result, _ detail: String, _ advice: String? = nil) {
        findings.append(Finding(check: check, result: result, detail: detail, advice: advice))
    }

    /// The findings when no server answers.
    static func findings(unreachable error: RemoteError, _ choice: ServerChoice) -> [Finding] {
        guard case .noServer(let attempts) = error else {
            return [Finding(check: "server", result: .problem, detail: error.description, advice: nil)]
        }
        var findings = attempts.map { attempt in
            Finding(check: "server", result: .problem, detail: "\(attempt.address): \(attempt.reason)", advice: nil)
        }
        let last = findings.count - 1
        switch choice.origin {
        case .usualPlaces: findings[last].advice = "Start it with: systemctl --user start segued"
        case .option:
            findings[last].advice = "Is that the right address? 'segue doctor' without --host tries the default ones"
        case .variable(let name):
            findings[last].advice = "That is what \(name) says. Start the server there, or change \(name)"
        }
        return findings
    }

    mutating func examine() throws {
        try examineServer()
        try examinePermissions()
        try examinePlaying()
        try examineOutputs()
        try examineSoundServer()
        try examineBus()
        try examineLibrary()
    }

    private mutating func examineServer() throws {
        let origin: String
        switch session.choice.origin {
        case .option: origin = "as --host or --port says"
        case .variable(let name): origin = "as \(name) says"
        case .usualPlaces: origin = "the first default address that answers"
        }
        add("server", .good, "\(session.connection.address), \(origin)")
        commands = Set(try session.run("commands").values("command"))
        let version = session.connection.version
        let isSegue = commands.contains("zone")
        let name = isSegue ? "segued" : "an MPD server without Segue's extensions"
        if version < ProtocolVersion(0, 21, 0) {
            add(
                "protocol",
                .warning,
                "\(version), \(name)",
                "Searching and zones need 0.21 and later; upgrade the server"
            )
        } else {
            add("protocol", .good, "\(version), \(name)")
        }
    }

    private mutating func examinePermissions() throws {
        let refused = try session.run("notcommands").values("command").filter { $0 != "config" && $0 != "kill" }
        guard !refused.isEmpty else { return add("permissions", .good, "everything is allowed") }
        let some = refused.sorted().prefix(4).joined(separator: ", ")
        add(
            "permissions",
            refused.contains("play") ? .problem : .warning,
            "not allowed: \(some)\(refused.count > 4 ? " and \(refused.count - 4) more" : "")",
            "Give a password with --password, or as password@host in SEGUE_HOST"
        )
    }

    private mutating func examinePlaying() throws {
        guard commands.contains("status") else { return }
        let status = try session.status()
        if let error = status.error {
            add("playing", .problem, error, "'segue clearerror' clears it once its cause is gone")
        } else {
            let words = [ServerStatus.State.playing: "playing", .paused: "paused", .stopped: "stopped"]
            add("playing", .good, "\(words[status.state] ?? ""), \(count(status.queueLength, "song")) in the queue")
        }
        if status.volume == 0, status.state == .playing {
            add("volume", .warning, "0%: nothing can be heard", "segue volume 50")
        }
    }

    private mutating func examineOutputs() throws {
        guard commands.contains("outputs") else { return }
        let outputs = try session.outputs().filter { !$0.isElsewhere }
        let enabled = outputs.filter(\.isEnabled)
        if outputs.isEmpty {
            add(
                "outputs",
                .problem,
                "there is none",
                "Declare one in the server's configuration, or move one here: segue moveoutput"
            )
        } else if enabled.isEmpty {
            add("outputs", .problem, "all are off", "segue enable \(outputs[0].number)")
        } else if enabled.allSatisfy({ $0.plugin == "null" }) {
            add(
                "outputs",
                .warning,
                "\(enabled.map(\.name).joined(separator: ", ")): plays silently",
                "Declare an output for your sound server in the server's configuration"
            )
        } else {
            add(
                "outputs",
                .good,
                enabled.map { $0.name + ($0.plugin.map { " (\($0))" } ?? "") }.joined(separator: ", ")
            )
        }
    }

    /// Makes the server query its sound server, which it may not have needed yet.
    private mutating func examineSoundServer() throws {
        guard commands.contains("outputs"), commands.contains("route") else { return }
        let outputs = try session.outputs().filter { !$0.isElsewhere && $0.isEnabled && $0.plugin == "pulse" }
        guard !outputs.isEmpty else { return }
        do throws(RemoteError) {
            let sinks = try session.run("route", "list").values("sink")
            let advice = "Connect an audio device, or load one into the sound server"
            if sinks.isEmpty { return add("sound server", .problem, "has no sink: no sound will be heard", advice) }
            add("sound server", .good, count(sinks.count, "sink"))
        } catch {
            guard let refusal = error.refusal else { throw error }
            add("sound server", .problem, "no sound will be heard: \(refusal.text)")
        }
    }

    /// Whether media keys and desktops reach the server.
    private mutating func examineBus() throws {
        guard commands.contains("session"), let reply = try? session.run("session", "players") else { return }
        switch reply["mpris"] {
        case "connected": add("media keys", .good, reply["player"] ?? "")
        case "disconnected":
            add(
                "media keys",
                .warning,
                "the server finds no message bus (D-Bus): media keys and desktops do not reach it",
                "Run it as a service of your session: systemctl --user restart segued"
            )
        case "unavailable": add("media keys", .good, "not used: the server is not part of a user's session")
        case "off": add("media keys", .good, "off: mpris = false")
        default: break
        }
    }

    private mutating func examineLibrary() throws {
        if commands.contains("config"), session.connection.address.isLocal {
            // Sent only to clients on a Unix socket.
            if let folder = try? session.run("config")["music_directory"] {
                if folder.hasPrefix("/"), unsafe access(folder, R_OK | X_OK) != 0 {
                    let reason = unsafe String(cString: strerror(errno))
                    add(
                        "music folder",
                        .warning,
                        "\(folder): \(reason) (to you; the server may be another user)",
                        "ls -ld '\(folder)'"
                    )
                } else {
                    add("music folder", .good, folder)
                }
            }
        }
        guard commands.contains("stats") else { return }
        let stats = try session.run("stats")
        let songs = stats["songs"].flatMap { Int($0) } ?? 0
        if songs == 0 {
            add("library", .warning, "it is empty", "Put music into the music folder, then: segue update --wait")
        } else {
            let time = stats["db_update"].flatMap { Int($0) }.flatMap { localTime($0, "%Y-%m-%d %H:%M") }
            add("library", .good, count(songs, "song") + (time.map { ", updated \($0)" } ?? ""))
        }
    }
}
