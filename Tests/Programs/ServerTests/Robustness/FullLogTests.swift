import Glibc
import TestSupport
import TestThreads
import Testing

/// A log without a reader holds up nothing.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct FullLogTests {
    @Test("A server whose log has no reader starts, answers and ends; what fits is there when it is read")
    func fullPipe() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("log")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let descriptor = unsafe open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let filling = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
        while unsafe write(descriptor, filling, filling.count) > 0 {}

        let music = try await Music.folder()
        let process = try ChildProcess(
            "sh",
            [
                "-c", "exec \"$0\" \"$@\" 2>'\(pipe)'", try Segued.path(), "--music-dir", music, "--state-dir",
                folder.file("state"), "--playlist-dir", folder.file("playlists"), "--output", "null", "--listen",
                "unix:\(folder.file("socket"))",
            ]
        )
        defer { process.end() }
        try await waitForSocket(folder.file("socket"), of: process)
        let client = try LineClient(.unix(folder.file("socket")))
        // What does not work is logged.
        for number in 1...20 {
            try client.order("add http://127.0.0.1:1/\(number)")
            try client.order("play")
            try client.order("clear")
            #expect(client.ask("ping") == ["OK"])
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var text = ""
        try wait(for: "the log") {
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count > 0 { text += String(decoding: bytes[..<count], as: UTF8.self) }
            return text.contains("listening at")
        }
        while unsafe write(descriptor, filling, filling.count) > 0 {}
        let start = ContinuousClock.now
        process.kill(SIGTERM)
        _ = try await process.wait()
        #expect(.now - start < .seconds(20))
    }
}
