import Foundation
import TestSupport
import TestThreads
import Testing

/// What is announced over what a zone plays, through the protocol; how it sounds is tested where it sounds.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct AnnouncementTests {
    private func files(_ folder: TemporaryFolder) throws -> (short: String, long: String) {
        func wave(_ seconds: Double) -> [UInt8] {
            let count = UInt32(seconds * 8_000) * 2
            func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
                (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            }
            return Array("RIFF".utf8) + bytes(count + 36) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
                + bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(8_000)) + bytes(UInt32(16_000))
                + bytes(UInt16(2)) + bytes(UInt16(16)) + Array("data".utf8) + bytes(count)
                + [UInt8](repeating: 0, count: Int(count))
        }
        return (try folder.write("bell.wav", wave(0.3)), try folder.write("long.wav", wave(60)))
    }

    private func announce(_ client: LineClient, _ words: String) throws -> String {
        try client.values("announce \(words)")["announcement"] ?? ""
    }

    private func state(_ client: LineClient, _ id: String) throws -> String {
        try client.values("announcement info \(id)")["state"] ?? ""
    }

    @discardableResult
    private func end(_ client: LineClient, _ id: String) throws -> [String: String] {
        try client.wait(for: "announcement") { client in
            let report = try client.values("announcement info \(id)")
            return ["queued", "playing"].contains(report["state"]) ? nil : report
        }
    }

    @Test func musicIsLowerMeanwhileAndNothingElseChanges() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let before = try client.order("playlistinfo")
        let id = try announce(client, "\"\(files(folder).short)\" duck 20")
        #expect(try client.session("1")["gain"] == "-20")
        #expect(try client.values("status")["state"] == "play")
        #expect(try end(client, id)["state"] == "done")
        #expect(try client.session("1")["gain"] == "0")
        #expect(try client.order("playlistinfo") == before)
        #expect(try client.order("session list").count { $0.hasPrefix("session: ") } == 1, "its session is gone")
    }

    @Test func anIdleZoneStaysAsItWas() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        try client.order("add one.flac")
        let before = try client.order("status")
        let id = try announce(client, "\"\(files(folder).short)\"")
        #expect(try end(client, id)["state"] == "done")
        #expect(try client.order("status") == before)
    }

    /// The alarm first, then by priority, then in order; none is cut off, and there is one dip.
    @Test func theMostUrgentIsNext() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let bell = try files(folder).short
        let since = try client.newestEvent()
        let ids = try ["", "", "priority 5", "class alarm"].map { try announce(client, "\"\(bell)\" \($0)") }
        #expect(try state(client, ids[0]) == "playing")
        for id in ids { #expect(try end(client, id)["state"] == "done") }
        let ended = try client.order("session events \(since)").compactMap { line in
            line.hasPrefix("announcement: ") ? String(line.dropFirst(14)) : nil
        }
        #expect(ended == [ids[0], ids[3], ids[2], ids[1]])
        #expect(try client.events(after: since, of: "1") == ["ducked gain=-14", "unducked"])
    }

    @Test func cancelling() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let (short, long) = try files(folder)
        let (first, second) = (try announce(client, "\"\(long)\""), try announce(client, "\"\(short)\""))
        #expect(try state(client, second) == "queued")
        try client.order("announcement cancel \(first)")
        #expect(try state(client, first) == "cancelled")
        #expect(try end(client, second)["state"] == "done")
        #expect(client.ask("announcement cancel \(first)").last?.hasPrefix("ACK [50@0]") == true)
        for _ in 0..<3 { _ = try announce(client, "\"\(long)\"") }
        try client.order("announcement cancel all")
        #expect(
            try client.order("announcement list").filter { $0.hasPrefix("state: ") }.prefix(3)
                .allSatisfy { $0 == "state: cancelled" }
        )
        #expect(try client.session("1")["gain"] == "0")
    }

    @Test func oneThatWaitsTooLongExpires() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        let (short, long) = try files(folder)
        let first = try announce(client, "\"\(long)\"")
        let second = try announce(client, "\"\(short)\" expires 0.1")
        #expect(try end(client, second)["state"] == "expired")
        try client.order("announcement cancel \(first)")
    }

    @Test func whatCannotBePlayedFailsAndTheNextIsHeard() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        let broken = try folder.write("broken.wav", Array("no sound".utf8))
        let report = try end(client, announce(client, "\"\(broken)\""))
        #expect(report["state"] == "failed" && report["error"]?.isEmpty == false)
        let report2 = try end(client, announce(client, "\"\(files(folder).short)\" chime \"\(broken)\""))
        #expect(report2["state"] == "done", "without its chime it is still one")
    }

    @Test func whereNothingCanBeHeardItFailsInTheEnd() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        try client.order("disableoutput 0")
        let report = try end(client, announce(client, "\"\(files(folder).short)\""))
        #expect(report["state"] == "failed" && report["error"] == "zone default has no enabled output; enable one")
    }

    /// Everywhere is where something can be heard; who names a zone is told which one cannot.
    @Test func zonesThatCannotSoundAreLeftOut() async throws {
        let folder = try TemporaryFolder()
        let server = try await Segued.start(.mpdConf(""))
        let client = try server.connect()
        try client.order("newpartition kitchen")
        let short = try files(folder).short
        let everywhere = try announce(client, "\"\(short)\" zone all")
        #expect(try client.values("announcement info \(everywhere)")["zone"] == "default")
        #expect(try end(client, everywhere)["state"] == "done")
        let named = try end(client, announce(client, "\"\(short)\" zone default,kitchen"))
        #expect(named["error"] == "zone kitchen has no enabled output; enable one")
        let alone = try end(client, announce(client, "\"\(short)\" zone kitchen"))
        #expect(alone["error"] == "zone kitchen has no enabled output; enable one")
        try client.order("setvol 0")
        let silent = try end(client, announce(client, "\"\(short)\" zone all"))
        #expect(silent["error"] == "the volume of zone default is 0; raise it")
    }

    /// Two for one zone, which is removed while the first is heard.
    @Test func aZoneThatIsGoneHoldsNothingUp() async throws {
        let folder = try TemporaryFolder()
        let server = try await Segued.start()
        let client = try server.connect()
        let long = try files(folder).long
        try client.order("newpartition x")
        let ids = try (0..<2).map { _ in try announce(client, "\"\(long)\" zone x") }
        try client.order("delpartition x")
        for id in ids { #expect(try end(client, id)["state"] == "failed") }
    }

    @Test func nobodyHearsOneAtVolumeNought() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start(.mpdConf("")).connect()
        try client.order("setvol 0")
        let report = try end(client, announce(client, "\"\(files(folder).short)\" class alarm"))
        #expect(report["error"] == "the volume of zone default is 0; raise it")
    }

    /// A path is for the user who runs the server, as a chime as well.
    @Test func aChimeIsNoWayAroundPermissions() async throws {
        let folder = try TemporaryFolder()
        let port = try steadyPort()
        let server = try await Segued.start(.options(["--listen", "tcp:127.0.0.1:\(port)"]))
        _ = try server.connect().order("ping")
        let bell = try files(folder).short
        let reply = try LineClient(.ipv4(port)).ask("announce one.flac chime \"\(bell)\"")
        #expect(reply == ["ACK [4@0] {announce} Access denied"])
    }

    /// Many texts at once are spoken by a few programs, and all are heard.
    @Test func manyTextsAreSpokenAFewAtATime() async throws {
        let folder = try TemporaryFolder()
        let bell = try files(folder).short
        let log = folder.file("log")
        let script = try folder.write(
            "speak",
            "#!/bin/sh\necho + >> \(log); sleep 0.1; cat \(bell); echo - >> \(log)\n"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        let server = try await Segued.start(
            .toml(
                """
                listen = ["unix:\(folder.file("socket"))"]
                [[output]]
                name = "null"
                type = "null"
                [announcements]
                speech-command = ["\(script)"]
                """
            ),
            in: folder
        )
        let client = try server.connect()
        let ids = try (0..<8).map { try announce(client, "say \"text \($0)\"") }
        for id in ids { #expect(try end(client, id)["state"] == "done") }
        var (now, most, total) = (0, 0, 0)
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            now += line == "+" ? 1 : -1
            total += line == "+" ? 1 : 0
            most = max(most, now)
        }
        #expect(total == 8 && most <= 2, "\(most) at once")
    }

    /// A call takes the sink; the music comes back after the call, not before.
    @Test func aCallEndsIt() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let id = try announce(client, "\"\(files(folder).long)\"")
        let call = try #require(try client.values("session interrupt begin call")["session"])
        let report = try client.values("announcement info \(id)")
        #expect(report["state"] == "failed" && report["error"] == "interrupted by a call")
        #expect(try client.values("status")["interrupted"] == call)
        try client.order("session interrupt end \(call)")
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.session("1")["gain"] == "0")
    }

    @Test func speechIsPausedForIt() async throws {
        let folder = try TemporaryFolder()
        let client = try await Segued.start().connect()
        for command in ["sticker set song one.flac mode spokenAudio", "add one.flac", "play"] {
            try client.order(command)
        }
        try client.wait("audio", "44100:16:2")
        let id = try announce(client, "\"\(files(folder).short)\"")
        #expect(try client.values("status")["state"] == "pause")
        #expect(try client.order("why")[0].hasPrefix("cause: interrupted by the announcement "))
        #expect(try end(client, id)["state"] == "done")
        try client.wait(for: "player") { try $0.values("status")["state"] == "play" ? true : nil }
    }

    @Test(arguments: [
        ("announce", "ACK [2@0] {announce} too few arguments for \"announce\""),
        ("announce say", "ACK [2@0] {announce} badParam: TEXT is missing"),
        ("announce one.flac volume 101", "ACK [2@0] {announce} badParam: volume is 0 to 100, not '101'"),
        ("announce one.flac class urgent", "ACK [2@0] {announce} badParam: a class is normal, assistant or alarm"),
        ("announce one.flac zone nowhere", "ACK [50@0] {announce} no such zone: nowhere"),
        ("announce one.flac shout 1", "ACK [2@0] {announce} badParam: an announcement has no key 'shout'"),
        ("announce ../etc/passwd", "ACK [50@0] {announce} "),
        (
            "announce say \"\(String(repeating: "a", count: 5_000))\"",
            "ACK [2@0] {announce} badParam: a text has at most"
        ),
        ("announcement info 7", "ACK [50@0] {announcement} no such announcement: 7"),
        ("announcement cancel x", "ACK [2@0] {announcement} badParam: 'x' is not an announcement's number"),
    ])
    func whatIsWrongIsRefused(_ line: String, _ wanted: String) async throws {
        let client = try await Segued.start().connect()
        let reply = client.ask(line)
        #expect(reply.count == 1 && reply[0].hasPrefix(wanted), "\(reply)")
        #expect(try client.order("announcement list") == [])
    }
}
