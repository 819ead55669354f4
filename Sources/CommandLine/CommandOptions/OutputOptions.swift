package import ArgumentParser
package import AudioTypes
package import ValueText

/// The value of `--output-format`.
package enum OutputFormatOption: Sendable, Hashable {
    /// That of each file, or the sink's.
    case policy(FormatPolicy)
    case format(OutputFormat)

    package init(parsing text: String) throws(ArgumentProblem) {
        self =
            switch text {
            case "follow": .policy(.media)
            case "sink": .policy(.sink)
            default: .format(try OutputFormat(parsing: text))
            }
    }

    var policy: FormatPolicy? {
        if case .policy(let policy) = self { return policy }
        return nil
    }

    var format: OutputFormat? {
        if case .format(let format) = self { return format }
        return nil
    }
}

/// The options of `play` for the output.
package struct OutputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "pulse, alsa, alsa:DEVICE, auto, null, null:fast, file:PATH (format by extension), dir:FOLDER (a file for each item), pipe:PATH or pipe:- (raw PCM).",
            valueName: "output"
        ),
        completion: .list(["pulse", "alsa", "alsa:", "auto", "null", "null:fast", "file:", "dir:", "pipe:", "pipe:-"]),
        transform: OutputOption.init(parsing:)
    )
    package var output = OutputOption.usual

    @Option(
        name: .customLong("output-format"),
        help: ArgumentHelp(
            "Sample format, rate and channels of files or a pipe; for a sink, follow (always ask it for each file's) or sink (never).",
            valueName: "s16:44100:2"
        ),
        completion: .list(["s16:44100:2", "s16:48000:2", "s32:48000:2", "f32:48000:2", "follow", "sink"]),
        transform: OutputFormatOption.init(parsing:)
    )
    package var formatOption: OutputFormatOption?

    /// The format of files or a pipe, as far as it is given.
    package var outputFormat: OutputFormat? { formatOption?.format }

    /// Whether the sink is asked for each file's format.
    package var formatPolicy: FormatPolicy { formatOption?.policy ?? .automatic }

    @Option(
        help: ArgumentHelp(
            "The extension, and so the format, of the files of --output dir: (default: flac).",
            valueName: "extension"
        ),
        completion: .list(["flac", "opus", "mp3", "m4a", "ogg", "wav"]),
        transform: OutputOptions.fileType(parsing:)
    )
    package var fileType: String?

    @Flag(
        name: .customLong("write-replaygain"),
        help: "Measure the sound first, and write ReplayGain tags into the files of --output file: and dir:."
    )
    package var writeReplayGain = false

    @Flag(help: "Overwrite files of --output file: and dir:, and of --record, that exist.")
    package var force = false

    @Option(
        help: ArgumentHelp("Sink of the sound server, as 'segue devices' lists them.", valueName: "sink"),
        completion: .shellCommand("segue devices --names 2>/dev/null")
    )
    package var device: String?

    @Option(
        help: ArgumentHelp(
            "When the sink is gone: pause (usual), wait for it (usual with --device), or fallback to the default sink.",
            valueName: "pause|wait|fallback"
        )
    )
    package var whenLost: WhenLost?

    /// The behaviour when the sink is gone.
    package enum WhenLost: String, ExpressibleByArgument, CaseIterable, Sendable {
        case pause, wait, fallback
    }

    @Option(help: ArgumentHelp("Address of the sound server; the default is PULSE_SERVER's.", valueName: "address"))
    package var server: String?

    package init() {}

    /// An extension, with or without its dot.
    private static func fileType(parsing text: String) throws(ArgumentProblem) -> String {
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        guard (1...8).contains(name.utf8.count), name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw ArgumentProblem("an extension is letters and digits, such as flac")
        }
        return name.lowercased()
    }

    /// A sink's name; one such as `alsa:hw:CARD=DAC`, as `segue devices` lists those of ALSA, is an output's.
    package mutating func validate() throws {
        if let device, device.hasPrefix("alsa:"), output == .usual {
            output = (try? OutputOption(parsing: device)) ?? output
            self.device = nil
        }
        if let policy = formatOption?.policy, !output.usesDevice {
            let word = policy == .sink ? "sink" : "follow"
            throw ValidationError("--output-format \(word) goes with --output pulse, alsa and auto only")
        }
        if outputFormat != nil, !output.hasChoosableFormat {
            throw ValidationError("--output-format goes with --output file:, dir: and pipe: only")
        }
        if writeReplayGain {
            switch output {
            case .file, .folder: break
            default: throw ValidationError("--write-replaygain goes with --output file: and dir: only")
            }
        }
        if fileType != nil {
            guard case .folder = output else { throw ValidationError("--file-type goes with --output dir: only") }
        }
        if device != nil, !output.usesSoundServer {
            throw ValidationError("--device goes with --output pulse and auto only")
        }
        if whenLost != nil, !output.usesDevice {
            throw ValidationError("--when-lost goes with --output pulse, alsa and auto only")
        }
        if server != nil, !output.usesSoundServer {
            throw ValidationError("--server goes with --output pulse and auto only")
        }
    }
}
