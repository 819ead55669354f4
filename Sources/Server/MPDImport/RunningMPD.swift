internal import Files
private import Glibc
package import Settings

/// An mpd that is running, or that systemd would start for its first client, and how to stop it.
package struct RunningMPD: Sendable, Hashable {
    /// The user that started it.
    package enum Manager: Sendable, Hashable {
        /// The user's systemd.
        case userUnit
        /// The system's systemd.
        case systemUnit
        /// A user, from the command line.
        case none
    }

    /// `nil` when only systemd's socket exists.
    package var process: Int?
    package var manager: Manager

    package init(process: Int?, manager: Manager) {
        self.process = process
        self.manager = manager
    }

    /// The command that stops it for good.
    package var stopCommand: String {
        switch manager {
        case .userUnit: "systemctl --user disable --now mpd.socket mpd.service"
        case .systemUnit: "sudo systemctl disable --now mpd.socket mpd.service"
        case .none: process.map { "kill \($0)" } ?? "mpd --kill"
        }
    }

    /// Advice for a user whose port or socket it holds.
    package var advice: String {
        let what = process.map { "mpd is running (process \($0))" } ?? "systemd would start mpd for the first client"
        return "\(what); stop it for good with: \(stopCommand)"
    }

    /// Finds all of them on this machine, each once.
    package static func find(in environment: ProcessEnvironment = .process) -> [RunningMPD] {
        var found = processes()
        let runtime = environment.variables["XDG_RUNTIME_DIR"] ?? "/run/user/\(environment.userID)"
        let listening = listeningSockets()
        for (socket, manager) in [(runtime + "/mpd/socket", Manager.userUnit), ("/run/mpd/socket", .systemUnit)] {
            // A socket without a process is systemd's, which would start one.
            guard !found.contains(where: { $0.manager == manager || $0.manager == .none }) else { continue }
            if listening.contains(socket) { found.append(RunningMPD(process: nil, manager: manager)) }
        }
        return found
    }

    /// Whether it may be the one that writes a state file: it runs as the file's owner, and its mpd.conf, if it can be
    /// read, names no other one.
    ///
    /// - Parameter environment: Where an mpd of the same user looks for its mpd.conf when none is named.
    package func mayWrite(stateFile: String, in environment: ProcessEnvironment = .process) -> Bool {
        guard let process else { return false }
        var (file, own) = (stat(), stat())
        guard unsafe stat(stateFile, &file) == 0, unsafe stat("/proc/\(process)", &own) == 0 else { return true }
        guard own.st_uid == file.st_uid || own.st_uid == 0 else { return false }
        let usual =
            own.st_uid == environment.userID
            ? ImportSources.usualConfigurationFiles(in: environment) : [ImportSources.systemConfigurationFile]
        guard let configuration = Self.configurationFile(of: process, usual),
            let loaded = try? Configuration.load(mpdConf: configuration),
            let named = loaded.configuration.mpdFiles?.stateFile
        else { return true }
        var other = stat()
        guard unsafe stat(named, &other) == 0 else { return false }
        return (other.st_dev, other.st_ino) == (file.st_dev, file.st_ino)
    }

    /// The mpd.conf that is named on a process's command line, else the first of the usual ones that is there.
    private static func configurationFile(of process: Int, _ usual: [String]) -> String? {
        guard let line = try? fileContents("/proc/\(process)/cmdline") else { return nil }
        let words = line.split(separator: 0).dropFirst().map { String(decoding: $0, as: UTF8.self) }
        guard let path = words.last(where: { !$0.hasPrefix("-") }) else {
            return usual.first { unsafe access($0, R_OK) == 0 }
        }
        return path.hasPrefix("/") ? path : "/proc/\(process)/cwd/\(path)"
    }

    private static func processes() -> [RunningMPD] {
        let identifiers = ((try? fileNames(in: "/proc")) ?? []).compactMap { Int($0) }.sorted()
        return identifiers.compactMap { process in
            guard let name = try? fileContents("/proc/\(process)/comm"), name == Array("mpd\n".utf8) else { return nil }
            let group = (try? fileContents("/proc/\(process)/cgroup")) ?? []
            return RunningMPD(process: process, manager: manager(cgroup: String(decoding: group, as: UTF8.self)))
        }
    }

    /// The manager of a process, from the control group that systemd has put it in.
    package static func manager(cgroup: String) -> Manager {
        for line in cgroup.split(separator: "\n") {
            let parts = line.split(separator: "/")
            guard parts.last == "mpd.service" else { continue }
            return parts.contains { $0.hasPrefix("user@") } ? .userUnit : .systemUnit
        }
        return .none
    }
}
