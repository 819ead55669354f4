package import ArgumentParser

/// The options of `import-mpd`, which `segue` declares and `segued` carries out.
package struct ImportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("MPD's configuration (default: the first that is in a usual place).", valueName: "file"),
        completion: .file()
    )
    package var mpdConf: String?

    @Option(help: ArgumentHelp("MPD's state file.", valueName: "file"), completion: .file())
    package var stateFile: String?

    @Option(help: ArgumentHelp("MPD's sticker database.", valueName: "file"), completion: .file())
    package var stickerFile: String?

    @Option(help: ArgumentHelp("MPD's folder of playlists.", valueName: "folder"), completion: .directory)
    package var playlistDir: String?

    @Flag(help: "Replace what the server has already.")
    package var replace = false

    @Flag(help: "Resume playback if MPD was playing.")
    package var play = false

    @Flag(help: "Only show what would be imported, without a server.")
    package var dryRun = false

    @Flag(help: "List each song and sticker that cannot be imported.")
    package var verbose = false

    @OptionGroup(title: "The server") package var server: ServerOptions

    package init() {}
}

extension CommandConfiguration {
    package static let importMPD = CommandConfiguration(
        commandName: "import-mpd",
        abstract: "Import MPD's queue, options, outputs, playlists and stickers.",
        usage: "segue import-mpd [<options>]",
        discussion: """
            It reads the files that mpd.conf names, and gives what is in them to a running server. What the server has \
            already stays as it is, and nothing begins to play, unless --replace and --play say otherwise. MPD's files \
            are not touched.

            Examples:
              segue import-mpd --dry-run
              segue import-mpd --mpd-conf /etc/mpd.conf --play
              segue import-mpd --playlist-dir ~/.config/mpd/playlists
            """
    )
}
