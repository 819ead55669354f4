import ArgumentParser
import Glibc
import RemoteVerbs
import Verbs

/// The command line that people type.
///
/// It links no media library: whatever plays or reads media is done by `segue-play`, which takes this process over;
/// everything else is asked of a server.
@main
struct Segue: ParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: segueVersion,
        subcommands: [Play.self, Probe.self, Devices.self],
        groups: VerbTable.groups
    )

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch Handover.decision(for: arguments) {
        case .parseHere: main(Array(arguments))
        case .askServer(let words): main(words)
        case .askServerToPlay(let words): VerbTable.play(words)
        case .refuse(let problem): exit(withError: ValidationError(problem))
        case .handOver: Handover.toSibling()
        case .handOverVersion: Handover.toSibling(whenMissing: "segue \(segueVersion)")
        }
    }
}

extension Segue {
    struct Play: ParsableCommand {
        static let configuration = CommandConfiguration.play
        @OptionGroup var options: PlayOptions

        func run() { Handover.toSibling() }
    }

    struct Probe: ParsableCommand {
        static let configuration = CommandConfiguration.probe
        @OptionGroup var options: ProbeOptions

        func run() { Handover.toSibling() }
    }

    struct Devices: ParsableCommand {
        static let configuration = CommandConfiguration.devices
        @OptionGroup var options: DevicesOptions

        func run() { Handover.toSibling() }
    }
}
