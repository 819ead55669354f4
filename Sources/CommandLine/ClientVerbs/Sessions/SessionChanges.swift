import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings

/// The options of a session's category: category, mode, options, policy.
struct CategoryOptions: ParsableArguments {
    static let categories = ["ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute"]
    static let modes = [
        "default", "gameChat", "measurement", "moviePlayback", "spokenAudio", "videoChat", "videoRecording",
        "voiceChat", "voicePrompt",
    ]
    static let optionNames = ["mixWithOthers", "duckOthers", "interruptSpokenAudioAndMixWithOthers"]

    @Option(
        help: ArgumentHelp("What it is within its category, such as spokenAudio or voicePrompt.", valueName: "mode"),
        completion: .list(CategoryOptions.modes)
    )
    var mode: String?

    @Option(
        help: ArgumentHelp("How it treats others, such as mixWithOthers,duckOthers.", valueName: "a,b"),
        completion: .list(CategoryOptions.optionNames)
    )
    var options: String?

    @Option(help: ArgumentHelp("Where it plays, such as longFormAudio.", valueName: "policy")) var policy: String?

    /// The words of the protocol command after the session's number.
    func words(_ category: String) -> [String] {
        var words = [category]
        for (key, value) in [("mode", mode), ("options", options), ("policy", policy)] {
            if let value { words += [key, value] }
        }
        return words
    }
}

extension SessionVerb {
    struct Open: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "open",
            "Make an audio session that stays until it is closed, and print its number.",
            "<name>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its display name.") var name: String

        func run(on session: Session) throws {
            let reply = try session.run("session", "open", name, "persistent")
            guard let id = reply["session"] else { return }
            if session.console.form == .json {
                session.console.print(.object([.init("session", .optional(Int(id)))]))
            } else {
                session.console.print(id)
            }
        }
    }

    struct Close: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session("close", "End an audio session.", "<session>")
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument

        func run(on session: Session) throws { try session.run("session", "close", session.sessionID(target)) }
    }

    struct Category: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "category",
            "Set a session's category; options not given return to their defaults.",
            "<session> <category>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument
        @Argument(help: "playback, ambient and so on.", completion: .list(CategoryOptions.categories))
        var category: String
        @OptionGroup var details: CategoryOptions

        func run(on session: Session) throws {
            let words = ["category", try session.sessionID(target)] + details.words(category)
            try session.connection.run(Request("session", words))
        }
    }

    struct Activate: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "activate",
            "Let a session be heard; others are interrupted or ducked as its category says.",
            "<session>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument

        func run(on session: Session) throws { try session.run("session", "activate", session.sessionID(target)) }
    }

    struct Deactivate: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "deactivate",
            "Deactivate a session; interrupted sessions are told to resume.",
            "<session>"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument
        @Flag(inversion: .prefixedNo, help: "Whether others are told to resume.") var notify = true

        func run(on session: Session) throws {
            let words = ["deactivate", try session.sessionID(target)] + (notify ? ["notifyothers"] : [])
            try session.connection.run(Request("session", words))
        }
    }

    struct Playing: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "playing",
            "Report whether a session's owner makes sound now.",
            "<session> on|off"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument
        @Argument(help: "on or off.") var value: OnOff

        func run(on session: Session) throws {
            try session.run("session", "playing", session.sessionID(target), value.word)
        }
    }

    struct Background: SegueOnlyVerb {
        static let configuration = CommandConfiguration.session(
            "background",
            "Report whether a session's owner is in the background.",
            "<session> on|off"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument
        @Argument(help: "on or off.") var value: OnOff

        func run(on session: Session) throws {
            try session.run("session", "background", session.sessionID(target), value.word)
        }
    }

    struct Prefer: SegueOnlyVerb {
        static let keys = ["noInterruptionsFromSystemAlerts", "interruptionOnRouteDisconnect", "autoResume"]
        static let configuration = CommandConfiguration.session(
            "prefer",
            "Set a preference of a session.",
            "<session> <key> on|off"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var target: SessionArgument
        @Argument(help: "noInterruptionsFromSystemAlerts, ...", completion: .list(Prefer.keys)) var key: String
        @Argument(help: "on or off.") var value: OnOff

        func validate() throws {
            if !Self.keys.contains(key) {
                throw ValidationError("'\(key)' is not one of \(Self.keys.joined(separator: ", "))")
            }
        }

        func run(on session: Session) throws {
            try session.run("session", "prefer", session.sessionID(target), key, value.word)
        }
    }
}

/// `on` or `off`.
enum OnOff: ExpressibleByArgument {
    case on
    case off

    init?(argument: String) {
        guard let value = try? Switch.parse(argument) else { return nil }
        self = value == .on ? .on : .off
    }

    var word: String { self == .on ? "1" : "0" }

    static var allValueStrings: [String] { ["on", "off"] }
}
