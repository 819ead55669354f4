internal import AudioTypes
internal import Files
package import Settings
internal import TextEncodings

/// The facts of a machine that a setup depends on.
package struct SetupFindings: Sendable, Hashable {
    /// An mpd that runs, or that systemd would start.
    package struct MPD: Sendable, Hashable {
        /// The command that stops it for good.
        package var stop: [String]
        /// The command that undoes that; `nil` for one that nothing starts again.
        package var start: [String]?

        package init(stop: [String], start: [String]?) {
            self.stop = stop
            self.start = start
        }
    }

    /// The file that is written.
    package var file: String
    /// Its text; `nil` while there is none.
    package var text: String?
    package var environment: ProcessEnvironment
    package var hasSystemd = false
    /// Whether systemd starts the chosen service already.
    package var isEnabled = false
    /// Whether the user's services run without the user being logged in.
    package var isLingering = false
    package var mpd: MPD?
    /// An mpd.conf, whose state can be imported.
    package var mpdConf: String?
    /// The person who became root, for the group of the system service.
    package var person: String?
    /// The program `segue`.
    package var program = "segue"

    package init(file: String, text: String?, environment: ProcessEnvironment) {
        self.file = file
        self.text = text
        self.environment = environment
    }
}

/// One thing that a setup does.
package enum SetupStep: Sendable, Hashable {
    /// Writes a file; `before` is `nil` where there is none. A secret one is its owner's alone.
    case write(path: String, before: String?, after: String, isSecret: Bool)
    /// Runs a command; `undo` takes back what it does.
    case run([String], undo: [String]?)
}

