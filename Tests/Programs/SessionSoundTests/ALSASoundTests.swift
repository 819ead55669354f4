import AudioTypes
import Foundation
import Glibc
import TestSupport
import TestThreads
import TestTiming
import Testing

/// segued on a machine with sound cards and no sound server.
@Suite(.serialized, .blocking, .enabled("libasound2-dev is not installed") { FakeSoundCard.missing == nil })
struct ALSASoundTests {
    /// A segued that plays to cards.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        let process: ChildProcess

        /// - Parameter configuration: Its outputs and zones.
        init(_ configuration: String, music: String? = nil) async throws {
            folder = try TemporaryFolder()
            if music == nil { try Songs.write(to: folder) }
            let text = """
                listen = ["unix:\(folder.file("socket"))"]
                \(configuration)
                [session]
                fade = "100ms"
                duck = 14
                duck-ramp = "120ms"

                """
            let words = [
                "--config", try folder.write("segued.toml", text), "--music-dir", music ?? folder.file("music"),
                "--state-dir", folder.file("state"), "--web-listen", "none",
            ]
            process = try ChildProcess(try builtProgram("segued"), words, environment: try ALSASoundTests.environment())
            try await waitForSocket(folder.file("socket"), of: process)
        }

        deinit {
            if !process.isRunning { Issue.record("segued ended: \(process.errorText)") }
            process.end()
        }

