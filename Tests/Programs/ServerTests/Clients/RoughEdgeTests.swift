import Foundation
import TestSupport
import TestThreads
import Testing

/// Answers that clients of MPD rely on, each of which was another once.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct RoughEdgeTests {
    private let server: Segued
    private let client: LineClient

    init() async throws {
        let folder = try TemporaryFolder()
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            [limits]
            max-messages = 2
            [[output]]
            name = "here"
            type = "null"
            mixer = "none"
            """
        server = try await Segued.start(.toml(settings), in: folder)
        client = try server.connect()
    }

    /// A part is as long as it is, and a part of a sheet has a title of its own.
    @Test func aPartShowsItsLengthAndItsTags() throws {
        try client.order("add one.flac")
        let id = try client.values("playlistinfo")["Id"] ?? ""
        try client.order("rangeid \(id) 0.2:0.5")
        var song = try client.values("playlistinfo")
        #expect(song["duration"] == "0.300" && song["Time"] == "0" && song["Range"] == "0.200-0.500")
        let artist = song["Artist"]
        try client.order("rangeid \(id) 0.1:0.5 title \"A part\" title \"of it\" track 7")
        let titles = client.ask("playlistinfo").filter { $0.hasPrefix("Title: ") }
        #expect(titles == ["Title: A part", "Title: of it"])
        song = try client.values("playlistinfo")
        #expect(song["Track"] == "7" && song["Artist"] == artist)
        #expect(client.ask("rangeid \(id) : colour red")[0].hasPrefix("ACK [2@0]"))
        #expect(client.ask("rangeid \(id) : title")[0].hasPrefix("ACK [2@0]"))
    }

    @Test func aFullMailboxRefuses() throws {
        let reader = try server.connect()
        try reader.order("subscribe news")
        for number in 1...2 { try client.order("sendmessage news \(number)") }
        #expect(client.ask("sendmessage news 3")[0].hasPrefix("ACK [50@0] {sendmessage}"))
        #expect(reader.ask("readmessages").filter { $0.hasPrefix("message: ") } == ["message: 1", "message: 2"])
        try client.order("sendmessage news 4")
    }

    @Test func mountsAreTheSystems() throws {
        #expect(client.ask("listmounts").first == "mount: ")
        for command in ["mount usb udisks://x", "unmount usb", "mount x nfs://x/y"] {
            #expect(client.ask(command)[0].hasPrefix("ACK ["), "\(command)")
        }
        #expect(client.ask("commands").contains("command: mount"))
    }

    /// What cannot be reached is told while it is tried again.
    @Test func aRefusedConnectionIsToldAtOnce() throws {
        try client.order("add http://127.0.0.1:1/radio.mp3")
        let start = ContinuousClock.now
        try client.order("play")
        try wait(for: "the error") { try client.values("status")["error"]?.contains("refused") == true }
        // The first contact is given up only after 15 seconds.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// After its tries it is over, and says why until that was read.
    @Test func anOnlySongThatIsRefusedEndsStopped() throws {
        try client.order("add http://127.0.0.1:1/radio.mp3")
        try client.order("play")
        try client.wait("state", "stop")
        #expect(try client.values("status")["error"]?.contains("refused") == true)
        try client.order("clearerror")
        let status = try client.values("status")
        #expect(status["error"] == nil && status["song"] == "0" && status["playlistlength"] == "1")
    }

    @Test func aVolumeNeedsAMixer() throws {
        #expect(client.ask("setvol 40") == ["ACK [5@0] {setvol} No mixer"])
        #expect(client.ask("volume 4") == ["ACK [52@0] {volume} No mixer"])
        #expect(client.ask("getvol") == ["OK"])
    }
}