/// Everything that a setup does, in order; made without doing any of it.
package struct SetupPlan: Sendable, Hashable {
    package var steps: [SetupStep] = []
    /// Notes for the person, one sentence each.
    package var notes: [String] = []

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// - Throws: When the configuration cannot be changed as chosen.
    package init(_ choices: SetupChoices, _ found: SetupFindings) throws(Failure) {
        if choices.replacesMPD {
            if let mpd = found.mpd {
                steps.append(.run(mpd.stop, undo: mpd.start))
                if mpd.start == nil { notes.append("Nothing starts that mpd again by itself, so --undo does not.") }
            } else {
                notes.append("No mpd runs here.")
            }
        }
        try planConfiguration(choices, found)
        planService(choices, found)
        if choices.replacesMPD { planImport(choices, found) }
    }

    // MARK: The configuration

    private mutating func planConfiguration(_ choices: SetupChoices, _ found: SetupFindings) throws(Failure) {
        let before = found.text ?? ""
        let current = try Self.parse(before, found).configuration
        var edit = ConfigurationEdit(before)
        do throws(ConfigurationEdit.Failure) {
            if let music = choices.music, music != current.musicDirectory {
                try edit.set("music-directory", to: ConfigurationEdit.quoted(music))
            }
            try open(choices.network, current, &edit)
        } catch {
            throw Failure(description: "\(found.file): \(error)")
        }
        add(choices.sound, &edit)
        add(choices.homeAssistant, current, &edit)
        let after = edit.text
        let planned = try Self.parse(after, found).configuration
        examine(planned, choices)
        guard after != before else { return }
        let isSecret = edit.has("password")
        steps.append(.write(path: found.file, before: found.text, after: after, isSecret: isSecret))
        guard isSecret, choices.service == .system, found.hasSystemd else { return }
        // The service's account reads it, too.
        steps.append(.run(["chgrp", "segue", found.file], undo: nil))
        steps.append(.run(["chmod", "640", found.file], undo: nil))
    }

    private static func parse(_ text: String, _ found: SetupFindings) throws(Failure) -> LoadedConfiguration {
        do throws(ConfigurationFailure) {
            return try Configuration.parse(text, file: found.file, in: found.environment)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// Lets other machines in.
    private mutating func open(
        _ network: SetupChoices.Network?,
        _ current: Configuration,
        _ edit: inout ConfigurationEdit
    ) throws(ConfigurationEdit.Failure) {
        guard let network else { return }
        let isOpen = current.listeners.contains(where: \.address.isOpenToNetwork)
        guard network != .thisMachine else {
            guard isOpen else { return }
            let kept = current.listeners.filter { !$0.address.isOpenToNetwork }
            let own =
                kept.contains(where: \.isTCP) ? [] : [Listener(.tcp(host: "127.0.0.1", port: Listener.standardPort))]
            return try edit.set("listen", to: Self.list(kept + own))
        }
        if !isOpen {
            // An address of this machine alone would be in the way of the one for all.
            let kept = current.listeners.filter { !$0.isTCP }
            let all = Listener(.tcp(host: nil, port: Listener.standardPort))
            try edit.set("listen", to: Self.list(kept + [all]))
        }
        switch network {
        case .thisMachine: break
        case .local: try edit.set("allow-anonymous", to: "\"lan\"")
        case .password(let password):
            edit.append(
                "password",
                [
                    ("password", ConfigurationEdit.quoted(password)),
                    ("permissions", Self.list(["read", "add", "player", "control"])),
                ]
            )
        }
    }

    private mutating func add(_ sound: SetupChoices.Sound, _ edit: inout ConfigurationEdit) {
        guard sound != .automatic else { return }
        guard !edit.has("output") else {
            return notes.append("The configuration has outputs already; they stay as they are.")
        }
        switch sound {
        case .automatic: break
        case .soundServer: edit.append("output", [("name", "\"Sound server\""), ("type", "\"pulse\"")])
        case .device(let device):
            edit.append(
                "output",
                [("name", "\"Sound card\""), ("type", "\"alsa\""), ("device", ConfigurationEdit.quoted(device))]
            )
        }
    }

    private mutating func add(
        _ homeAssistant: HomeAssistant?,
        _ current: Configuration,
        _ edit: inout ConfigurationEdit
    ) {
        guard let homeAssistant else { return }
        let known = Set(current.announcementRules.map(\.prefix))
        for prefix in homeAssistant.prefixes where !known.contains(prefix) {
            edit.append(
                "announcement-rule",
                [
                    ("prefix", ConfigurationEdit.quoted(prefix)),
                    ("host", ConfigurationEdit.quoted(homeAssistant.address.description)),
                ]
            )
        }
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map(ConfigurationEdit.quoted).joined(separator: ", ") + "]"
    }

    private static func list(_ listeners: [Listener]) throws(ConfigurationEdit.Failure) -> String {
        var words: [String] = []
        for listener in listeners { words.append(try listener.written()) }
        return "[" + words.joined(separator: ", ") + "]"
    }

    /// Adds a note on each thing to be configured that is not as it should be.
    private mutating func examine(_ planned: Configuration, _ choices: SetupChoices) {
        let music = planned.musicDirectory
        if (try? FileStatus(of: music))?.kind != .folder {
            notes.append("There is no folder \(music) yet; what is put there later is found.")
        } else if choices.service == .system, let closed = Self.folderClosedToOthers(music) {
            notes.append(
                "The account segue may not enter \(closed); let it in with: setfacl -m u:segue:rx '\(closed)'"
            )
        }
        if let homeAssistant = choices.homeAssistant, !homeAssistant.address.isLoopback,
            !planned.listeners.contains(where: \.address.isOpenToNetwork)
        {
            notes.append("Home Assistant is on another machine, and only this one may connect: see --network.")
        }
    }

    /// The first folder on the way to a path that users who are neither its owner nor in its group may not enter or, the
    /// last one, list.
    private static func folderClosedToOthers(_ path: String) -> String? {
        var parts = [path]
        while let last = parts.last, last != "/", last != "." { parts.append(folder(of: last)) }
        return parts.reversed().first { part in
            guard let permissions = (try? FileStatus(of: part))?.permissions else { return false }
            let needed: UInt32 = part == path ? 0o5 : 0o1
            return permissions & needed != needed
        }
    }

    // MARK: The service

    private mutating func planService(_ choices: SetupChoices, _ found: SetupFindings) {
        guard choices.service != .none else { return }
        guard found.hasSystemd else {
            return notes.append("There is no systemd here; start the server with: segued")
        }
        let command = ["systemctl"] + (choices.service == .user ? ["--user"] : [])
        if found.isEnabled {
            steps.append(.run(command + ["restart", "segued"], undo: command + ["try-restart", "segued"]))
        } else {
            steps.append(
                .run(command + ["enable", "--now", "segued"], undo: command + ["disable", "--now", "segued"])
            )
        }
        if choices.service == .user, choices.lingers, !found.isLingering {
            steps.append(.run(["loginctl", "enable-linger"], undo: ["loginctl", "disable-linger"]))
        }
        if choices.service == .system, let person = found.person {
            let join = ["usermod", "-aG", "segue", person]
            steps.append(.run(join, undo: ["gpasswd", "-d", person, "segue"]))
            notes.append("\(person) may control the server from the next login on.")
        }
    }

    private mutating func planImport(_ choices: SetupChoices, _ found: SetupFindings) {
        guard let mpdConf = found.mpdConf else {
            return notes.append("There is no mpd.conf in a usual place, so nothing is imported: see segue import-mpd.")
        }
        let words = [found.program, "import-mpd", "--mpd-conf", mpdConf]
        guard choices.service != .none, found.hasSystemd else {
            return notes.append("Once segued runs, import MPD's queue and playlists with: segue import-mpd")
        }
        // MPD's files are only read, so there is nothing to take back.
        steps.append(.run(words, undo: nil))
    }
}

extension Listener {
    fileprivate var isTCP: Bool { if case .tcp = address { true } else { false } }

    /// The listener as `listen` has it.
    fileprivate func written() throws(ConfigurationEdit.Failure) -> String {
        guard permissions == nil else {
            throw ConfigurationEdit.Failure(
                description:
                    "\(address) has permissions of its own; add \"tcp::\(Listener.standardPort)\" to listen there"
            )
        }
        guard case .unix(_, let mode) = address, mode != Listener.privateMode else {
            return ConfigurationEdit.quoted(description)
        }
        let zone = zone.map { ", zone = \(ConfigurationEdit.quoted($0))" } ?? ""
        let octal = String(mode, digits: 4, radix: 8)
        return "{ address = \(ConfigurationEdit.quoted(address.description)), mode = \"\(octal)\"\(zone) }"
    }
}
