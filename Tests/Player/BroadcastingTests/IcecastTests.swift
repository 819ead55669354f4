import AudioTypes
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestThreads
import Testing

@testable import Broadcasting

/// Streams to a real icecast2.
@Suite(.blocking, .serialized, .enabled(if: IcecastServer.missing.isEmpty, "\(IcecastServer.missing)"))
struct IcecastTests {
    /// Waits until a mount has a source, and begins to listen to it.
    private func listen(_ server: IcecastServer, _ fields: String...) throws -> StreamReader {
        var reader: StreamReader?
        try wait(for: "the mount") {
            guard let new = try? StreamReader(server.port, "GET", "/radio", fields.joined()) else { return false }
            reader = new
            return new.status == "200"
        }
        return try #require(reader)
    }

    /// The listener's sound is what is played, and the server knows what the stream is called.
    @Test(arguments: [StreamEncoding.Codec.mp3, .opus, .vorbis, .aac])
    func listenersHearWhatIsPlayed(codec: StreamEncoding.Codec) async throws {
        let server = try await IcecastServer.start()
        let stage = try await BroadcastStage()
        stage.addIcecast(codec, server)
        try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
        let reader = try listen(server)
        #expect(reader.head.contains { $0.lowercased() == "icy-name: test" || $0.lowercased() == "icy-name:test" })
        #expect(reader.head.contains { $0.lowercased().filter { $0 != " " } == "icy-genre:noise" })
        let path = stage.folder.file("heard.\(codec.fileExtension)")
        try FileBytes.write(reader.read(120_000), to: path)
        let sound = try MediaSound.of(path)
        let end = sound.channel(0).suffix(sound.format.sampleRate / 2)
        #expect(abs(Analysis.frequency(end, sampleRate: sound.format.sampleRate) - 1_000) < 20)
        await stage.player.close()
    }

    /// Titles of MP3 come beside the stream.
    @Test func titlesAreTold() async throws {
        let server = try await IcecastServer.start()
        let stage = try await BroadcastStage()
        stage.addIcecast(.mp3, server)
        stage.group.show(StreamTitle(title: "Öne & 二", artist: "Ann"))
        let reader = try listen(server, "Icy-MetaData: 1")
        let interval = try #require(
            reader.head.lazy.compactMap { field -> Int? in
                field.hasPrefix("icy-metaint:") ? Int(field.dropFirst(12).filter(\.isNumber)) : nil
            }.first
        )
        let title = (0..<100).lazy.map { _ in
            _ = reader.read(interval)
            let length = Int(reader.read(1).first ?? 0) * 16
            return String(decoding: reader.read(length).prefix { $0 != 0 }, as: UTF8.self)
        }.first { $0.contains("Ann") }
        #expect(title?.hasPrefix("StreamTitle='Ann - Öne & 二';") == true, "\(title ?? "none")")
        await stage.player.close()
    }

    /// Titles of Ogg are in the stream, whose sound goes on without a gap.
    @Test func titlesOfOggAreInTheStream() async throws {
        let server = try await IcecastServer.start()
        let stage = try await BroadcastStage()
        stage.addIcecast(.vorbis, server)
        try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
        let reader = try listen(server)
        var bytes = reader.read(20_000)
        stage.group.show(StreamTitle(title: "Second", artist: "Ann"))
        while bytes.count < 1_000_000, !String(decoding: bytes, as: UTF8.self).contains("=Second") {
            bytes += reader.read(4_096)
        }
        bytes += reader.read(20_000)
        let path = stage.folder.file("heard.ogg")
        try FileBytes.write(bytes, to: path)
        let sound = try MediaSound.of(path)
        // From the first sound on each moment sounds, but for the encoder's first frames.
        let levels = Analysis.levels(sound.channel(0), sampleRate: sound.format.sampleRate, window: 0.02)
            .drop { $0 < -12 }
        let quiet = levels.dropFirst(5).dropLast(5).filter { $0 < -12 }
        #expect(levels.count > 60 && quiet.isEmpty, "\(quiet)")
        await stage.player.close()
    }

    /// The server is killed and comes back: the stream does by itself, and a listener elsewhere hears every sample.
    @Test func aRestartDisturbsNoOtherOutput() async throws {
        let server = try await IcecastServer.start()
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav))
        stage.addIcecast(.opus, server)
        let other = try StreamReader(settings.port)
        try stage.waitForListeners(1)
        let signal = Signal.noise(frames: 44_100 * 8)
        try await stage.play(signal)
        _ = try listen(server).read(20_000)
        server.stop()
        try wait(for: "the loss") { stage.group.members.contains { $0.name == "icecast" && $0.error != nil } }
        try await server.start()
        #expect(try listen(server).read(20_000).count == 20_000)
        #expect(stage.group.members.first { $0.name == "icecast" }?.error == nil)
        let samples = pcm(other.read(44_100 * 4 * 11))
        await stage.player.close()
        let played = Signal.integers(signal)
        let start = try #require(samples.firstIndex { $0 != 0 }) - (try #require(played.firstIndex { $0 != 0 }))
        #expect(samples.count - start > played.count)
        #expect(zip(samples.dropFirst(start), played).allSatisfy { $0 == $1 })
    }

    @Test func aRefusalIsTold() async throws {
        let server = try await IcecastServer.start()
        let stage = try await BroadcastStage()
        stage.addIcecast(.mp3, server, password: "wrong")
        await stage.player.play()
        try wait(for: "the reason") {
            stage.group.members.contains {
                $0.error == "127.0.0.1:\(server.port)/radio: the user or the password is wrong"
            }
        }
        await stage.player.close()
    }

    @Test(arguments: [
        ("HTTP/1.1 100 Continue\r\n", IcecastResponse.accepted), ("HTTP/1.0 200 OK\n", .accepted),
        ("HTTP/1.0 403 Mountpoint in use\r\n", .refused("403 Mountpoint in use")), ("HTTP/1.1 2", .incomplete),
        ("ICY OK\n", .refused("it is no Icecast server")),
    ])
    func responsesAreRead(text: String, response: IcecastResponse) {
        #expect(IcecastResponse(Array(text.utf8)) == response)
    }

    @Test func anEndlessResponseIsRefused() {
        #expect(IcecastResponse([UInt8](repeating: 0x61, count: 5_000)) == .refused("it is no Icecast server"))
    }
}
