import ArgumentParser
import CommandOptions
import Glibc
import ServerCommands
import ServerRequests
import Settings
import TextEncodings
import Threads

@main
enum Program {
    static func main() {
        ProcessSignals.unblock()
        ControlLoop.main {
            // Not a subcommand of the daemon: that would parse options with the same names, such as --mpd-conf, as its
            // own.
            switch CommandLine.arguments.dropFirst().first {
            case ImportCommand.word: ImportCommand.main(Array(CommandLine.arguments.dropFirst(2)))
            case SetupCommand.word: SetupCommand.main(Array(CommandLine.arguments.dropFirst(2)))
            default: await Segued.main()
            }
            exit(0)
        }
    }
}

/// The daemon.
struct Segued: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segued",
        abstract: "Play audio in the background, controlled over MPD's line protocol.",
        usage: "segued [<options>]",
        discussion: """
            EXAMPLES
              segued
                  with ~/.config/segue/segued.toml or /etc/segue/segued.toml, or neither
              segued --music-dir ~/Music --listen tcp:127.0.0.1:6600
              segued --mpd-conf /etc/mpd.conf
                  in place of MPD
              segued --check-config

            The keys of the configuration are in segued.toml(5), signals and files in segued(8).
            """,
        version: segueVersion
    )

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        if options.paths {
            print(try Configuration.describePaths(options))
            return
        }
        if options.describe {
            print(OpenRPC(.standard, version: segueVersion).json.text)
            return
        }
        if options.checkConfig {
            let (report, isUsable) = Configuration.check(options)
            print(report, terminator: report.hasSuffix("\n") || report.isEmpty ? "" : "\n")
            if !isUsable { throw ExitCode.failure }
            return
        }
        let loaded: LoadedConfiguration
        do {
            loaded = try Configuration.load(options)
        } catch {
            writeError(error.description)
            throw ExitCode.failure
        }
        try await Daemon.run(loaded, options)
    }
}

/// Writes a line to standard error.
func writeError(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
