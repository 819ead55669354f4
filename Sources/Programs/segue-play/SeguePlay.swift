import ArgumentParser
import Glibc
import Scheduling
import Verbs

@main
enum Program {
    static func main() {
        ProcessSignals.unblock()
        ControlLoop.main {
            await SeguePlay.main(commandLineWords())
            exit(0)
        }
    }
}

/// Plays, probes and lists devices in this process.
///
/// People type `segue`, which hands over to this program; so this one calls itself `segue` in all it says.
struct SeguePlay: AsyncParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: versionText(),
        subcommands: [Play.self, Probe.self, Devices.self]
    )

    private static func versionText() -> String {
        (["segue \(segueVersion)"] + libraryVersions().map { "\($0.name) \($0.version)" }).joined(separator: "\n")
    }
}
