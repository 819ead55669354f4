package import ArgumentParser

/// The options of `setup`, which `segue` declares and `segued` carries out.
package struct SetupOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The music folder.", valueName: "folder"), completion: .directory)
    package var music: String?

    @Option(
        help: ArgumentHelp("Who runs the server: user, system or none.", valueName: "who"),
        completion: .list(["user", "system", "none"])
    )
    package var service: String?

    @Option(
        help: ArgumentHelp("Where the sound goes: auto, pulse or alsa:DEVICE.", valueName: "output"),
        completion: .list(["auto", "pulse", "alsa:"])
    )
    package var sound: String?

    @Option(
        help: ArgumentHelp("Who may connect: off (this machine), lan or password.", valueName: "who"),
        completion: .list(["off", "lan", "password"])
    )
    package var network: String?

    @Option(
        help: ArgumentHelp("Home Assistant's address: its voices are heard over the music.", valueName: "host"),
        completion: .default
    )
    package var homeAssistant: String?

    @Flag(help: "Stop mpd for good, and import its queue and playlists.")
    package var replaceMpd = false

    @Flag(help: "Run a user's server without the user being logged in, too.")
    package var linger = false

    @Option(
        help: ArgumentHelp("Write this file; with --service none.", valueName: "file"),
        completion: .file(extensions: ["toml"])
    )
    package var config: String?

    @Flag(help: "Only show what would be done.")
    package var dryRun = false

    @Flag(name: [.long, .customShort("y")], help: "Ask nothing.")
    package var yes = false

    @Flag(help: "Undo what earlier setups have done.")
    package var undo = false

    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    package func validate() throws {
        if json, !dryRun, !yes { throw ValidationError("--json needs --dry-run or --yes, because it asks nothing") }
        if undo, [music, service, sound, network, homeAssistant].contains(where: { $0 != nil }) || replaceMpd || linger
        {
            throw ValidationError("--undo takes back all that was done, and no other options")
        }
    }
}

extension CommandConfiguration {
    package static let setup = CommandConfiguration(
        commandName: "setup",
        abstract: "Set up a server: music, sound, service, network.",
        usage: "segue setup [<options>]",
        discussion: """
            It asks what the options leave open, shows the files that it would write \
            and the commands that it would run, and asks before it does that. What the \
            configuration says already stays.

            Examples:
              segue setup
              segue setup --yes --music ~/Music --network lan --linger
              sudo segue setup --service system --music /srv/music
              segue setup --undo
            """
    )
}
