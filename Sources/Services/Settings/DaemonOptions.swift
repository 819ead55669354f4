package import ArgumentParser
internal import LineProtocol
package import ValueText

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

    @Flag(help: "Report all errors in the configuration, and exit.")
    package var checkConfig = false

    @Flag(help: "Print the paths of all files and folders, and exit.")
    package var paths = false

    @Flag(help: "Print the methods of segue-api(7) as a document of OpenRPC, and exit.")
    package var describe = false

    @Option(help: ArgumentHelp("The music directory.", valueName: "folder"), completion: .directory)
    package var musicDir: String?

    @Option(help: ArgumentHelp("The folder of stored playlists.", valueName: "folder"), completion: .directory)
    package var playlistDir: String?

    @Option(
        help: ArgumentHelp("The folder of the queue and other state.", valueName: "folder"),
        completion: .directory
    )
    package var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "Listen at unix:PATH, @NAME, tcp:HOST:PORT or tcp::PORT (tls: encrypted), optionally with '= ZONE'. Repeatable.",
            valueName: "address"
        ),
        completion: .list(["unix:", "tcp:127.0.0.1:6600", "tcp::6600"]),
        transform: Listener.init(parsing:)
    )
    package var listen: [Listener] = []

    @Option(
        help: ArgumentHelp(
            "Listen for HTTP at an address of the same form, or at 'none'. Repeatable.",
            valueName: "address"
        ),
        completion: .list(["none", "tcp:127.0.0.1:6680", "tcp::6680", "unix:"]),
        transform: WebAddress.init(parsing:)
    )
    package var webListen: [WebAddress] = []

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
            "A password, optionally with permissions: 'secret@read,add'. Repeatable. Other users can see it.",
            valueName: "password"
        ),
        transform: Password.init(argument:)
    )
    package var password: [Password] = []

    @Option(help: "The lowest severity to log.")
    package var logLevel: LogLevel?

    @Option(help: "The format of log lines.")
    package var logFormat: LogFormat?

    package init() {}

    package func validate() throws {
        if config != nil, mpdConf != nil { throw ValidationError("--config and --mpd-conf exclude each other") }
    }
}

/// An address to listen at for HTTP, or `none`.
package struct WebAddress: Sendable, Hashable {
    /// `nil` for none.
    package let listener: Listener?

    package init(parsing text: String) throws(ArgumentProblem) {
        listener = text == "none" ? nil : try Listener(parsing: text)
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
