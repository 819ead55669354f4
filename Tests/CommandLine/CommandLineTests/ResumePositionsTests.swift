import AudioTypes
import Foreground
import Testing

@Suite struct ResumePositionsTests {
    /// Heard, duration, whether it is worth going on from.
    @Test(
        arguments: [
            (4.9, 100, false), (5, 100, true), (94.9, 100, true), (95, 100, false), (3600, 36_000, true), (4, 8, false),
            (5.5, 12, true), (8, 12, false), (50, nil, false),
        ] as [(Double, Double?, Bool)]
    )
    func remembersWhatIsWorthIt(heard: Double, duration: Double?, isKept: Bool) {
        let duration = duration.map { MediaTime(seconds: $0) }
        var positions = ResumePositions()
        let time = MediaTime(seconds: heard)
        positions.record(time, heard: time, of: duration, for: "/a")
        #expect(positions.position(for: "/a") == (isKept ? time : nil))
        var known = ResumePositions(parsing: "7\t/a\n")
        known.record(time, heard: time, of: duration, for: "/a")
        #expect(known.position(for: "/a") == (isKept ? time : nil))
    }

    @Test func survivesTheFile() {
        let keys = ["/music/a b.flac", "/odd\tname\n50%25.mp3", "\u{301}/e\u{301}\r\n", "https://example.org/x%20y"]
        var positions = ResumePositions()
        for (place, key) in keys.enumerated() {
            let time = MediaTime(seconds: 10.125 + Double(place))
            positions.record(time, heard: time, of: MediaTime(seconds: 1000), for: key)
        }
        #expect(positions.text.split(separator: "\n").count == keys.count)
        #expect(ResumePositions(parsing: positions.text) == positions)
        for (place, key) in keys.enumerated() {
            #expect(positions.position(for: key) == MediaTime(seconds: 10.125 + Double(place)))
        }
    }

    @Test func readsWhatItCan() {
        let text = "garbage\n-5\t/a\nnan\t/b\n1e999\t/c\n12.5\t/d\n\n13\t\n14\t/d\n"
        let positions = ResumePositions(parsing: text)
        #expect(positions.position(for: "/d") == MediaTime(seconds: 14))
        for key in ["/a", "/b", "/c"] { #expect(positions.position(for: key) == nil) }
    }

    @Test func theOldestGoFirst() {
        var positions = ResumePositions()
        let time = MediaTime(seconds: 10)
        for number in 0...1000 { positions.record(time, heard: time, of: MediaTime(seconds: 99), for: "\(number)") }
        #expect(positions.position(for: "0") == nil)
        #expect(positions.position(for: "1") == time)
        #expect(positions.position(for: "1000") == time)
    }

    @Test func keysNameThePart() {
        func key(_ entry: MediaEntry) -> String? { ResumePositions.key(for: entry) { "/home/" + $0 } }
        #expect(key(MediaEntry(location: "a.flac")) == "/home/a.flac")
        #expect(key(MediaEntry(location: "https://example.org/a")) == "https://example.org/a")
        #expect(key(MediaEntry(location: "a.flac", start: MediaTime(seconds: 2.5))) == "/home/a.flac#t=2.5")
        #expect(key(MediaEntry(location: "-")) == nil)
    }
}
