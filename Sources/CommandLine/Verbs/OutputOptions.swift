package import ArgumentParser
package import ValueText

/// The options of `play` for the output.
package struct OutputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "pulse, alsa, alsa:DEVICE, auto, null, null:fast, file:PATH (format by extension), pipe:PATH or pipe:- (raw PCM).",
            valueName: "output"
        ),
        completion: .list(["pulse", "alsa", "alsa:", "auto", "null", "null:fast", "file:", "pipe:", "pipe:-"]),
        transform: OutputOption.init(parsing:)
    )
    package var output = OutputOption.usual

    @Option(
        help: ArgumentHelp("Sample format, rate and channels of a file or pipe.", valueName: "s16:44100:2"),
        completion: .list(["s16:44100:2", "s16:48000:2", "s32:48000:2", "f32:48000:2"]),
        transform: OutputFormat.init(parsing:)
    )
    package var outputFormat: OutputFormat?

    @Flag(help: "Overwrite the file of --output file: if it exists.")
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

    /// What happens when the sink is gone.
    package enum WhenLost: String, ExpressibleByArgument, CaseIterable, Sendable {
        case pause, wait, fallback
    }

    @Option(help: ArgumentHelp("Address of the sound server; the default is PULSE_SERVER's.", valueName: "address"))
    package var server: String?

    package init() {}

    /// A sink's name; one such as `alsa:hw:CARD=DAC`, as `segue devices` lists those of ALSA, is an output's.
    package mutating func validate() throws {
        if let device, device.hasPrefix("alsa:"), output == .usual {
            output = (try? OutputOption(parsing: device)) ?? output
            self.device = nil
        }
        if outputFormat != nil, !output.hasChoosableFormat {
            throw ValidationError("--output-format goes with --output file: and pipe: only")
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
