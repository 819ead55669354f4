import Glibc
import RemoteVerbs
import Verbs

/// Hands the command line over to `segue-play`.
enum Handover {
    enum Decision {
        case parseHere
        case handOver
        case handOverVersion
        /// A verb of the server's, in the words it is declared in.
        case askServer([String])
        /// What follows `play`, when it is not for this machine.
        case askServerToPlay([String])
        /// What is wrong with the command line.
        case refuse(String)
    }

    /// Who reads the command line: a verb's own line is read once, by the sibling or here.
    ///
    /// Help and completions are answered here, where no media library is loaded.
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
        case "probe" where !asksForHelp, "devices" where !asksForHelp: return .handOver
        case "play", "probe", "devices", "help": return .parseHere
        case _ where first.hasPrefix("-"): return .parseHere
        case _ where VerbTable.names.contains(first) || first == "playlist": return .askServer(words)
        default: return .refuse(VerbTable.problem(withUnknown: first))
        }
    }

    /// Replaces this process by the sibling, with the same arguments byte for byte.
    ///
    /// - Parameter text: Printed first when the sibling is missing.
    static func toSibling(whenMissing text: String? = nil) -> Never {
        guard let own = ownPath(), let slash = own.lastIndex(of: "/") else {
            fail("cannot tell where this program is: \(reason(errno))", text)
        }
        let sibling = own[...slash] + "segue-play"
        _ = unsafe execv(String(sibling), CommandLine.unsafeArgv)
        let error = errno
        if error == ENOENT { fail("segue-play is missing; it belongs at \(sibling). Install Segue again.", text) }
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

    /// Where this executable really is, symbolic links followed; PATH is never asked.
    private static func ownPath() -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
