import AudioTypes
import FFmpegValues
import HTTP
import MediaCoding
import Synchronization
import TestSupport
import Testing
import Threads

/// What is read ahead of a real web server is what the file holds, sample by sample.
@Suite(
    .enabled("nginx, ffmpeg or lame is not installed") { WebServer.missing.isEmpty && MediaFixtures.missing.isEmpty }
)
struct StreamReadingTests {
    private static let rate = 44_100

    private static func noise(_ codec: MediaFixtures.Codec) async throws -> String {
        let rate = codec == .opus ? 48_000 : 44_100
        return try await MediaFixtures.audio("stream", codec, sampleRate: rate) {
            Signal.softNoise(frames: 12 * rate + 17, sampleRate: rate, seed: 5)
        }
    }

    /// All that a reader gives.
    private static func heard(_ reader: inout MediaReader, as format: AudioFormat) throws -> MediaSound {
        var converter = AudioConverter(output: format)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter)
        try sound.append(&converter)
        return sound
    }

    private static func format(_ reader: borrowing MediaReader) -> AudioFormat {
        AudioFormat(sampleFormat: .f32, sampleRate: reader.sampleRate, channels: .stereo)
    }

    @Test(arguments: MediaFixtures.Codec.allCases)
    func holdsWhatTheFileHolds(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.noise(codec)
        let server = try await WebServer.start()
        let url = try server.publish(path, as: "noise")
        var reader = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt())
        let format = Self.format(reader)
        let local = try MediaSound.of(path, as: format)
        let sound = try Self.heard(&reader, as: format)
        #expect(sound.bytes == local.bytes)
        #expect(reader.streamStatus?.connection == .complete)
        #expect(reader.streamStatus?.bufferedDuration == 0)
    }

    /// Files of two parts, also with a picture between them.
    @Test(arguments: [MediaFixtures.Codec.mp3, .mp3VBR], [0, 200_000])
    func joinedFilesAreHeardWhole(_ codec: MediaFixtures.Codec, _ between: Int) async throws {
        let part = try FileBytes.read(try await Self.noise(codec))
        let picture = Array("image/png\0".utf8) + [3, 0] + [UInt8](repeating: 0x5a, count: between)
        let tag = between == 0 ? [] : MadeMedia.id3(version: 4, MadeMedia.frame("APIC", [0] + picture))
        let folder = try TemporaryFolder()
        let path = try folder.write("joined.mp3", part + tag + part)
        let server = try await WebServer.start(.whole("whole/"))
        let format = AudioFormat(sampleFormat: .f32, sampleRate: Self.rate, channels: .stereo)
        let local = try MediaSound.of(path, as: format)
        #expect(local.frameCount > 24 * Self.rate)
        // A server without ranges does not let the reader look behind the first part in advance.
        for url in [try server.publish(path, as: "joined.mp3"), server.url("whole/joined.mp3")] {
            let sound = try MediaSound.of(MediaEntry(location: url), as: format)
            #expect(sound.frameCount >= local.frameCount)
            #expect(sound.bytes.starts(with: local.bytes.prefix(20 * Self.rate * format.bytesPerFrame)))
            // There, a picture counts as sound.
            guard between == 0 || !url.contains("whole/") else { continue }
            let duration = try MediaProbe.probe(url).duration
            #expect(abs((duration ?? .zero).seconds - 24) < 1)
        }
    }

    /// A tag with a picture behind the sound, which no one can look at in advance, is no sound.
    @Test(arguments: [false, true])
    func aLastTagIsNoSound(_ isID3: Bool) async throws {
        let part = try FileBytes.read(try await Self.noise(.mp3))
        let picture = (0..<200_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
        let size = picture.count + 32
        let fields = MadeMedia.bigEndian(2_000, 4).reversed() + MadeMedia.bigEndian(size, 4).reversed() + [1, 0, 0, 0]
        let head = Array("APETAGEX".utf8) + fields
        let ape =
            head + [0, 0, 0, 0xa0] + [UInt8](repeating: 0, count: 8) + picture + head + [UInt8](repeating: 0, count: 12)
        let id3 = MadeMedia.id3(
            version: 4,
            MadeMedia.frame("APIC", [0] + Array("image/png\0".utf8) + [3, 0] + picture)
        )
        let folder = try TemporaryFolder()
        let path = try folder.write("tagged.mp3", part + (isID3 ? id3 : ape))
        let server = try await WebServer.start(.whole("whole/"))
        try server.publish(path, as: "tagged.mp3")
        let format = AudioFormat(sampleFormat: .f32, sampleRate: Self.rate, channels: .stereo)
        let local = try MediaSound.of(path, as: format)
        // The footer tells of no header.
        #expect(local.frameCount > 12 * Self.rate)
        var reader = try MediaReader.open(MediaEntry(location: server.url("whole/tagged.mp3")), interrupt: Interrupt())
        let sound = try Self.heard(&reader, as: format)
        #expect(reader.damage.isEmpty)
        // The padding behind the sound is not cut off.
        #expect(local.frameCount...local.frameCount + 2_304 ~= sound.frameCount)
        #expect(sound.bytes.starts(with: local.bytes.prefix(11 * Self.rate * format.bytesPerFrame)))
    }

    @Test(arguments: MediaFixtures.Codec.allCases)
    func seeksToTheSample(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.noise(codec)
        let server = try await WebServer.start()
        let url = try server.publish(path, as: "noise")
        var context = StreamContext()
        // So little is read ahead that the places lie outside of it.
        context.options.preferredForwardBuffer = 0.5
        var reader = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt(), stream: context)
        let format = Self.format(reader)
        let local = try MediaSound.of(path, as: format).channel(0)
        var converter = AudioConverter(output: format)
        for place in [400_000, 1, 529_100, 44_100, 250_001] {
            let landed = try reader.seek(to: MediaTime(sample: place, at: reader.sampleRate))
            #expect(landed.sample(at: reader.sampleRate) == place)
            converter.reset()
            var sound = MediaSound(format: format)
            try sound.append(&reader, &converter, upTo: 5_000)
            let heard = sound.channel(0)
            let wanted = local[place..<min(place + 5_000, local.count)]
            #expect(heard.count == wanted.count)
            let ratio = Analysis.signalToNoise(Array(wanted), heard)
            #expect(ratio >= SeekTests.leastRatio(codec), "\(codec) at \(place)")
        }
    }

    /// An MP4 file whose index stands at the end is read through where the server sends no ranges.
    @Test(arguments: [MediaFixtures.Codec.m4a, .alac])
    func playsAnIndexAtTheEnd(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.noise(codec)
        try #require(MovieOrder(of: Array(FileBytes.read(path).prefix(1_024))) == .mediaFirst)
        let server = try await WebServer.start(.whole("whole/"))
        try server.publish(path, as: "noise")
        let entry = MediaEntry(location: server.url("whole/noise"))
        var reader = try MediaReader.open(entry, interrupt: Interrupt())
        let format = Self.format(reader)
        let local = try MediaSound.of(path, as: format)
        let sound = try Self.heard(&reader, as: format)
        #expect(sound.bytes == local.bytes)
        #expect(try reader.seek(to: MediaTime(seconds: 3)).seconds == 3)
    }

    /// So it is where the server does not even tell a length, and the connection's end is the file's.
    @Test(arguments: ["", "Transfer-Encoding: chunked"])
    func playsAnIndexAtTheEndOfUntoldLength(_ encoding: String) async throws {
        let path = try await Self.noise(.m4a)
        let bytes = try FileBytes.read(path)
        let server = try HostileServer { exchange in
            let lines = ["HTTP/1.1 200 OK", "Content-Type: audio/mp4", "Connection: close"]
            exchange.send((lines + (encoding.isEmpty ? [] : [encoding]) + ["", ""]).joined(separator: "\r\n"))
            if !encoding.isEmpty { exchange.send(String(bytes.count, radix: 16) + "\r\n") }
            exchange.send(bytes)
            if !encoding.isEmpty { exchange.send("\r\n0\r\n\r\n") }
        }
        var reader = try MediaReader.open(MediaEntry(location: server.url("m.m4a")), interrupt: Interrupt())
        let format = Self.format(reader)
        let local = try MediaSound.of(path, as: format)
        let sound = try Self.heard(&reader, as: format)
        #expect(sound.bytes == local.bytes)
        #expect(reader.streamStatus?.isLive == false)
        #expect(server.state.withLock { $0.requests.count } == 1)
    }

    /// One that is longer than what is read through says why it is not played, without being fetched.
    @Test func saysThatAnIndexAtTheEndIsTooFar() async throws {
        let size = MovieOrder.longestGathered + 1
        var head: [UInt8] = [0, 0, 0, 16] + Array("ftypM4A \0\0\0\0".utf8)
        head += MadeMedia.bigEndian(size - 100, 4) + Array("mdat".utf8)
        let server = try HostileServer { [head] exchange in
            exchange.answer("200 OK", "audio/mp4", head + [UInt8](repeating: 0, count: 100_000), length: size)
        }
        let url = server.url("long.m4a")
        #expect(throws: MediaError(location: url, reason: .indexAtEnd)) {
            _ = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt())
        }
    }

    @Test func findsWhatComesFirstInAMovie() {
        func box(_ name: String, _ count: Int) -> [UInt8] {
            MadeMedia.box(name, [UInt8](repeating: 0, count: count - 8))
        }
        let head = box("ftyp", 24) + box("free", 2_000)
        #expect(MovieOrder(of: head + box("mdat", 8)) == .mediaFirst)
        #expect(MovieOrder(of: head + box("moov", 8)) == .indexFirst)
        #expect(MovieOrder(of: Array(head.prefix(100))) == .unclear(needed: 2_032))
        #expect(MovieOrder(of: box("ftyp", 24)) == .unclear(needed: 32))
        #expect(MovieOrder(of: []) == .unclear(needed: 8))
        // Sizes that lead nowhere, or on for ever.
        for size: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 1], [0xff, 0xff, 0xff, 0xff], [0x7f, 0, 0, 0]] {
            #expect(MovieOrder(of: size + Array("free".utf8)) == .indexFirst)
        }
        #expect(MovieOrder(of: Array("RIFF0000WAVE".utf8)) == .indexFirst)
    }

    @Test func asksForNothingWithinWhatIsThere() async throws {
        let path = try await Self.noise(.flac)
        let server = try await WebServer.start()
        let url = try server.publish(path, as: "noise.flac")
        let (signal, isComplete) = AsyncStream.makeStream(of: Void.self)
        let context = StreamContext(report: { event in
            if case .changed(let status) = event, status.connection == .complete { isComplete.yield() }
        })
        var reader = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt(), stream: context)
        for await _ in signal { break }
        // nginx logs a request when it has ended.
        server.stop()
        for place in [8.0, 3.0, 11.9, 0.0] {
            #expect(try reader.seek(to: MediaTime(seconds: place)).seconds == place)
        }
    }

    @Test func readsNoFurtherAheadThanWanted() async throws {
        let path = try await MediaFixtures.position(.flac, seconds: 240)
        let server = try await WebServer.start()
        let url = try server.publish(path, as: "long.flac")
        var context = StreamContext()
        context.options.preferredForwardBuffer = 4
        let reader = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt(), stream: context)
        var status = reader.streamStatus
        while status?.isFull != true {
            await Task.yield()
            status = reader.streamStatus
        }
        #expect((3...5).contains(status?.bufferedDuration ?? 0), "\(String(describing: status))")
    }

    /// What only leads on to other things must not open files of this machine.
    @Test(arguments: [
        "file:///etc/hosts", "/etc/hosts", "concat:/etc/hosts", "subfile,,start,0,end,9,,:/etc/hosts",
        "data:audio/mpeg;base64,AAAA",
    ])
    func namesNothingOfThisMachine(_ location: String) async throws {
        let server = try await WebServer.start()
        for (name, text) in [
            ("list.m3u", "#EXTM3U\n#EXTINF:-1,a\n\(location)\n"),
            ("list.pls", "[playlist]\nFile1=\(location)\nNumberOfEntries=1\n"),
            ("live.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(location)\n#EXT-X-ENDLIST\n"),
            ("list.txt", "ffconcat version 1.0\nfile \(location)\n"),
        ] {
            let url = try server.publish(text: text, as: name)
            var context = StreamContext()
            context.options.reconnectLimit = 0
            #expect(throws: MediaError.self) {
                _ = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt(), stream: context)
            }
        }
    }

    /// A broadcast is joined in the middle of a frame, whose bits may look like a header that leads 8 KiB on.
    @Test func isJoinedInTheMiddleOfAFrame() async throws {
        let programme = try await NetworkMaterial.radio(.aac, seconds: 20).bytes
        var frames: [Int] = []
        var place = 0
        while let header = ADTSHeader(programme, at: place) {
            frames.append(place)
            place += header.byteCount
        }
        try #require(place == programme.count)
        let starts = Set(frames)
        // In front of each syncword that is none.
        let chances = programme.indices.dropLast(60_000).filter {
            !starts.contains($0) && programme[$0] == 0xff && programme[$0 + 1] & 0xf6 == 0xf0
        }
        try #require(chances.count > 20)
        let server = try HostileServer { exchange in
            let offset = Int(exchange.path.dropFirst()) ?? 0
            exchange.send("HTTP/1.0 200 OK\r\nContent-Type: audio/aac\r\nicy-name: Radio\r\n\r\n")
            exchange.send(programme[offset..<offset + 40_000])
        }
        for chance in chances.prefix(40) {
            var context = StreamContext()
            context.options.reconnectLimit = 0
            let entry = MediaEntry(location: server.url("\(chance)"))
            var reader = try MediaReader.open(entry, interrupt: Interrupt(), stream: context)
            let format = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
            var converter = AudioConverter(output: format)
            var sound = MediaSound(format: format)
            // The broadcast breaks off.
            #expect(throws: (any Error).self) { try sound.append(&reader, &converter) }
            try sound.append(&converter)
            let whole = zip(frames, frames.dropFirst()).filter { $0 >= chance && $1 <= chance + 40_000 }
            #expect(sound.frameCount / 1024 == whole.count, "joined at \(chance)")
        }
    }

    @Test func sayWhatIsNoMedia() async throws {
        let server = try await WebServer.start()
        let page = try server.publish(text: "<!DOCTYPE html><html><body>Not found</body></html>", as: "song.mp3")
        let empty = try server.publish(text: "#EXTM3U\n", as: "empty.m3u")
        for (url, reason) in [(page, MediaError.Reason.webPage), (empty, .emptyPlaylist)] {
            #expect(throws: MediaError(location: url, reason: reason)) {
                _ = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt())
            }
        }
    }

    /// A reader that is interrupted does not wait for a server that says nothing.
    @Test func anInterruptBreaksOffAtOnce() async throws {
        let server = try HostileServer.silent()
        let interrupt = Interrupt()
        let url = server.url("silence.mp3")
        let isInterrupted = Watched<Bool?>(nil)
        // Not in a task, which would wait for others to have computed.
        try WorkThread.start(named: "opening") {
            let result = Result { try MediaReader.open(MediaEntry(location: url), interrupt: interrupt).sampleRate }
            guard case .failure(let error) = result else { return isInterrupted.withLock { $0 = false } }
            isInterrupted.withLock { $0 = (error as? FFmpegError)?.isInterruption == true }
        }
        #expect(await server.state.wait(within: .patience) { !$0.requests.isEmpty })
        interrupt.raise()
        #expect(await isInterrupted.wait(within: .patience) { $0 == true })
    }
}
