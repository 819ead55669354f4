import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Numbers that no song, queue or clock has: each is refused with its bound, and ends nothing.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ExtremeNumberTests {
    private func serverWithSongs() async throws -> Segued {
        let server = try await Segued.start()
        let client = try server.connect()
        for uri in ["one.flac", "two.flac"] { try client.order("add \(uri)") }
        return server
    }

    @Test func timesAreRefused() async throws {
        let server = try await serverWithSongs()
        let client = try server.connect()
        let id = try client.values("playlistid")["Id"] ?? ""
        for state in ["stop", "play 0"] {
            try client.order(state)
            for word in ["1e300", "inf", "nan", "-1", "1e11", "9223372036854775808", "-1e300"] {
                for command in ["seek 0", "seekid \(id)"] {
                    #expect(client.ask("\(command) \(word)").last?.hasPrefix("ACK [2@0]") == true, "\(command) \(word)")
                }
            }
            #expect(client.ask("seek 0 1e9").last == "OK")
        }
        let large = "{seekcur} Number too large: +1e300 (it is from -10000000000 to 10000000000 seconds)"
        #expect(client.ask("seekcur +1e300") == ["ACK [2@0] \(large)"])
        #expect(client.ask("seek 0 -0") == ["OK"])
        #expect(client.ask("seekcur -1e9") == ["OK"])
        for word in ["0:1e300", "1e300:", "0:inf", "nan:", "-1:3", "5:5", "0:1e11"] {
            #expect(client.ask("rangeid \(id) \(word)").last?.hasPrefix("ACK [2@0] {rangeid} Bad range") == true)
        }
        #expect(client.ask("ping") == ["OK"])
    }

    @Test func settingsAreRefused() async throws {
        let client = try await serverWithSongs().connect()
        for command in [
            "crossfade 2147483647", "crossfade 61", "crossfade -1", "mixrampdb 1e300", "mixrampdb nan",
            "mixrampdelay 1e9",
            "mixrampdelay inf", "setvol 101", "setvol -1", "volume 101", "volume 9223372036854775808", "speed 1e300",
            "speed nan", "prio 256 0", "prioid -1 1", "seekcur nan", "binarylimit 9223372036854775807",
            "move 0 2147483648",
            "sticker inc song one.flac x 9223372036854775807", "find \"(base '')\" window 0:9223372036854775808",
            "playlistinfo 9223372036854775807", "delete 9223372036854775806:9223372036854775807",
            "announce one.flac volume 1e9", "announce one.flac expires 1e300", "announce one.flac duck inf",
            "announce one.flac priority 9223372036854775807", "shuffle 0:99999999999",
        ] {
            #expect(client.ask(command).last?.hasPrefix("ACK [2@0]") == true, "\(command): \(client.ask(command))")
        }
        for command in [
            "crossfade 60", "crossfade 0", "mixrampdelay nan", "mixrampdelay -1", "mixrampdb -17", "speed 1",
        ] {
            #expect(client.ask(command) == ["OK"], "\(command)")
        }
    }

    /// A film whose track lasts 2^55 ticks, one whose edit begins there, and a chapter in 2.5 × 10^11 years.
    @Test func filesAreScannedAndPlayed() async throws {
        let music = try TemporaryFolder()
        let folder = try music.makeFolder("music")
        let sound = try await MediaFixtures.position(.m4a, seconds: 2)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: sound)))
        for (name, box, change) in [("stts.m4a", "stts", 12), ("elst.m4a", "elst", 8)] {
            var changed = bytes
            let place = try #require(bytes.firstRange(of: Array(box.utf8))?.upperBound)
            // The first entry's numbers behind version, flags and count, which are 32 bits; the rest of 2^55 is the scale's.
            for index in place + change - 4..<place + change + 4 { changed[index] = 0x7f }
            let scale = try #require(bytes.firstRange(of: Array("mdhd".utf8))?.upperBound)
            changed.replaceSubrange(scale + 12..<scale + 16, with: [0, 0, 0, 1])
            try music.write("music/\(name)", changed)
        }
        let list = try music.write(
            "far.txt",
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=8000000000000000000\nEND=9000000000000000000\ntitle=Far\n"
        )
        let words = ["-i", sound, "-i", list, "-map_metadata", "1", "-c:a", "pcm_s16le", "\(folder)/far.nut"]
        try await MediaFixtures.ffmpeg(words)
        let server = try await Segued.start(music: folder)
        let client = try server.connect()
        for name in ["stts.m4a", "elst.m4a", "far.nut"] {
            #expect(client.ask("lsinfo \"\"").contains("file: \(name)"), "\(name)")
            _ = client.ask("add \(name)")
            _ = client.ask("play")
            _ = client.ask("seekcur 1")
            #expect(client.ask("clear") == ["OK"], "\(name)")
        }
    }
}
