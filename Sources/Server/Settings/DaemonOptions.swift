package import ArgumentParser
internal import LineProtocol
internal import Verbs

/// The options of `segued`.
package struct DaemonOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Configuration (default: ~/.config/segue/segued.toml, else /etc/segue/segued.toml).",
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    package var config: String?

    @Option(help: ArgumentHelp("Run from MPD's configuration instead.", valueName: "file"), completion: .file())
    package var mpdConf: String?

    @Flag(help: "Say what is wrong with the configuration, and exit.")
    package var checkConfig = false

    @Flag(help: "Say where everything is kept, and exit.")
    package var paths = false

    @Option(help: ArgumentHelp("Where the music is.", valueName: "folder"), completion: .directory)
    package var musicDir: String?

    @Option(help: ArgumentHelp("Where stored playlists are.", valueName: "folder"), completion: .directory)
    package var playlistDir: String?

    @Option(
        help: ArgumentHelp("Where the queue and other state are kept.", valueName: "folder"),
        completion: .directory
    )
    package var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "Wait for clients here: unix:PATH, @NAME, tcp:HOST:PORT or tcp::PORT, perhaps with '= ZONE'. Repeatable.",
            valueName: "address"
        ),
        completion: .list(["unix:", "tcp:127.0.0.1:6600", "tcp::6600"]),
        transform: Listener.init(parsing:)
    )
    package var listen: [Listener] = []

    @Option(
        help: ArgumentHelp(
            "Play to pulse, null, null:fast, file:PATH, pipe:PATH or fifo:PATH. Repeatable.",
            valueName: "output"
        ),
        completion: .list(["pulse", "null", "null:fast", "file:", "pipe:", "fifo:"]),
        transform: Output.Kind.init(parsing:)
    )
    package var output: [Output.Kind] = []

    @Option(
        help: ArgumentHelp(
            "A password, perhaps with what it permits: 'secret@read,add'. Repeatable. Other users can see it.",
            valueName: "password"
        ),
        transform: Password.init(argument:)
    )
    package var password: [Password] = []

    @Option(help: "Log this and what is more important.")
    package var logLevel: LogLevel?

    @Option(help: "How log lines are written.")
    package var logFormat: LogFormat?

    package init() {}

    package func validate() throws {
        if config != nil, mpdConf != nil { throw ValidationError("--config and --mpd-conf exclude each other") }
    }
}

extension Password {
    /// `SECRET`, or `SECRET@PERMISSION,…`.
    init(argument text: String) throws(ArgumentProblem) {
        if let parts = text.splitLast("@"), !parts.last.isEmpty, let permissions = Permissions(parsing: parts.last) {
            self.init(String(parts.first), permissions: permissions)
        } else {
            self.init(text)
        }
        guard !self.text.isEmpty else { throw ArgumentProblem("a password is not empty") }
    }
}
