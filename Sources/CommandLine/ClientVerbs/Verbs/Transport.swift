import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings
import ValueText

struct StatusVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "status",
        "Show the current song and the player's state.",
        "[<status format>]",
        discussion: """
            A status format is mpc's: it may contain %state%, %currenttime%, %totaltime%, %percenttime%, %songpos%,
            %length%, %volume%, %repeat%, %random%, %single% and %consume%, and here also what --format may contain.
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var pictures: CoverOptions
    @Argument(help: "The format of the status.") var statusFormat: String?

    func run(on session: Session) throws {
        let (status, song) = try session.statusAndSong()
        let report = StatusReport(
            status: status,
            song: song,
            format: session.options.songFormat,
            stream: try session.streamRemark(status, song)
        )
        if let statusFormat {
            session.console.print(SongFormat(statusFormat).text(report.value))
        } else if let song,
            let cover = try CoverDisplay(pictures, session.console)?.picture(of: song, session.connection)
        {
            session.console.print(report, beside: cover)
        } else {
            session.console.print(report)
        }
    }
}

struct CurrentVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("current", "Show the current song.")
    @OptionGroup(title: "The server") var server: ServerOptions
    @Flag(name: [.short, .long], help: "First wait until another song plays, or until playing starts or ends.")
    var wait = false

    func run(on session: Session) throws {
        var (status, song) = try session.statusAndSong()
        if wait {
            let before = (status.state, status.songID)
            while (status.state, status.songID) == before {
                _ = try session.connection.idle(["player"])
                (status, song) = try session.statusAndSong()
            }
        }
        guard status.state != .stopped, let song else { return }
        session.console.printSong(song, session.options.songFormat ?? .usual)
    }
}

struct QueuedVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("queued", "Show the song that plays next.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        guard let next = try session.status().nextPosition else { return }
        for song in try session.run("playlistinfo", String(next)).songs {
            session.console.printSong(song, session.options.songFormat ?? .usual)
        }
    }
}

extension Console {
    mutating func printSong(_ song: RemoteSong, _ format: SongFormat) {
        if form == .json { print(song.json) } else { print(song.text(format)) }
    }
}

/// `segue play` without a file.
struct PlayVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "play",
        "Make the server resume, or play from a place in the queue.",
        "[<n>]",
        discussion:
            "With a file, 'segue play' plays it here in the foreground; 'segue add --play' lets the server play it."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("A place in the queue, from 1.", valueName: "n")) var place: QueuePlace?

    func change(_ session: Session) throws {
        guard let place else { return try start(session) }
        try jump(to: place, session)
    }

    private func start(_ session: Session) throws {
        let status = try session.status()
        // In some old servers `play` alone restarts a paused song.
        if status.state == .paused { try session.run("pause", "0") } else { try session.run("play") }
    }
}

private func jump(to place: QueuePlace, _ session: Session) throws {
    if place.number > 0 {
        try session.run("play", String(place.number - 1))
    } else {
        try session.run("seekcur", "0")
    }
}

struct JumpVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "jump",
        "Play from a place in the queue; 'segue play <n>' is the same.",
        "<n>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("The place, from 1; 0 begins the current song again.", valueName: "n"))
    var place: QueuePlace

    func change(_ session: Session) throws { try jump(to: place, session) }
}

struct PauseVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("pause", "Pause.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("pause", "1") }
}

struct PauseIfPlayingVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "pause-if-playing",
        "Pause; fail if nothing plays.",
        isShown: false
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws {
        guard try session.status().state == .playing else { throw ExitStatus.someFailed.exitCode }
        try session.run("pause", "1")
    }
}

struct ToggleVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("toggle", "Pause or go on; play if stopped.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws {
        switch try session.status().state {
        case .playing: try session.run("pause", "1")
        case .paused: try session.run("pause", "0")
        case .stopped: try session.run("play")
        }
    }
}

struct StopVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("stop", "Stop.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("stop") }
}

struct NextVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("next", "Play the next song.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("next") }
}

struct PreviousVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("prev", "Play the previous song.", aliases: ["previous"])
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("previous") }
}

struct DiscPreviousVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "cdprev",
        "Begin the song again; in its first seconds, play the previous one."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    /// Seconds.
    private static let beginning = 3.0

    func change(_ session: Session) throws {
        if try session.status().elapsed ?? 0 < Self.beginning {
            try session.run("previous")
        } else {
            try session.run("seekcur", "0")
        }
    }
}

struct SeekVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "seek",
        "Go to another time of the song.",
        "[+|-]<time>|<n>%|live",
        discussion: """
            Examples:
              segue seek 1:30
              segue seek live            of a live stream, to what is sent now
              segue seek +10             10 seconds forward
              segue seek -1:00           a minute back
              segue seek 50%             to its middle
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("90, 1:30, 1:02:03, 1h30m or 40%; with + or - before it, from here.", valueName: "time")
    )
    var words: [String]

    private var target: SeekTarget {
        get throws {
            guard words.count == 1 else { throw ValidationError("one time is needed, such as 1:30, +10 or 50%") }
            do {
                return try SeekTarget(parsing: words[0])
            } catch {
                throw ValidationError("The value '\(words[0])' is invalid for '<time>': \(error)")
            }
        }
    }

    func validate() throws { if words != ["live"] { _ = try target } }

    func change(_ session: Session) throws {
        let status = try session.status()
        guard status.state != .stopped else { throw session.fail("nothing is playing, so it cannot seek") }
        if words == ["live"] {
            try session.run("seekcur", "live")
            return
        }
        guard let argument = try target.argument(elapsed: status.elapsed ?? 0, duration: status.duration) else {
            throw session.fail("the duration of this song is unknown, so it cannot seek to a percentage")
        }
        try session.run("seekcur", argument)
    }
}

