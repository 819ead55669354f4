import ArgumentParser
import Verbs

/// The command line that people type.
///
/// It links no media library: whatever plays or reads media is done by `segue-play`,
/// which takes this process over.
@main
struct Segue: ParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: segueVersion,
        subcommands: [Play.self, Probe.self, Devices.self]
    )

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch Handover.decision(for: arguments) {
        case .parseHere: main(Array(arguments))
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
