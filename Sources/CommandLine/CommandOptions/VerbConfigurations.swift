package import ArgumentParser

/// The help of the verbs, which is the same whether `segue` or its sibling parses the command line.
extension CommandConfiguration {
    package static let play = CommandConfiguration(
        commandName: "play",
        abstract: "Play files, folders, playlists and URLs.",
        usage: """
            segue play [<options>] <file> ...
            segue play [--host <host>] [--zone <zone>] [<n>]
            """,
        discussion: """
            With files, it plays them here, in the foreground. Without, it lets the server play: on, or from place <n> of
            its queue, as 'segue jump <n>' does. (A file whose name is a number is ./3.)

            Examples:
              segue play album/                          a folder, in natural order
              segue play --shuffle --loop mix.m3u8       a playlist, for ever
              segue play --start 1:30 --speed 1.5 talk.opus
              segue play --resume --sleep 30m book.m4b
              segue play --output file:out.flac a.mp3 b.m4a
              segue play --background album/            the server plays it
              segue play https://radio.example/listen.pls
              segue play --resume --speed 1.3 https://pod.example/episode.mp3
              segue play --buffer 60 --reconnect-for forever https://tv.example/live.m3u8
              curl -s https://example.org/a.mp3 | segue play -

            On a terminal, ? shows the keys.
            """
    )

    package static let probe = CommandConfiguration(
        commandName: "probe",
        abstract: "Show what media files contain.",
        usage: "segue probe [--json] <file> ...",
        discussion: """
            Examples:
              segue probe song.m4a
              segue probe --json *.flac | jq .duration
              segue probe https://radio.example/live
            """
    )

    package static let devices = CommandConfiguration(
        commandName: "devices",
        abstract: "List the sound server's sinks.",
        usage: "segue devices [--server <address>] [--json | --names]",
        discussion: """
            Examples:
              segue devices
              segue play --device "$(segue devices --names | head -n 1)" song.flac
            """
    )

    package static let discover = CommandConfiguration(
        commandName: "discover",
        abstract: "List the servers on this network.",
        usage: "segue discover [--timeout <seconds>] [--json | --names | --name <name>]",
        discussion: """
            Servers that listen for other machines announce themselves by Zeroconf; avahi-daemon finds them.

            Examples:
              segue discover
              segue --host "Segue on pi" status      a name from the list
            """
    )

    package static let thumbnail = CommandConfiguration(
        commandName: "thumbnail",
        abstract: "Make small pictures of pictures, films and covers.",
        usage: "segue thumbnail [<options>] <file or folder> ...",
        discussion: """
            Pictures are turned upright and in sRGB. Each file is decoded in a sandbox, which can open nothing else.

            Examples:
              segue thumbnail photo.heic -o photo.jpg
              segue thumbnail --size 640 ~/Pictures -o small/     a whole folder
              segue thumbnail film.mkv --at 1:02 --exact
              segue thumbnail film.mkv --strip 8 -o strip.jpg
            """
    )

    /// The root command's configuration; `version` answers `--version`.
    package static func root(
        version: String,
        subcommands: [any ParsableCommand.Type],
        groups: [CommandGroup] = []
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "segue",
            abstract: "Play media without a gap: here, or on a server.",
            usage: "segue <verb> [<options>] ...",
            discussion: """
                Examples:
                  segue play album/             play a folder, here
                  segue probe song.m4a          show what a file contains
                  segue status                  show what the server plays
                  segue add --play URL          let the server play something
                  segue watch                   watch it play
                  segue doctor                  find out why it does not
                  segue seek --help             a verb's options

                The server is segued or any other that speaks MPD's protocol; mpc's words for it work, too.
                The manual is segue(1).
                """,
            version: version,
            subcommands: subcommands,
            groupedSubcommands: groups
        )
    }
}
