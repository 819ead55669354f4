package import ArgumentParser
import ClientVerbs
package import CommandOptions
import Glibc
import Thumbnails

/// The command that users run.
///
/// It links no media library: `segue-play` replaces this process to play or read media, and `segued` for the daemon's
/// files; all other verbs are sent to a server.
@main
struct Segue: ParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: segueVersion,
        subcommands: [PlayOptions.self, Probe.self, Devices.self, Discover.self, Thumbnail.self],
        groups: VerbTable.groups + [
            CommandGroup(name: "Setting up a server", subcommands: [Setup.self, ImportMPD.self, Config.self])
        ]
    )

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if completes(Array(arguments)) { return }
        switch Handover.decision(for: arguments) {
        case .parseHere: main(Array(arguments))
        case .askServer(let words):
            guard let verb = VerbTable.verb(words[0]) else { return main(words) }
            run(verb, words)
        case .askServerToPlay(let words): VerbTable.play(words)
        case .refuse(let problem): exit(withError: ValidationError(problem))
        case .handOverToDaemon(let words): Handover.toDaemon(words)
        case .handOver: Handover.toPlayer()
        case .handOverVersion: Handover.toPlayer(whenMissing: "segue \(segueVersion)")
        }
    }
}

/// `segue` with a single verb: setting up all of them takes longer than most verbs take to be carried out.
private struct OneVerb<Verb: ParsableCommand>: ParsableCommand {
    static var configuration: CommandConfiguration { .root(version: segueVersion, subcommands: [Verb.self]) }
}

extension Segue {
    private static func run<Verb: ParsableCommand>(_: Verb.Type, _ words: [String]) { OneVerb<Verb>.main(words) }

    /// Prints a completion script, or what a script asks for.
    ///
    /// - Returns: Whether the words ask for that.
    private static func completes(_ words: [String]) -> Bool {
        if words.first == CompletionScripts.wordsOption {
            print(CompletionScripts.reply(to: Array(words.dropFirst())), terminator: "")
            return true
        }
        guard words.count == 2, words[0] == "--generate-completion-script",
            let shell = CompletionShell(rawValue: words[1])
        else { return false }
        print(CompletionScripts.script(completionScript(for: shell), for: shell))
        return true
    }

    struct Probe: ParsableCommand {
        static let configuration = CommandConfiguration.probe
        @OptionGroup var options: ProbeOptions

        func run() { Handover.toPlayer() }
    }

    struct Devices: ParsableCommand {
        static let configuration = CommandConfiguration.devices
        @OptionGroup var options: DevicesOptions

        func run() { Handover.toPlayer() }
    }

    struct Discover: ParsableCommand {
        static let configuration = CommandConfiguration.discover
        @OptionGroup var options: DiscoverOptions

        func run() { Handover.toPlayer() }
    }

    struct Thumbnail: ParsableCommand {
        static let configuration = CommandConfiguration.thumbnail
        @OptionGroup var options: ThumbnailOptions

        func run() throws { try ThumbnailCommand(options).run() }
    }

    struct ImportMPD: ParsableCommand {
        static let configuration = CommandConfiguration.importMPD
        @OptionGroup var options: ImportOptions

        func run() { Handover.toDaemon(Array(CommandLine.arguments.dropFirst())) }
    }

    struct Setup: ParsableCommand {
        static let configuration = CommandConfiguration.setup
        @OptionGroup var options: SetupOptions

        func run() { Handover.toDaemon(Array(CommandLine.arguments.dropFirst())) }
    }

    struct Config: ParsableCommand {
        static let configuration = CommandConfiguration.config(subcommands: [Paths.self, Check.self])
    }
}

extension Segue.Config {
    struct Paths: ParsableCommand {
        static let configuration = CommandConfiguration.configPaths
        @OptionGroup var options: ConfigOptions

        func run() { Handover.toDaemon(["--paths"]) }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration.configCheck
        @OptionGroup var options: ConfigOptions

        func run() { Handover.toDaemon(["--check-config"]) }
    }
}

extension PlayOptions: ParsableCommand {
    package static var configuration: CommandConfiguration { .play }

    package func run() { Handover.toPlayer() }
}
