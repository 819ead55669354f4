import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// A file during which the server died twice is left alone.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct DeathTests {
    /// Waits until a file is marked as being read.
    ///
    /// - Parameters:
    ///   - folder: The server's.
    ///   - thread: The name of a thread that must be there, too.
    private func waitUntilRead(
        _ path: String,
        by server: Segued,
        in folder: TemporaryFolder,
        thread: String? = nil
    ) throws {
        let name = Data((path.split(separator: "/").last ?? "").utf8)
        let tasks = "/proc/\(server.process.pid)/task"
        try wait(for: "segued to read \(path)") {
            guard server.process.isRunning else { throw ClientError(description: "segued ended by itself") }
            let marks = (try? Data(contentsOf: URL(filePath: folder.file("state/library.db-reading")))) ?? Data()
            // A slot begins with its length; 0 is that of a reader that has done with the file.
            let isRead = stride(from: 0, to: marks.count, by: 8_192).contains { start in
                marks[start] != 0 && marks[start...].prefix(8_192).firstRange(of: name) != nil
            }
            guard isRead, let thread else { return isRead }
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return threads.contains { has("\(tasks)/\($0)/comm", thread) }
        }
    }

    private func has(_ path: String, _ text: String) -> Bool {
        (try? Data(contentsOf: URL(filePath: path)))?.firstRange(of: Data(text.utf8)) != nil
    }

    private func die(_ server: Segued) async throws {
        server.process.kill(SIGKILL)
        _ = try await server.process.wait()
    }

    /// The scanner's: zeros without end are read for many seconds, during which the server is killed.
    @Test func whileReading() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let songs = try await Music.folder()
        let (slow, good) = (music + "/a slow.mp3", music + "/b good.flac")
        try FileManager.default.copyItem(atPath: songs + "/one.flac", toPath: good)
        #expect(FileManager.default.createFile(atPath: slow, contents: nil))
        #expect(unsafe truncate(slow, 64 << 30) == 0)
        for _ in 0..<2 {
            let server = try await Segued.start(in: folder, music: music, waitsForLibrary: false)
            try waitUntilRead(slow, by: server, in: folder)
            try await die(server)
        }
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let problems = try client.order("library problems")
        #expect(problems.first == "file: a slow.mp3")
        #expect(problems.last?.contains("ended the server twice") == true, "\(problems)")
        #expect(try client.values("stats")["songs"] == "1")
        // It is left out of a rescan, too, until it changes.
        try client.order("rescan")
        try await server.waitForUpdates()
        #expect(try client.order("library problems") == problems)
        try FileManager.default.removeItem(atPath: slow)
        try FileManager.default.copyItem(atPath: songs + "/two.flac", toPath: slow)
        try client.order("update")
        try await server.waitForUpdates()
        #expect(try client.order("library problems") == [])
        #expect(try client.values("stats")["songs"] == "2")
    }

    /// A client's: a picture is looked for in zeros, for many seconds, in a file that the scanner has been done with.
    @Test func whileLookingForAPicture() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let slow = music + "/slow.mp3"
        try FileManager.default.copyItem(atPath: await Music.folder() + "/one.flac", toPath: music + "/good.flac")
        _ = try await Segued.start(in: folder, music: music).stop()
        #expect(FileManager.default.createFile(atPath: slow, contents: nil))
        #expect(unsafe truncate(slow, 64 << 30) == 0)
        let settings = Segued.Form.toml(
            """
            listen = ["unix:\(folder.file("socket"))"]
            auto-update = false
            [[output]]
            name = "here"
            type = "null"
            """
        )
        for _ in 0..<2 {
            let server = try await Segued.start(settings, in: folder, music: music)
            let client = try server.connect()
            client.send("readpicture slow.mp3 0\n")
            try waitUntilRead(slow, by: server, in: folder)
            try await die(server)
        }
        let server = try await Segued.start(settings, in: folder, music: music)
        let client = try server.connect()
        #expect(client.ask("readpicture slow.mp3 0").last?.hasPrefix("ACK [50@0]") == true)
        let problems = try client.order("library problems")
        #expect(problems.first == "file: slow.mp3" && problems.last?.contains("ended the server twice") == true)
        #expect(try client.values("stats")["songs"] == "1")
    }

    /// The measurer's: a song whose length only all of it tells.
    @Test func whileMeasuring() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let long = music + "/long.mp3"
        let fast = [0xff, 0xfb, 0x90, 0x40] + [UInt8](repeating: 1, count: 413)
        let slow = [0xff, 0xfb, 0x50, 0x40] + [UInt8](repeating: 1, count: 204)
        let piece = Data(repeatElement(slow, count: 5_000).joined())
        try (Data(repeatElement(fast, count: 10).joined()) + piece).write(to: URL(filePath: long))
        let file = try FileHandle(forWritingTo: URL(filePath: long))
        try file.seekToEnd()
        for _ in 0..<400 { try file.write(contentsOf: piece) }
        try file.close()
        for _ in 0..<2 {
            // Watched from the beginning: it is measured within a second.
            let server = try Segued(.options([]), folder, music: music)
            try waitUntilRead(long, by: server, in: folder, thread: "segue-measure")
            try await die(server)
        }
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let problems = try client.order("library problems")
        #expect(problems.first == "file: long.mp3", "\(problems)")
        #expect(problems.last?.contains("ended the server twice") == true, "\(problems)")
        #expect(try client.values("stats")["songs"] == "0")
    }

    /// The measurer's again: a song whose loudness takes long.
    @Test func whileMeasuringLoudness() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let long = music + "/long.wav"
        let count = 1_500_000_000
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var header = Array("RIFF".utf8) + number(count + 36, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
        header += number(2, 2) + number(44_100, 4) + number(176_400, 4) + number(4, 2) + number(16, 2)
        header += Array("data".utf8) + number(count, 4)
        try Data(header).write(to: URL(filePath: long))
        #expect(unsafe truncate(long, off_t(header.count + count)) == 0)
        let settings = Segued.Form.toml(
            """
            listen = ["unix:\(folder.file("socket"))"]
            auto-update = false
            replay-gain = { mode = "track" }
            [[output]]
            name = "here"
            type = "null"
            """
        )
        for _ in 0..<2 {
            let server = try await Segued.start(settings, in: folder, music: music)
            try waitUntilRead(long, by: server, in: folder, thread: "segue-measure")
            try await die(server)
        }
        let server = try await Segued.start(settings, in: folder, music: music)
        let client = try server.connect()
        let problems = try client.order("library problems")
        #expect(problems.first == "file: long.wav", "\(problems)")
        #expect(problems.last?.contains("ended the server twice") == true, "\(problems)")
    }

    /// A listener that never answers, and who has connected to it.
    private struct SilentStream {
        /// The ports that clients connected from, and the connections.
        let clients = Watched<[(port: UInt16, descriptor: Int32)]>([])
        let listener: Listener

        init() throws {
            listener = try Listener(inOrder: true) { [clients] descriptor in
                clients.withLock { $0.append((peerPort(of: descriptor), descriptor)) }
            }
        }

        /// How many connections were made until now.
        ///
        /// They are accepted in order, so one that the test makes comes after all others; it is taken out again.
        func count() async throws -> Int {
            let own = try SocketAddress.ipv4(listener.port).connect()
            defer { close(own) }
            let port = ownPort(of: own)
            #expect(await clients.wait(within: .patience) { $0.contains { $0.port == port } })
            return clients.withLock { clients in
                let index = clients.firstIndex { $0.port == port } ?? 0
                close(clients.remove(at: index).descriptor)
                return clients.count
            }
        }

        func end() { for client in clients.current { close(client.descriptor) } }
    }

    /// The queue's: the server is killed when it has asked for the stream that it resumes, which never answers.
    @Test func whileResuming() async throws {
        let stream = try SilentStream()
        defer { stream.end() }
        let folder = try TemporaryFolder()
        let state = folder.file("state/zones/")
        var count = 0
        for round in 0..<3 {
            let server = try await Segued.start(in: folder)
            if round == 0 {
                let client = try server.connect()
                for command in ["add one.flac", "add http://127.0.0.1:\(stream.listener.port)/x", "play 1"] {
                    try client.order(command)
                }
                try wait(for: "the state to be on the disk") {
                    has(state + "default.journal", "/x") && has(state + "default.position", " play ")
                }
            }
            let known = count
            #expect(await stream.clients.wait(within: .patience) { $0.count > known })
            try await die(server)
            count = try await stream.count()
        }
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        let status = try client.values("status")
        #expect(status["state"] == "stop" && status["song"] == "1" && status["playlistlength"] == "2")
        #expect(status["error"]?.contains("ended the server twice") == true)
        #expect(try await stream.count() == count)
        // The rest of the queue plays, and a clean end is none of the entry's.
        try client.order("play 0")
        try client.wait("state", "play")
    }
}

/// The port that a connection comes from.
private func peerPort(of descriptor: Int32) -> UInt16 { unsafe port { unsafe getpeername(descriptor, $0, $1) } }

private func ownPort(of descriptor: Int32) -> UInt16 { unsafe port { unsafe getsockname(descriptor, $0, $1) } }

private func port(
    _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
) -> UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask($0, &length) }
    }
    return code == 0 ? UInt16(bigEndian: address.sin_port) : 0
}
