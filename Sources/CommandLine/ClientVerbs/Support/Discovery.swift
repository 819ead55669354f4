import ChildPrograms
import Files
import Glibc
import ProtocolClient

/// Servers that announce themselves on the network, as `segue discover` finds them.
enum Discovery {
    /// How long slow machines are waited for, in seconds.
    private static let patience = "2"
    /// How much of its output is read.
    private static let limit = 64 * 1_024

    /// Where the server is that calls itself so.
    static func address(ofServerNamed name: String) -> ServerAddress? {
        guard !name.hasPrefix("-"), let line = lines(["--name", name]).first else { return nil }
        return try? HostText(parsing: line).address
    }

    /// The names of servers.
    static func names() -> [String] { lines(["--names"]) }

    private static func lines(_ options: [String]) -> [String] {
        guard let program = siblingProgram("segue-play") else { return [] }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return [] }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        var start = ProgramStart([program, "discover", "--timeout", patience] + options)
        start.environment = .whole
        start.streams = .init(input: nothing, output: ends[1], errors: nothing)
        let process = try? start.run()
        close(ends[1])
        close(nothing)
        guard let process else { return [] }
        let text = read(ends[0])
        process.send(SIGTERM)
        process.waitForEnd()
        return text.split(separator: "\n").map(String.init)
    }

    private static func read(_ descriptor: Int32) -> String {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while bytes.count < limit {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