        func connect(_ zone: String? = nil) throws -> LineClient {
            let client = try LineClient(.unix(folder.file("socket")), of: self)
            if let zone { try client.order("partition \(zone)") }
            return client
        }
    }

    /// No sound server is found.
    private static func environment() throws -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let own = ["PATH": path, "PULSE_SERVER": "unix:/nonexistent", "SWIFT_BACKTRACE": "enable=no", "TZ": "UTC"]
        return own.merging(try FakeSoundCard.environment) { $1 }
    }

    private static func output(
        _ name: String,
        _ card: FakeSoundCard,
        table: String = "[[output]]",
        _ more: String = ""
    )
        -> String
    {
        "\(table)\nname = \"\(name)\"\ntype = \"alsa\"\ndevice = \"\(card.device)\"\n\(more)\n"
    }

    /// What a card has heard, each side for itself.
    private func sides(_ card: FakeSoundCard) -> (left: [Int32], right: [Int32]) {
        let samples = card.samples.map(Int32.init)
        return (
            stride(from: 0, to: samples.count - 1, by: 2).map { samples[$0] },
            stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
        )
    }

    private func waitUntilHeard(_ seconds: Double, _ card: FakeSoundCard) throws {
        try wait(for: "\(seconds) s of sound") { Double(card.heard.count) >= seconds * 4 * 44_100 }
    }

    @Test func musicIsLowerUnderAnAnnouncementAndLosesNothing() async throws {
        let card = try FakeSoundCard()
        let stage = try await Stage(Self.output("card", card))
        let client = try stage.connect()
        try client.play("music.wav")
        try waitUntilHeard(1, card)
        let begin = card.heard.count / 4
        #expect(try client.end(of: client.announce("voice.wav")).state == "done")
        try waitUntilHeard(Double(card.heard.count) / 4 / 44_100 + 0.7, card)
        let (left, right) = sides(card)
        let voices = Songs.voice.stretches(in: right)
        let voice = try #require(voices.first)
        #expect(voices.count == 1 && voice.place == 0 && voice.placeEnd == Songs.voice.count, "\(voices)")
        let stretches = Songs.music.stretches(in: left)
        try #require(stretches.count == 1, "music was lost or repeated: \(stretches)")
        let curve = GainCurve(Songs.music, left[stretches[0].heard])
        let dips = curve.dips()
        try #require(dips.count == 1, "\(dips)")
        #expect(abs(dips[0].depth - 14) <= 1)
        #expect((0.08...0.2).contains(dips[0].fall) && (0.08...0.2).contains(dips[0].rise), "\(dips)")
        let start = stretches[0].heard.lowerBound + dips[0].range.lowerBound - begin
        print("ALSA: music begins to fall \(Double(start) / 44.1) ms after an announcement is asked for")
        #expect(card.events(named: "start").count == 1 && card.events(named: "dry").isEmpty)
    }

    @Test func a24BitFileArrivesUnchangedAndTheNextOneInItsOwnFormat() async throws {
        let files = try await (noise(96_000), noise(44_100))
        let card = try FakeSoundCard()
        let folder = URL(filePath: files.0).deletingLastPathComponent().path
        let stage = try await Stage(Self.output("card", card, "mixer = \"none\""), music: folder)
        let client = try stage.connect()
        for file in [files.0, files.1] { try client.order("add \(URL(filePath: file).lastPathComponent)") }
        try client.order("play")
        try client.wait { (Double(try client.values("status")["elapsed"] ?? "") ?? 0) > 0.5 }
        let outputs = try client.order("outputs")
        #expect(
            outputs.contains("attribute: sound=bit-perfect") && outputs.contains("attribute: xruns=0"),
            "\(outputs)"
        )
        try client.wait { try client.values("status")["state"] == "stop" }
        let formats = card.events(named: "format").map {
            $0.more.split(separator: " ").prefix(2).joined(separator: " ")
        }
        #expect(formats.suffix(2) == ["S32_LE 96000", "S16_LE 44100"], "\(formats)")
        let high = try decode(files.0, "s32le")
        let low = try decode(files.1, "s16le")
        let heard = card.heard
        let (isWhole, place) = (heard.starts(with: high), heard.count - low.count)
        #expect(isWhole, "the file of 24 bits at 96 kHz was changed")
        let rest = heard[high.count...]
        #expect(place > 0 && (0..<rest.count / 4).contains { rest.dropFirst(4 * $0).starts(with: low) })
        let (stop, start) = (card.events(named: "stop"), card.events(named: "start"))
        let gap = try #require(start.last).time - stop[stop.count - 2].time
        print("ALSA: \(gap * 1_000) ms between a file at 96 kHz and one at 44.1 kHz")
        #expect(gap < 2)
    }

    /// A volume that a card's mixer applies changes no samples.
    @Test func aMixersVolumeChangesNoSamples() async throws {
        let card = try FakeSoundCard()
        let stage = try await Stage(Self.output("card", card, "mixer-control = \"Digital\""))
        let client = try stage.connect()
        try client.play("music.wav")
        try client.order("setvol 50")
        try wait(for: "the card's volume") { card.volume == 42 }
        try waitUntilHeard(1, card)
        #expect(try client.values("why")["sound"] == "bit-perfect")
        let music = Songs.music.stretches(in: sides(card).left)
        #expect(music.count == 1, "\(music)")
    }

    /// Two seconds of noise, of 24 bits at 96 kHz or of 16 at another rate.
    private func noise(_ rate: Int) async throws -> String {
        try await MediaFixtures.file("alsa\(rate).flac") { path in
            let noise = "anoisesrc=d=2:r=\(rate):a=0.5:seed=\(rate),aformat=sample_fmts=dbl"
            let depth = rate == 44_100 ? ["s16"] : ["s32", "-bits_per_raw_sample", "24"]
            try MediaFixtures.ffmpeg(
                ["-f", "lavfi", "-i", noise, "-ac", "2", "-c:a", "flac", "-sample_fmt"] + depth + [path]
            )
        }
    }

    private func decode(_ file: String, _ format: String) throws -> [UInt8] {
        let words = ["-v", "error", "-i", file, "-f", format, "-"]
        return [UInt8](try ChildProcess.run("ffmpeg", words, within: .patience).output)
    }

    @Test(.timed) func aPauseIsHeardAtOnceAndLosesNothing() async throws {
        let card = try FakeSoundCard()
        let stage = try await Stage(Self.output("card", card))
        let client = try stage.connect()
        try client.play("music.wav")
        try waitUntilHeard(1, card)
        let (begin, paused) = (Double(HostTime.now.nanoseconds) / 1e9, ContinuousClock.now)
        try client.order("pause 1")
        try wait(for: "silence") { !card.events(named: "stop").isEmpty }
        let silence = try #require(card.events(named: "stop").first).time - begin
        print("ALSA: silent \(silence * 1_000) ms after a client asks for a pause")
        try expect(.seconds(silence), atMost: .milliseconds(500), since: paused)
        try client.order("pause 0")
        try waitUntilHeard(2, card)
        let stretches = Songs.music.stretches(in: sides(card).left)
        #expect(stretches.count == 1, "\(stretches)")
        let (jump, sought) = (Double(HostTime.now.nanoseconds) / 1e9, ContinuousClock.now)
        try client.order("seekcur 20")
        try wait(for: "another start") { card.events(named: "start").count == 3 }
        let start = card.events(named: "start")[2]
        print("ALSA: 20 s is heard \((start.time - jump) * 1_000) ms after a client asks for it")
        try expect(.seconds(start.time - jump), atMost: .milliseconds(500), since: sought)
        try waitUntilHeard(Double(start.heard) / 4 / 44_100 + 0.5, card)
        // The first samples may happen to be those that would have come next.
        let place = try #require(Songs.music.stretches(in: sides(card).left).last).place
        #expect((0..<16).contains(place - 20 * 44_100))
    }

    /// The program is held for longer than the card's buffer lasts.
    @Test func goesOnAfterTheCardRanDry() async throws {
        let card = try FakeSoundCard(buffer: 1 << 16)
        let stage = try await Stage(Self.output("card", card))
        let client = try stage.connect()
        try client.play("music.wav")
        try waitUntilHeard(1, card)
        stage.process.kill(SIGSTOP)
        usleep(800_000)
        stage.process.kill(SIGCONT)
        let before = Double(card.heard.count) / 4 / 44_100
        try waitUntilHeard(before + 2, card)
        #expect(!card.events(named: "dry").isEmpty)
        let stretches = Songs.music.stretches(in: sides(card).left)
        #expect(stretches.count == 1, "frames were lost: \(stretches)")
    }

    @Test func waitsForACardThatWasUnplugged() async throws {
        let card = try FakeSoundCard()
        let stage = try await Stage(Self.output("card", card))
        let client = try stage.connect()
        try client.play("music.wav")
        try waitUntilHeard(1, card)
        try card.unplug()
        try client.wait { try client.values("status")["error"]?.contains("is gone; waiting for it") == true }
        let lost = card.heard.count / 4
        #expect(try client.values("status")["state"] == "play")
        card.plugIn()
        try waitUntilHeard(Double(lost) / 44_100 + 1, card)
        #expect(try client.values("status")["error"] == nil)
        let heard = Songs.music.stretches(in: sides(card).left)
        let (before, after) = (try #require(heard.first), try #require(heard.last))
        #expect(abs(after.place - before.placeEnd) < 2_205, "\(heard)")
    }

    @Test func twoZonesPlayToTwoCards() async throws {
        let (card, other) = (try FakeSoundCard(), try FakeSoundCard(rates: "48000", kind: "plugged"))
        let kitchen = "[[zone]]\nname = \"kitchen\"\n" + Self.output("kitchen", other, table: "[[zone.output]]")
        let stage = try await Stage(Self.output("card", card) + kitchen)
        let (client, second) = (try stage.connect(), try stage.connect("kitchen"))
        try client.play("music.wav")
        try second.play("second.wav")
        try waitUntilHeard(1, card)
        try wait(for: "the other card") { other.heard.count > 8 * 48_000 }
        // Each is at a place of its own, so neither interrupts the other.
        #expect(try client.values("status")["state"] == "play" && second.values("status")["state"] == "play")
        #expect(Songs.music.stretches(in: sides(card).left).count == 1)
    }

    @Test func aBusyCardIsNamed() async throws {
        let card = try FakeSoundCard()
        let stage = try await Stage(Self.output("card", card))
        let client = try stage.connect()
        try client.play("music.wav")
        try waitUntilHeard(0.5, card)
        let words = ["play", "-o", "alsa:\(card.device)", stage.folder.file("music/voice.wav")]
        let play = try ChildProcess(try builtProgram("segue-play"), words, environment: try Self.environment())
        let result = try await play.wait()
        #expect(result.status == .code(3))
        #expect(result.errorText.contains("is in use by"), "\(result.errorText)")
    }
}
