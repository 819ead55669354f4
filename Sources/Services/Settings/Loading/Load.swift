/// A configuration, and where it came from.
package struct LoadedConfiguration: Sendable, Hashable {
    package let configuration: Configuration
    /// The file it was read from; `nil` for none.
    package let file: String?
    /// To be reported once.
    package let warnings: [ConfigurationProblem]
}

extension Configuration {
    /// The configuration that a command line selects.
    ///
    /// Read from the file that `options` name, else from the first usual file that exists; options override the file.
    ///
    /// - Throws: All errors found.
    package static func load(
        _ options: DaemonOptions,
        in environment: ProcessEnvironment = .process
    ) throws(ConfigurationFailure) -> LoadedConfiguration {
        try Source(options, environment).load(options, environment)
    }

    /// Reads an mpd.conf, without any options.
    package static func load(
        mpdConf file: String,
        in environment: ProcessEnvironment = .process
    ) throws(ConfigurationFailure) -> LoadedConfiguration {
        try Source(path: file, language: .mpd, content: Source.existing(file)).load(nil, environment)
    }

    /// Parses a text as the content of `file`, without any options.
    package static func parse(
        _ text: String,
        file: String,
        in environment: ProcessEnvironment
    ) throws(ConfigurationFailure) -> LoadedConfiguration {
        try Source(path: file, language: .toml, content: TextFile(text: text)).load(nil, environment)
    }
}

/// The source of a configuration.
private struct Source {
    enum Language {
        case toml
        case mpd
    }

    /// The path as messages show it.
    var path: String?
    var language = Language.toml
    var content: TextFile?

    init(path: String?, language: Language, content: TextFile?) {
        self.path = path
        self.language = language
        self.content = content
    }

    /// The file that the options name, which must exist, or the first of the usual files that exists.
    init(_ options: DaemonOptions, _ environment: ProcessEnvironment) throws(ConfigurationFailure) {
        if let named = options.config ?? options.mpdConf {
            path = named
            language = options.config == nil ? .mpd : .toml
            content = try Self.existing(named)
            return
        }
        for candidate in StandardPaths(environment).configurationFiles {
            guard let found = try Self.read(candidate) else { continue }
            path = candidate
            content = found
            return
        }
    }

    static func existing(_ path: String) throws(ConfigurationFailure) -> TextFile {
        guard let file = try read(path) else {
            throw ConfigurationFailure([ConfigurationProblem(file: path, "there is no such file")])
        }
        return file
    }

    private static func read(_ path: String) throws(ConfigurationFailure) -> TextFile? {
        do {
            return try TextFile(path)
        } catch {
            switch error {
            case .missing: return nil
            case .unreadable(let reason):
                throw ConfigurationFailure([ConfigurationProblem(file: path, "it cannot be read: \(reason)")])
            }
        }
    }

    func load(
        _ options: DaemonOptions?,
        _ environment: ProcessEnvironment
    ) throws(ConfigurationFailure) -> LoadedConfiguration {
        var reading = Reading(file: path, folder: folder(environment), home: environment.home)
        var draft = Draft(configuration: Configuration(defaultsFor: environment))
        if let content {
            switch language {
            case .toml: draft.read(content.text, &reading)
            case .mpd: draft.read(mpdConf: content.text, &reading)
            }
        }
        options?.apply(to: &draft, in: environment)
        let hasSecrets = draft.passwords.contains { $0.line != nil } || draft.hasOutputPassword
        var configuration = draft.finished(&reading)
        if let content, hasSecrets, content.mode & 0o004 != 0 {
            configuration.readablePasswordFile = path
            reading.warnOfFile("every user of this machine can read the passwords in it; chmod 600 prevents that")
        }
        let problems = reading.problems.sorted { ($0.line ?? .max) < ($1.line ?? .max) }
        guard reading.isUsable else { throw ConfigurationFailure(problems) }
        return LoadedConfiguration(configuration: configuration, file: path, warnings: problems)
    }

    /// The absolute path of the folder that contains the file.
    private func folder(_ environment: ProcessEnvironment) -> String {
        let current = environment.currentDirectory
        guard let parts = path?.splitLast("/") else { return current }
        let folder = String(parts.first)
        if path?.hasPrefix("/") == true { return folder }
        return current + "/" + folder
    }
}

extension Draft {
    /// Reads segued.toml.
    mutating func read(_ toml: String, _ reading: inout Reading) {
        do {
            let root = try TOMLParser.parse(toml)
            Schema.main.read(root, named: nil, into: &self, &reading)
        } catch {
            reading.error(error.line, error.text)
        }
    }
}

extension DaemonOptions {
    /// Overrides settings of the file.
    fileprivate func apply(to draft: inout Draft, in environment: ProcessEnvironment) {
        let reading = Reading(file: nil, folder: environment.currentDirectory, home: environment.home)
        if let musicDir { draft.configuration.musicDirectory = reading.path(musicDir) }
        if let playlistDir { draft.playlistDirectory = reading.path(playlistDir) }
        if let stateDir { draft.stateDirectory = reading.path(stateDir) }
        func located(_ listener: Listener) -> Located<Listener> {
            var listener = listener
            listener.resolve(reading)
            return Located(line: nil, value: listener)
        }
        if !listen.isEmpty {
            draft.listeners = listen.map(located)
            // Those who choose the addresses themselves get no others.
            draft.web.listeners = draft.web.listeners ?? []
        }
        if !webListen.isEmpty { draft.web.listeners = webListen.compactMap(\.listener).map(located) }
        if !output.isEmpty { draft.replaceOutputs(with: output.map { $0.mapPath(reading.path) }) }
        if !password.isEmpty { draft.passwords = password.map { Located(line: nil, value: $0) } }
        if let logLevel { draft.configuration.logLevel = logLevel }
        if let logFormat { draft.configuration.logFormat = logFormat }
    }
}

extension Draft {
    /// Replaces the default zone's outputs.
    fileprivate mutating func replaceOutputs(with kinds: [Output.Kind]) {
        for index in zones.indices where zones[index].value.name == ZoneSettings.defaultName {
            zones[index].value.outputs = []
        }
        var counts: [String: Int] = [:]
        outputs = kinds.map { kind in
            counts[kind.plugin, default: 0] += 1
            let count = counts[kind.plugin, default: 1]
            let name = kind == .pulse && count == 1 ? Output.soundServer.name : kind.plugin
            let output = Output(
                name: count == 1 ? name : "\(name) \(count)",
                kind: kind
            )
            return Located(line: nil, value: output)
        }
    }
}
