import CommandOptions
import Glibc
import ProtocolClient
import TerminalText

/// Examines a server from outside, as any client could.
struct Examination {
    let session: Session
    private(set) var findings: [Finding] = []
    private(set) var commands: Set<String> = []
    /// The zone that is examined; `nil` for a server without zones.
    private(set) var zone: String?
    private(set) var zones: [String] = []

    init(_ session: Session) { self.session = session }

    /// A command line that acts in a zone, where there are several.
    ///
    /// - Parameter other: The zone, unless it is the one examined.
    func inZone(_ command: String, _ other: String? = nil) -> String {
        guard zones.count > 1, let name = other ?? zone else { return command }
        return "\(command) --zone \(name)"
    }

    mutating func add(_ check: String, _ result: Finding.Result, _ detail: String, _ advice: String? = nil) {
        findings.append(Finding(check: check, result: result, detail: detail, advice: advice))
    }

    /// The findings when no server answers.
    static func findings(unreachable error: RemoteError, _ choice: ServerChoice) -> [Finding] {
        guard case .noServer(let attempts) = error else {
            return [Finding(check: "server", result: .problem, detail: error.description, advice: nil)]
        }
        let reasons = attempts.map { "\($0.address) (\($0.reason))" }.joined(separator: ", ")
        let advice =
            switch choice.origin {
            case .usualPlaces: "Start it with: systemctl --user start segued"
            case .option: "Is that the right address? 'segue doctor' without --host tries the default ones"
            case .variable(let name): "That is what \(name) says. Start the server there, or change \(name)"
            }
        return [Finding(check: "server", result: .problem, detail: "none answers at \(reasons)", advice: advice)]
    }

    mutating func examine() throws {
        try examineServer()
        try examinePermissions()
        try examineDoors()
        try examinePlaying()
        try examineOutputs()
        try examineSoundServer()
        try examineMachine()
        try examineDevices()
        try examineOtherZones()
        try examineBus()
        try examineForeign()
        try examineLibrary()
        findings = Self.withoutConsequences(findings)
    }

    /// The findings without those that only tell of another one's problem again: of a sound server that does not answer,
    /// or a lost device.
    static func withoutConsequences(_ findings: [Finding]) -> [Finding] {
        let causes = findings.filter { $0.result == .problem && ["sound server", "route"].contains($0.check) }
        guard !causes.isEmpty else { return findings }
        return findings.filter { finding in
            switch finding.check {
            case "playing":
                finding.result == .good || !causes.contains { finding.detail.contains($0.reason) }
            case "sound system", "other programs":
                finding.result == .good || !causes.contains { $0.check == "sound server" }
            default: true
            }
        }
    }

    private mutating func examineServer() throws {
        let origin: String
        switch session.choice.origin {
        case .option: origin = "as --host or --port says"
        case .variable(let name): origin = "as \(name) says"
        case .usualPlaces: origin = "the first default address that answers"
        }
        add("server", .good, "\(session.connection.address), \(origin)")
        if let pin = session.connection.pin {
            let since = session.connection.isNewlyKnown ? "from now on" : "as known before"
            add("encryption", .good, "the server's certificate is \(pin), \(since)")
        }
        commands = Set(try session.run("commands").values("command"))
        if commands.contains("listpartitions"), commands.contains("partition") {
            zones = try session.run("listpartitions").values("partition")
        }
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

    /// Ways into the server that are wider than its owner may know, or that could not be opened, told to the owner.
    private mutating func examineDoors() throws {
        guard commands.contains("audit") else { return }
        for door in try session.run("audit", "doors").groups(startingWith: "door") {
            add("\(door["state"] ?? "open") door", .warning, door["door"] ?? "", door["advice"])
        }
    }

    private mutating func examinePlaying() throws {
        guard commands.contains("status") else { return }
        let status = try session.status()
        zone = status.zone
        if let error = status.error {
            let command = inZone("segue clearerror")
            add("playing", .problem, error, "'\(command)' clears it once its cause is gone")
        } else {
            let words = [ServerStatus.State.playing: "playing", .paused: "paused", .stopped: "stopped"]
            add("playing", .good, "\(words[status.state] ?? ""), \(count(status.queueLength, "song")) in the queue")
        }
        if status.volume == 0, status.state == .playing {
            add("volume", .warning, "0%: nothing can be heard", inZone("segue volume 50"))
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
        if let error = session.libraryProgress?.error {
            add("library", .warning, error)
        } else if songs == 0 {
            add("library", .warning, "it is empty", "Put music into the music folder, then: segue update --wait")
        } else {
            let time = stats["db_update"].flatMap { Int($0) }.flatMap { localTime($0, "%Y-%m-%d %H:%M") }
            add("library", .good, count(songs, "song") + (time.map { ", updated \($0)" } ?? ""))
        }
        try examineLoudness()
    }

    /// Only where loudness is evened out: whether songs without ReplayGain have been measured.
    private mutating func examineLoudness() throws {
        guard commands.contains("library"), commands.contains("replay_gain_status"),
            try session.run("replay_gain_status")["replay_gain_mode"] != "off",
            let status = (try? session.run("library", "status")).map(LibraryProgress.init),
            let measured = status.measured, measured + status.unmeasured > 0
        else { return }
        let rest = status.unmeasured
        let detail = "\(count(measured, "song")) measured" + (rest > 0 ? ", \(rest) waiting" : "")
        if rest > 0, status.isPaused {
            add("loudness", .warning, detail + "; the library is paused", "segue library resume")
        } else {
            add("loudness", .good, rest > 0 ? detail + " until nothing plays" : detail)
        }
    }
}
