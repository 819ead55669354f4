import ClientVerbs
import CommandOptions
import Files
import Glibc

/// Hands the command line over to `segue-play` for playback, or to `segued` for the daemon's files.
enum Handover {
    enum Decision {
        case parseHere
        case handOver
        case handOverVersion
        /// The arguments for the daemon's program.
        case handOverToDaemon([String])
        /// A verb for the server, in normalised words.
        case askServer([String])
        /// The arguments of a `play` for the server.
        case askServerToPlay([String])
        /// An error in the command line.
        case refuse(String)
    }

    /// Decides which program parses the command line: each verb's arguments are parsed once, by the sibling or here.
    ///
    /// Help and completions are produced here, where no media library is loaded.
    static func decision(for arguments: ArraySlice<String>) -> Decision {
        let words = CommandWords.normalised(Array(arguments))
        guard let first = words.first else { return .parseHere }
        if first == "--version" { return .handOverVersion }
        let options = words.prefix { $0 != "--" }
        let asksForHelp = options.contains { ["--help", "-h", "-help"].contains($0) || $0.hasPrefix("--generate-") }
        switch first {
        case "play" where !asksForHelp:
            switch CommandWords.playMeaning(Array(words.dropFirst())) {
            case .here: return .handOver
            case .server: return .askServerToPlay(Array(words.dropFirst()))
            case .contradiction(let file):
                return .refuse("files are played here, not by a server; to let it play: segue add --play '\(file)'")
            }
        case "probe" where !asksForHelp, "devices" where !asksForHelp,
            "discover" where !asksForHelp:
            return .handOver
        case "import-mpd" where !asksForHelp, "setup" where !asksForHelp: return .handOverToDaemon(words)
        case "config" where !asksForHelp:
            guard words.count > 1, let option = daemonOptions[words[1]] else { return .parseHere }
            return .handOverToDaemon([option] + words.dropFirst(2))
        case "play", "probe", "devices", "discover", "thumbnail", "help", "import-mpd", "setup", "config":
            return .parseHere
        case _ where first.hasPrefix("-"): return .parseHere
        case _ where VerbTable.names.contains(first) || first == "playlist": return .askServer(words)
        default: return .refuse(VerbTable.problem(withUnknown: first))
        }
    }

    /// The options of `segued` for the subcommands of `segue config`.
    private static let daemonOptions = ["paths": "--paths", "check": "--check-config"]

    /// Replaces this process by the player, with the same arguments byte for byte.
    ///
    /// - Parameter text: Printed first when the player is missing.
    static func toPlayer(whenMissing text: String? = nil) -> Never {
        unsafe become("segue-play", CommandLine.unsafeArgv, text)
    }

    /// Replaces this process by the daemon's program, for one action.
    static func toDaemon(_ words: [String]) -> Never {
        let copies = unsafe (["segued"] + words).map { word in unsafe strdup(word) } + [nil]
        let arguments = unsafe UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: copies.count)
        unsafe arguments.initialize(from: copies, count: copies.count)
        unsafe become("segued", arguments, nil)
    }

    private static func become(
        _ program: String,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
        _ text: String?
    ) -> Never {
        guard let sibling = siblingProgram(program) else {
            fail("cannot tell where this program is: \(reason(errno))", text)
        }
        _ = unsafe execv(sibling, arguments)
        let error = errno
        if error == ENOENT { fail("\(program) is missing; it belongs at \(sibling). Install Segue again.", text) }
        fail("cannot start \(sibling): \(reason(error))", text)
    }

    private static func fail(_ message: String, _ text: String?) -> Never {
        if let text { write(text, to: STDOUT_FILENO) }
        write("segue: \(message)", to: STDERR_FILENO)
        exit(ExitStatus.incompleteInstallation.rawValue)
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
