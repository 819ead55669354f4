package import ArgumentParser
internal import AudioTypes
internal import ValueText

/// The arguments of `segue play`.
package struct PlayOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("Files, playlists, folders or URLs; - is media on standard input.", valueName: "file"),
        completion: .file()
    )
    package var locations: [String] = []

    @OptionGroup(title: "What is played")
    package var selection: SelectionOptions

    @OptionGroup(title: "How it sounds")
    package var sound: SoundOptions

    @OptionGroup(title: "Where it goes")
    package var output: OutputOptions

    @OptionGroup(title: "Streams")
    package var stream: StreamingOptions

    @OptionGroup(title: "What is shown")
    package var display: DisplayOptions

    @Flag(help: "Let this machine's segued play it, instead of its queue, and return at once.")
    package var background = false

    package init() {}

    package func validate() throws {
        if locations.isEmpty, selection.playlist.isEmpty {
            throw ValidationError("nothing to play: name a file, folder, playlist or URL")
        }
        if let empty = (locations + selection.playlist).first(where: \.isEmpty) {
            throw ValidationError("a file's name cannot be empty: '\(empty)'")
        }
        if (locations + selection.playlist).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once")
        }
        if display.json, output.output == .standardOutput {
            throw ValidationError("--json and --output pipe:- both write to standard output")
        }
        if output.force, !output.output.makesFiles, stream.record == nil {
            throw ValidationError("--force goes with --output file: and dir:, and with --record only")
        }
        if case .folder = output.output { try validateForFolder() }
        if background { try validateInBackground() }
    }

    /// Rejects options of which files of single items know nothing.
    private func validateForFolder() throws {
        let other = [
            ("--loop", selection.loop != nil), ("--resume", selection.resume), ("--sleep", selection.sleep != nil),
            ("--record", stream.record != nil), ("--video", display.showsFilms), ("--cover", display.pictures.cover),
        ]
        if let option = other.first(where: \.1)?.0 { throw ValidationError("\(option) does not go with --output dir:") }
    }

    /// Rejects options that the server cannot apply to a background playback.
    private func validateInBackground() throws {
        let own = [
            ("--output", output.output != .usual), ("--device", output.device != nil),
            ("--server", output.server != nil), ("--volume", sound.volume != .full),
            ("--replaygain", sound.replayGain != .off), ("--no-gapless", !sound.gapless),
            ("--audio-track", selection.audioTrack != .automatic), ("--resume", selection.resume),
            ("--sleep", selection.sleep != nil), ("--json", display.json),
            ("--no-mpris", !display.mpris), ("--inhibit-sleep", display.inhibitSleep), ("--video", display.showsFilms),
            ("--cover", display.pictures.cover),
            ("--buffer", stream.buffer != nil), ("--reconnect-for", stream.reconnectFor != nil),
            ("--first-contact", stream.firstContact != nil),
            ("--max-bitrate", stream.maxBitrate != nil), ("--record", stream.record != nil),
            ("--stream-log", stream.streamLog != nil), ("--insecure", stream.request.insecure),
            ("--header", !stream.request.header.isEmpty), ("--user-agent", stream.request.userAgent != nil),
        ]
        if let option = own.first(where: \.1)?.0 { throw ValidationError("\(option) does not go with --background") }
        if readsStandardInput { throw ValidationError("standard input cannot be played in the background") }
    }

    /// Whether media or a playlist is read from standard input, which then has no keys.
    package var readsStandardInput: Bool { (locations + selection.playlist).contains("-") }
}

/// The options of `play` for its display.
package struct DisplayOptions: ParsableArguments, Sendable {
    @Flag(name: [.short, .long], help: "Show nothing but errors.")
    package var quiet = false

    @Flag(inversion: .prefixedNo, help: ArgumentHelp("Obey media keys and desktops, over the user's D-Bus."))
    package var mpris = true

    @Flag(help: "Keep the machine awake while it plays.")
    package var inhibitSleep = false

    @Flag(help: "Print events as JSON, one per line; see segue-json(7).")
    package var json = false

    @Option(
        help: ArgumentHelp("With --json, also print the position this often.", valueName: "seconds"),
        transform: { try NumberArgument.parse($0, in: 0.1...3600, unit: "s") }
    )
    package var interval: Double?

    @Flag(help: "Show a film's moving pictures in the terminal.")
    package var video = false

    @Option(
        help: ArgumentHelp(
            "Show this video track of films: auto, a number from 1, a language, or the first of several.",
            valueName: "n|lang"
        ),
        completion: .list(["auto", "1", "2", "en", "de", "fr", "es", "ja"]),
        transform: TrackOption.init(parsing:)
    )
    package var videoTrack: TrackOption?

    /// Whether moving pictures are shown.
    package var showsFilms: Bool { video || videoTrack != nil }

    @OptionGroup
    package var pictures: CoverOptions

    package init() {}

    package func validate() throws {
        if quiet || json, showsFilms || pictures.cover {
            throw ValidationError("--video and --cover go with neither --quiet nor --json")
        }
        if quiet, json { throw ValidationError("--quiet and --json exclude each other") }
        if interval != nil, !json { throw ValidationError("--interval goes with --json only") }
    }
}
