import Foundation
import TestSupport
import TestThreads
import Testing

/// A state folder as the server wrote it in November 2026: it is taken up whole, and stays byte for byte.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct EarlierStateTests {
    private static let journals = [
        "clients": #"""
        680d71f3 client 192.0.2.7 "" permissions read,add until 4000000000 hours 07:00-22:30
        f5e94eaf client tablet "" permissions default classes alarm,no-call
        8aff5ed8 client 192.0.2.8 "" classes alarm

        """#,
        "stickers": #"""
        430f0be0 set song one.flac rating "5 %"
        e0bfd87b set song two.flac "Bjö rk" "a\"b"
        d4d2bc51 set playlist mine x y

        """#,
        "timers": #"""
        f94274eb alarm 1 04:30 2099-12-24 zone default volume 40 ramp 60 snooze 540 length 60 enabled 1 handled 1795830152
        97842459 holiday 2099-12-25 2099-12-26
        3d7a8650 schedule 1 05:00 2099-12-24 zone default command pause enabled 1 handled 1795830152 by "uid 0" from "uid 0"

        """#,
        "zones": #"""
        44901ee6 new kitchen

        """#,
        "zones/default": #"""
        34adb1ec length 4
        9675e6e6 song 0 1 0 one.flac
        2d6f29e6 song 1 2 5 two.flac 1.5 20.0
        600d0040 song 2 3 0 three.flac
        030ca172 song 3 4 0 http://192.0.2.1/stream
        2d79c51f tag 4 Title "A \"B\" ö"
        33b75253 mode random 1
        97f4982c mode single 1
        3c3005b9 mode consume oneshot
        f691df60 option crossfade 3
        ddc0d78a option mixrampdb -17.0
        6cafb0ae option mixrampdelay 2.0
        08aafd2a option replaygain album
        5c42e094 option speed 1.25
        b8e997bf option pitch varispeed
        b3669773 volume 40

        """#,
        "zones/kitchen": #"""
        44c74563 length 1
        9675e6e6 song 0 1 0 one.flac

        """#,
    ]

    @Test func isTakenUpAndStaysAsItIs() async throws {
        let folder = try TemporaryFolder()
        let first = try await Segued.start(in: folder)
        let state = first.stateFolder
        try await first.stop()
        try FileManager.default.removeItem(atPath: state + "/zones/default.position")
        for (name, text) in Self.journals {
            try Data(text.utf8).write(to: URL(filePath: "\(state)/\(name).journal"))
        }
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        let status = try client.values("status")
        let expected = [
            "repeat": "0", "random": "1", "single": "1", "consume": "oneshot", "playlistlength": "4", "xfade": "3",
            "mixrampdb": "-17", "mixrampdelay": "2", "volume": "40", "state": "stop",
        ]
        for (key, value) in expected { #expect(status[key] == value, "\(key)") }
        #expect(try client.values("replay_gain_status")["replay_gain_mode"] == "album")
        let songs = try client.order("playlistinfo")
        #expect(
            songs.filter { $0.hasPrefix("file: ") }
                == ["file: one.flac", "file: two.flac", "file: three.flac", "file: http://192.0.2.1/stream"]
        )
        for line in ["Range: 1.500-20.000", "Prio: 5", "Title: A \"B\" ö"] { #expect(songs.contains(line)) }
        #expect(try client.order("sticker list song two.flac") == [#"sticker: Bjö rk=a"b"#])
        #expect(try client.order("sticker get song one.flac rating") == ["sticker: rating=5 %"])
        #expect(try client.order("listpartitions") == ["partition: default", "partition: kitchen"])
        #expect(try client.order("alarm list").contains("length: 60"))
        #expect(try client.order("schedule list").contains { $0.contains("2099-12-24") })
        let known = try client.order("clients list")
        for line in ["client: tablet", "client: 192.0.2.7", "until: 2096-10-02T07:06:40.000Z"] {
            #expect(known.contains(line), "\(line)")
        }
        try client.order("partition kitchen")
        #expect(try client.order("playlistinfo").first == "file: one.flac")
        try await server.stop()
        for (name, text) in Self.journals {
            #expect(try String(contentsOfFile: "\(state)/\(name).journal", encoding: .utf8) == text, "\(name)")
        }
    }
}
