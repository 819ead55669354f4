import Glibc
import Verbs

/// Hands the command line over to `segue-play`.
enum Handover {
    enum Decision {
        case parseHere
        case handOver
        case handOverVersion
    }

    /// Who reads the command line: a verb's own line is read once, by the sibling.
    ///
    /// Help and completions are answered
    /// here, where no media library is loaded.
    static func decision(for arguments: ArraySlice<String>) -> Decision {
        guard let first = arguments.first else { return .parseHere }
        if first == "--version" { return .handOverVersion }
        guard ["play", "probe", "devices"].contains(first) else { return .parseHere }
        let options = arguments.prefix { $0 != "--" }
        return options.contains { ["--help", "-h", "-help"].contains($0) || $0.hasPrefix("--generate-") }
            ? .parseHere : .handOver
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