struct VolumeVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "volume",
        "Show or change the volume.",
        "[[+|-]<n>]",
        aliases: ["vol"]
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("0 to 100, or a step such as +5 or -5.", valueName: "n")
    )
    var words: [String] = []

    private var volume: VolumeArgument? {
        get throws {
            guard let word = words.first else { return nil }
            guard words.count == 1 else { throw ValidationError("unexpected argument '\(words[1])'") }
            do {
                return try VolumeArgument(parsing: word)
            } catch {
                throw ValidationError("The value '\(word)' is invalid for '<n>': \(error)")
            }
        }
    }

    func validate() throws { _ = try volume }

    func run(on session: Session) throws {
        guard try volume != nil else { return try show(session) }
        try change(session)
        try session.showStatusAfterChange()
    }

    func change(_ session: Session) throws {
        guard let volume = try volume else { return }
        var percent = volume.percent
        if volume.isStep {
            guard let now = try session.status().volume else {
                throw session.fail("none of this zone's outputs has a volume control")
            }
            // MPD refuses a step beyond the limits.
            percent = max(0, min(100, now + percent))
        }
        try session.run("setvol", String(percent))
    }

    private func show(_ session: Session) throws {
        let volume = try session.status().volume
        switch session.console.form {
        case .json: session.console.print(.object([.init("volume", .optional(volume))]))
        case .terminal: session.console.print(volume.map { "\($0)%" } ?? "no output has a volume control")
        case .plain: session.console.print(volume.map { "volume:\(padded($0))%" } ?? "volume: n/a")
        }
    }

    private func padded(_ number: Int) -> String {
        String(repeating: " ", count: 3 - "\(number)".count) + "\(number)"
    }
}

struct SpeedVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "speed",
        "Show or change the speed; the pitch is kept.",
        "[<factor>]",
        discussion: "MPD has no speed; only segued has."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        help: ArgumentHelp("0.25 to 4; 1 is normal.", valueName: "factor"),
        transform: { try NumberArgument.parse($0, in: 0.25...4, unit: "x") }
    )
    var factor: Double?

    func run(on session: Session) throws {
        guard factor != nil else {
            let reply = try session.run("speed")
            return try session.showSetting("speed", reply["speed"] ?? "1")
        }
        try change(session)
        try session.showStatusAfterChange()
    }

    func change(_ session: Session) throws {
        if let factor { try session.run("speed", brief(factor)) }
    }
}

struct ClearErrorVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("clearerror", "Clear the error that the status shows.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("clearerror") }
}
