import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// What `segue doctor` finds out about the daemon.
@Suite(.blocking, .timeLimit(.minutes(5))) struct DoctorTests {
    /// Without a sound server nothing will be heard, also when nothing was played yet.
    @Test func aMissingSoundServerIsNamed() async throws {
        let place = try Place()
        let address = "unix:\(place.folder.file("nothing"))"
        let words = place.arguments.dropLast() + ["pulse"]
        let daemon = try Segued(in: place, Array(words), environment: ["PULSE_SERVER": address])
        try daemon.waitUntilReady()
        let result = try await place.segue("doctor")
        #expect(result.status == .code(1))
        let line = try #require(result.outputText.split(separator: "\n").first { $0.contains("sound server") })
        #expect(
            line.hasPrefix("problem: sound server: no sound will be heard: no sound server answers at \(address) (")
        )
        // An option that only `segue play` has.
        #expect(!line.contains("--server"))
    }

    /// Also when it was there before, and the output that played to it tells of the loss.
    @Test(.enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
    func aLostSoundServerIsNamed() async throws {
        let sound = try await PulseServer.start()
        let place = try Place()
        let words = place.arguments.dropLast() + ["pulse"]
        let daemon = try Segued(in: place, Array(words), environment: ["PULSE_SERVER": sound.address])
        try daemon.waitUntilReady()
        let client = try place.connect()
        try client.run("add", place.folder.file("music/one.wav"))
        try client.run("play")
        _ = try client.wait { $0.state == .playing && $0.elapsed ?? 0 > 0.2 }
        sound.kill()
        try await daemon.process.waitForOutput("no sound server answers at \(sound.address) (")
    }

    /// A sink that is muted, and one that is not there, are why nothing is heard.
    @Test(.enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
    func aSinkThatCannotBeHeardIsNamed() async throws {
        let sound = try await PulseServer.start(NullSink("kitchen"))
        try sound.control("set-sink-mute", "kitchen", "1")
        let place = try Place()
        let output = "type = \"pulse\"\nserver = \"\(sound.address)\""
        let configuration = try place.folder.write(
            "segued.toml",
            "[[output]]\nname = \"one\"\n\(output)\n[[output]]\nname = \"two\"\n\(output)\ndevice = \"attic\"\n"
        )
        let daemon = try Segued(in: place, place.arguments.dropLast(2) + ["--config", configuration])
        try daemon.waitUntilReady()
        let client = try place.connect()
        try client.run("add", place.folder.file("music/one.wav"))
        try client.run("play")
        try TestSupport.wait(for: "the loss") { try client.run("route", "outputs").values("lost").count == 1 }
        let result = try await place.segue("doctor")
        #expect(result.status == .code(1))
        #expect(
            result.outputText.contains("warning: sink: kitchen is muted: nothing can be heard. pactl set-sink-mute")
        )
        #expect(
            result.outputText.contains("problem: route: two: the sound server has no sink 'attic'; waiting for it. ")
        )
    }

    /// A sink that another zone waits for is a problem, too, and advice says for which zone it is.
    @Test(.enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
    func lostSinksOfAllZonesAreNamed() async throws {
        let sound = try await PulseServer.start(NullSink("kitchen"))
        let place = try Place()
        let zones = [("default", "kitchen"), ("attic", "goes"), ("garden", "gone")].map { zone, sink in
            "[[zone]]\nname = \"\(zone)\"\n[[zone.output]]\nname = \"to \(sink)\"\ntype = \"pulse\"\n"
                + "server = \"\(sound.address)\"\ndevice = \"\(sink)\"\n"
        }
        let configuration = try place.folder.write("segued.toml", zones.joined(separator: "\n"))
        let daemon = try Segued(in: place, place.arguments.dropLast(2) + ["--config", configuration])
        try daemon.waitUntilReady()
        let client = try place.connect()
        for zone in ["attic", "garden"] {
            try client.run("partition", zone)
            try TestSupport.wait(for: "the loss") { try client.run("route", "outputs")["lost"] != nil }
        }
        func loss(_ name: String, _ sink: String, _ zone: String) -> String {
            "problem: route: \(name): the sound server has no sink '\(sink)'; waiting for it. "
                + "Connect it, or play elsewhere: segue route set default --zone \(zone)"
        }
        let report = try await place.segue("doctor").outputText.split(separator: "\n").map(String.init)
        #expect(report.contains(loss("to goes in zone attic", "goes", "attic")), "\(report)")
        #expect(report.contains(loss("to gone in zone garden", "gone", "garden")), "\(report)")
        let attic = try await place.segue("doctor", "--zone", "attic").outputText
        #expect(attic.contains(loss("to goes", "goes", "attic")) && attic.contains("in zone garden"), "\(attic)")
        // The server that answers is not the one that the user's files tell of.
        #expect(report.contains("good: sound server: 1 sink"))
        #expect(!report.contains { $0.contains("no PulseAudio") }, "\(report)")
    }

    @Test(.enabled("libasound2-dev is not installed") { FakeSoundCard.missing == nil })
    func aDeviceOfALSAIsNamed() async throws {
        let card = try FakeSoundCard()
        let place = try Place()
        let configuration = try place.folder.write(
            "segued.toml",
            "[[output]]\nname = \"card\"\ntype = \"alsa\"\ndevice = \"\(card.device)\"\n"
        )
        let words = Array(place.arguments.dropLast(2)) + ["--config", configuration]
        let daemon = try Segued(in: place, words, environment: try FakeSoundCard.environment)
        try daemon.waitUntilReady()
        let client = try place.connect()
        try client.run("add", place.folder.file("music/one.wav"))
        try client.run("play")
        try TestSupport.wait(for: "sound") { !card.events(named: "start").isEmpty }
        let playing = try await place.segue("doctor")
        #expect(playing.outputText.contains("good: device: \(card.device), S"), "\(playing.outputText)")
        #expect(playing.outputText.contains(": sound system: "))
        try card.unplug()
        try TestSupport.wait(for: "the loss") { try client.run("route", "outputs").values("lost").count == 1 }
        let lost = try await place.segue("doctor")
        #expect(lost.status == .code(1))
        #expect(lost.outputText.contains("problem: route: card: the device '\(card.device)' is gone; waiting for it"))
    }

    /// A problem has one line, however many checks find it.
    @Test func aProblemIsToldOnce() async throws {
        let place = try Place()
        let nowhere = place.folder.file("no-pulse")
        let daemon = try Segued(
            in: place,
            place.arguments.dropLast() + ["pulse"],
            environment: ["PULSE_SERVER": "unix:" + nowhere]
        )
        try daemon.waitUntilReady()
        let client = try place.connect()
        try client.run("add", "one.wav")
        try client.run("play")
        try TestSupport.wait(for: "the failure") { try client.run("status")["error"] != nil }
        let lines = try await place.segue("doctor").outputText.split(separator: "\n").filter {
            !$0.hasPrefix("good: ") && !$0.contains(": library: ")
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("problem: sound server: "), "\(lines)")
    }

    @Test func aServerThatDoesNotAnswerIsOneProblem() async throws {
        let lines = try await Place().segue("doctor").outputText.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("problem: server: none answers at "), "\(lines)")
    }

    @Test func whatNeedsNoSoundServerHasNone() async throws {
        let daemon = try Segued.start(in: try Place())
        let result = try await daemon.place.segue("doctor")
        #expect(result.status == .code(0))
        #expect(!result.outputText.contains("sound server:"))
    }
}
