import Glibc
import TestSupport

/// A real MPD that plays to a null output, and a client of it.
///
/// It ends with this object at the latest, and with the test process whatever happens to that.
final class MPDReference {
    static let missing = ChildProcess.missing("mpd")

    struct Failure: Error {
        var text: String
    }

    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let connection: Int32
    private var unread: [UInt8] = []
    private var lastCommand = ""

    /// - Parameter songs: Files of silence that last a minute each.
    static func start(songs: [String]) async throws -> MPDReference {
        let folder = try TemporaryFolder()
        let music = folder.file("music")
        guard unsafe mkdir(music, 0o755) == 0 else { throw Failure(text: "cannot make \(music)") }
        let silence = WaveFile.bytes([Array(repeating: 0, count: 60 * 4000)], sampleRate: 4000)
        for song in songs { try folder.write("music/\(song)", silence) }
        try folder.write(
            "mpd.conf",
            """
            music_directory "\(music)"
            db_file "\(folder.file("db"))"
            log_file "\(folder.file("log"))"
            bind_to_address "\(folder.file("socket"))"
            zeroconf_enabled "no"
            auto_update "no"
            audio_output {
                type "null"
                name "null"
            }
            """
        )
        let process = try ChildProcess("mpd", ["--no-daemon", folder.file("mpd.conf")])
        let connection = try await connect(to: folder.file("socket"), of: process)
        let reference = try MPDReference(folder, process, connection)
        try reference.send("update")
        while try reference.status()["updating_db"] != nil { try reference.send("idle update") }
        return reference
    }

    private init(_ folder: TemporaryFolder, _ process: ChildProcess, _ connection: Int32) throws {
        self.folder = folder
        self.process = process
        self.connection = connection
        // What never answers fails the test.
        var limit = timeval(tv_sec: Int(Duration.patience.components.seconds), tv_usec: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = try line()
    }

    deinit {
        close(connection)
        process.end()
    }

    /// The lines of the reply; an error is thrown.
    @discardableResult
    func send(_ command: String) throws -> [String] {
        lastCommand = command
        let bytes = Array("\(command)\n".utf8)
        guard unsafe write(connection, bytes, bytes.count) == bytes.count else { throw Failure(text: "mpd is gone") }
        var reply: [String] = []
        while true {
            let line = try line()
            if line == "OK" { return reply }
            if line.hasPrefix("ACK") { throw Failure(text: "\(command): \(line)") }
            reply.append(line)
        }
    }

    func status() throws -> [String: String] {
        Dictionary(try send("status").map(Self.pair), uniquingKeysWith: { first, _ in first })
    }

    static func pair(_ line: String) -> (String, String) {
        let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    /// Lets the song that plays come to its end, and waits until what follows is there, in the state that is expected.
    func endSong(until state: String) throws {
        let before = try status()["songid"]
        try send("seekcur 59.9")
        let deadline = ContinuousClock.now + .patience
        // Asked again and again: the last of the changes is not always announced.
        while ContinuousClock.now < deadline {
            let now = try status()
            let elapsed = Double(now["elapsed"] ?? "") ?? 60
            let hasEnded = now["songid"] != before || elapsed < 50
            if hasEnded, now["state"] == state { return }
            // Where it had no time to prepare the next song, MPD 0.23 forgets to pause before it.
            if hasEnded, state == "pause", elapsed > 0.5, elapsed < 50 { try send("pause 1") }
            usleep(2000)
        }
        throw Failure(text: "the song does not end: \(try status())")
    }

    private func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: 0x0a) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = unsafe read(connection, &buffer, buffer.count)
            guard count > 0 else { throw Failure(text: "mpd does not answer after '\(lastCommand)'") }
            unread += buffer[..<count]
        }
    }

    private static func connect(to path: String, of server: ChildProcess) async throws -> Int32 {
        let deadline = ContinuousClock.now + .patience
        while ContinuousClock.now < deadline, server.isRunning {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let result = unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { return descriptor }
            close(descriptor)
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Failure(text: "mpd does not start: \(server.errorText)")
    }
}
