import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings
import ValueText

extension Session {
    /// Shows one setting: `crossfade: 3` as in mpc, or JSON.
    func showSetting(_ name: String, _ value: String) throws {
        switch console.form {
        case .json:
            let number = Double(value).map { $0 == $0.rounded() ? JSON.integer(Int(saturating: $0)) : JSON.number($0) }
            console.print(.object([.init(name, number ?? .string(value))]))
        case .terminal, .plain: console.print("\(name): \(value)")
        }
    }

    /// Sets a switch, or toggles it.
    func set(_ command: String, to value: Switch?, now isOn: (ServerStatus) -> Bool) throws {
        if let value {
            _ = try run(command, value.word)
            return
        }
        _ = try run(command, isOn(try status()) ? "0" : "1")
    }
}

struct RepeatVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "repeat",
        "Repeat the queue after its end; without on or off, toggle that.",
        "[on|off]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "on or off.", completion: .list(["on", "off"]), transform: Switch.parse) var value: Switch?

    func change(_ session: Session) throws { try session.set("repeat", to: value) { $0.repeat } }
}

struct RandomVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "random",
        "Play in random order; without on or off, toggle that.",
        "[on|off]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "on or off.", completion: .list(["on", "off"]), transform: Switch.parse) var value: Switch?

    func change(_ session: Session) throws { try session.set("random", to: value) { $0.random } }
}

struct SingleVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "single",
        "Stop after each song (repeat it, with repeat on); once: after this one only.",
        "[on|once|off]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "on, once or off.", completion: .list(["on", "once", "off"]), transform: Switch.parseOrOnce)
    var value: Switch?

    func change(_ session: Session) throws { try session.set("single", to: value) { $0.single != "0" } }
}

struct ConsumeVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "consume",
        "Remove songs from the queue once they were played; once: this one only.",
        "[on|once|off]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "on, once or off.", completion: .list(["on", "once", "off"]), transform: Switch.parseOrOnce)
    var value: Switch?

    func change(_ session: Session) throws { try session.set("consume", to: value) { $0.consume != "0" } }
}

struct CrossfadeVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "crossfade",
        "Show or set how long songs overlap.",
        "[<seconds>]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    // A negative number looks like an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("0 to 60; 0 turns it off.", valueName: "seconds"))
    var words: [String] = []

    private func seconds() throws -> Double? {
        guard words.count <= 1 else { throw ValidationError("an overlap is one number of seconds") }
        do {
            return try words.first.map { try NumberArgument.parse($0, in: 0...60, unit: "s") }
        } catch {
            throw ValidationError("an overlap is a number of seconds from 0 to 60: '\(words[0])'")
        }
    }

    func validate() throws { _ = try seconds() }

    func run(on session: Session) throws {
        guard let seconds = try seconds() else {
            return try session.showSetting("crossfade", brief(try session.status().crossfade ?? 0))
        }
        try session.run("crossfade", brief(seconds.rounded()))
        try session.showStatusAfterChange()
    }
}

struct MixRampDecibelsVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "mixrampdb",
        "Show or set the level at which songs with MixRamp tags overlap.",
        "[<dB>]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("Decibels, 0 or less.", valueName: "dB")) var words:
        [String] = []

    func validate() throws {
        guard words.count <= 1, words.allSatisfy({ Double($0).map { $0 <= 0 && $0 >= -200 } ?? false }) else {
            throw ValidationError("a level is a number of decibels from -200 to 0")
        }
    }

    func run(on session: Session) throws {
        if let level = words.first {
            _ = try session.run("mixrampdb", level)
            return
        }
        try session.showSetting("mixrampdb", brief(try session.status().mixRampDecibels ?? 0))
    }
}

struct MixRampDelayVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "mixrampdelay",
        "Show or set the time added to MixRamp's overlap; off ends MixRamp.",
        "[<seconds>|off]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("Seconds, or off.", valueName: "seconds"))
    var words: [String] = []

    private var value: String? {
        words.first.map { $0 == "off" || $0.hasPrefix("-") || $0 == "nan" ? "nan" : $0 }
    }

    func validate() throws {
        guard words.count <= 1, value == nil || value.flatMap({ Double($0) }) != nil else {
            throw ValidationError("a delay is a number of seconds, or off")
        }
    }

    func run(on session: Session) throws {
        if let value {
            _ = try session.run("mixrampdelay", value)
            return
        }
        try session.showSetting("mixrampdelay", try session.status().mixRampDelay.map(brief) ?? "off")
    }
}

struct ReplayGainVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "replaygain",
        "Show or set the ReplayGain mode.",
        "[off|track|album|auto]"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "off, track, album or auto.", completion: .list(["off", "track", "album", "auto"])) var mode:
        String?

    func validate() throws {
        if let mode, !["off", "track", "album", "auto"].contains(mode) {
            throw ValidationError("modes are off, track, album and auto: '\(mode)'")
        }
    }

    func run(on session: Session) throws {
        if let mode {
            _ = try session.run("replay_gain_mode", mode)
            return
        }
        let reply = try session.run("replay_gain_status")
        try session.showSetting("replay_gain_mode", reply["replay_gain_mode"] ?? "off")
    }
}
