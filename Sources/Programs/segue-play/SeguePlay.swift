import ArgumentParser
import CommandOptions
import Glibc
import Threads

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
/// The user runs `segue`, which executes this program; so this one calls itself `segue` in all messages.
struct SeguePlay: AsyncParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: versionText(),
        subcommands: [PlayOptions.self, Probe.self, Devices.self, Discover.self]
    )

    private static func versionText() -> String {
        (["segue \(segueVersion)"] + libraryVersions().map { "\($0.name) \($0.version)" }).joined(separator: "\n")
    }
}
