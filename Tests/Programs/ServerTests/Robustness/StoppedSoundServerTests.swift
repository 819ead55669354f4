import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// A sound server that does not answer holds up only requests that ask it something.
@Suite(
    .blocking,
    .serialized,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty }
)
struct StoppedSoundServerTests {
    /// Longer than any answer takes, on a machine that does much else.
    private static let patience = Duration.seconds(2)

    /// What has to do with outputs, volumes and zones, in the order in which one client sends it.
    private static let commands = [
        "setvol 30", "volume -5", "toggleoutput 0", "toggleoutput 0", "disableoutput 1", "setvol 60", "enableoutput 1",
        "outputs", "pause", "pause", "seekcur 3", "next", "newpartition more", "partition more", "moveoutput second",
        "route set default", "newpartition third", "partition third", "delpartition more", "moveoutput second",
        "partition default", "zone handover third", "zone handover third", "moveoutput second", "delpartition third",
        "disableoutput 0", "setvol 20", "enableoutput 0", "outputset 0 x y", "play", "stop",
    ]

    /// Asks what needs no sound server, and says how long the slowest answer took.
    private func probe(_ client: LineClient) -> Duration {
        ["ping", "status", "outputs"].map { request in
            let start = ContinuousClock.now
            #expect(client.ask(request).last == "OK")
            return .now - start
        }
        .reduce(.zero, max)
    }

    /// A server that plays to two outputs of a sound server, whose volume is the sound server's and the frames' own.
    private func playing(on pulse: PulseServer) async throws -> Segued {
        let folder = try TemporaryFolder()
        let settings = try """
        listen = ["unix:\(folder.file("socket"))"]
        playlist-directory = "\(folder.makeFolder("playlists"))"

        [[output]]
        type = "pulse"
        name = "first"

        [[output]]
        type = "pulse"
        name = "second"
        mixer = "software"

        """
        let server = try await Segued.start(.toml(settings), in: folder, environment: pulse.clientEnvironment)
        let client = try server.connect()
        for line in ["add one.flac", "add two.flac", "repeat 1", "play"] { try client.order(line) }
        try client.wait("state", "play")
        try wait(for: "something to be heard") { try Double(client.values("status")["elapsed"] ?? "") ?? 0 >= 0.3 }
        return server
    }

    @Test("Commands for outputs, volumes and zones hold up no other client while the sound server stands still")
    func everyCommand() async throws {
        let pulse = try await PulseServer.start()
        let server = try await playing(on: pulse)
        let (speaker, observer, lister) = (try server.connect(), try server.connect(), try server.connect())
        pulse.freeze()
        defer { pulse.thaw() }
        // Asks the sound server itself, and is answered when that goes on.
        lister.send("route list\n")
        var slowest = (line: "", time: Duration.zero)
        for line in Self.commands {
            speaker.send(line + "\n")
            let time = probe(observer)
            if time > slowest.time { slowest = (line, time) }
            let answer = speaker.reply().last ?? ""
            #expect(answer == "OK" || answer.hasPrefix("ACK"), "\(line): \(answer)")
        }
        #expect(slowest.time < Self.patience, "after \(slowest.line)")
        pulse.thaw()
        #expect(lister.reply().last?.hasPrefix("<") == false)
        try observer.order("play")
        try observer.wait("state", "play")
        #expect(server.process.errorText.contains("fatal") == false)
    }

    @Test("A server whose sound server stands still starts, answers, and ends")
    func startAndEnd() async throws {
        let pulse = try await PulseServer.start()
        pulse.freeze()
        defer { pulse.thaw() }
        let server = try await Segued.start(
            .options(["--output", "pulse"]),
            environment: pulse.clientEnvironment
        )
        let (speaker, observer) = (try server.connect(), try server.connect())
        for line in ["add one.flac", "play", "setvol 10", "disableoutput 0", "enableoutput 0"] {
            speaker.send(line + "\n")
            #expect(probe(observer) < Self.patience, "after \(line)")
            #expect(speaker.reply().last?.hasPrefix("<") == false)
        }
        let start = ContinuousClock.now
        try await server.stop()
        #expect(.now - start < .seconds(15))
    }
}
