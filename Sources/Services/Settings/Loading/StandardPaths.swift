/// The default paths: XDG's for users; `/var`, `/run` and `/etc` for a system service.
package struct StandardPaths: Sendable, Hashable {
    /// Configuration files; the first that exists is used.
    package let configurationFiles: [String]
    package let music: String
    package let state: String
    package let cache: String
    package let socket: String

    package init(_ environment: ProcessEnvironment) {
        let home = environment.home
        /// A folder of the user's; XDG requires that relative paths are ignored.
        func folder(_ variable: String, _ usual: String) -> String {
            environment.folder(variable) ?? "\(home)/\(usual)"
        }
        // systemd creates folders for a unit and names them; the first of several is used.
        let unitState = environment.folder("STATE_DIRECTORY")
        let unitCache = environment.folder("CACHE_DIRECTORY")
        let unitRuntime = environment.folder("RUNTIME_DIRECTORY")

        configurationFiles = [folder("XDG_CONFIG_HOME", ".config") + "/segue/segued.toml", Self.systemConfiguration]
        if environment.isSystem {
            state = unitState ?? "/var/lib/segue"
            cache = unitCache ?? "/var/cache/segue"
            socket = (unitRuntime ?? "/run/segue") + "/socket"
            music = state + "/music"
        } else {
            state = unitState ?? folder("XDG_STATE_HOME", ".local/state") + "/segue"
            cache = unitCache ?? folder("XDG_CACHE_HOME", ".cache") + "/segue"
            let runtime = environment.folder("XDG_RUNTIME_DIR") ?? "/run/user/\(environment.userID)"
            socket = (unitRuntime ?? runtime + "/segue") + "/socket"
            music = environment.userMusic ?? home + "/Music"
        }
    }

    package static let systemConfiguration = "/etc/segue/segued.toml"
}

extension ProcessEnvironment {
    fileprivate func folder(_ variable: String) -> String? {
        guard let value = variables[variable]?.prefix(while: { $0 != ":" }), value.hasPrefix("/") else { return nil }
        return String(value)
    }

    /// The user's music folder, from the environment or from the desktop's user-dirs.dirs file.
    fileprivate var userMusic: String? {
        if let folder = folder("XDG_MUSIC_DIR") { return folder }
        let configuration = folder("XDG_CONFIG_HOME") ?? home + "/.config"
        guard let file = try? TextFile(configuration + "/user-dirs.dirs") else { return nil }
        return Self.musicFolder(inUserDirs: file.text, home: home)
    }

    /// The value of `XDG_MUSIC_DIR="$HOME/Music"`.
    package static func musicFolder(inUserDirs text: String, home: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) {
            guard let parts = line.splitFirst("="), parts.first.trimmed == "XDG_MUSIC_DIR" else { continue }
            var value = parts.last.trimmed
            if value.hasPrefix("\""), value.hasSuffix("\""), value.count > 1 {
                value = String(value.dropFirst().dropLast())
            }
            if value == "$HOME" || value == "$HOME/" { return nil }  // How desktops write that there is none.
            if value.hasPrefix("$HOME/") { value = home + value.dropFirst(5) }
            return value.hasPrefix("/") ? value : nil
        }
        return nil
    }
}
