package import ArgumentParser

/// The options of `config paths` and `config check`, which `segue` declares and `segued` carries out.
package struct ConfigOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The configuration to use (default: the one segued would read).", valueName: "file"),
        completion: .file(extensions: ["toml"])
    )
    package var config: String?

    @Option(help: ArgumentHelp("MPD's configuration instead.", valueName: "file"), completion: .file())
    package var mpdConf: String?

    package init() {}
}

extension CommandConfiguration {
    package static func config(subcommands: [any ParsableCommand.Type]) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "config",
            abstract: "Show where the daemon keeps everything, and check its configuration.",
            usage: "segue config paths|check [<options>]",
            subcommands: subcommands
        )
    }

    package static let configPaths = CommandConfiguration(
        commandName: "paths",
        abstract: "Show where the configuration, music, playlists, state, cache and sockets are.",
        usage: "segue config paths [<options>]"
    )

    package static let configCheck = CommandConfiguration(
        commandName: "check",
        abstract: "Report all errors in the configuration at once.",
        usage: "segue config check [<options>]"
    )
}
