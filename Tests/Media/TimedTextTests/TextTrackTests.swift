import AudioTypes
import Testing
import TimedText

struct TextTrackTests {
    @Test
    func tellsWhatIsShownAndUntilWhen() {
        let track = TextTrack([cue(5, 7, "b"), cue(1, 3, "a"), cue(6, 9, "c")])
        let expected: [(Double, [String], Double?)] = [
            (0, [], 1), (1, ["a"], 3), (2.999, ["a"], 3), (3, [], 5), (5.5, ["b"], 6), (6, ["b", "c"], 7),
            (7, ["c"], 9), (9, [], nil), (1e9, [], nil), (-5, [], 1),
        ]
        for (seconds, lines, next) in expected {
            let shown = track.shown(at: time(seconds))
            #expect(shown.lines == lines && shown.nextChange?.seconds == next, "at \(seconds)")
        }
    }

    @Test
    func changesAtOnceFromOneCueToTheNext() {
        let track = TextTrack([cue(1, 2, "a"), cue(2, 3, "b")])
        #expect(track.shown(at: time(1)).nextChange == time(2))
        #expect(track.shown(at: time(2)).lines == ["b"])
    }

    @Test
    func agreesWithAPlainSearch() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let cues = (0..<6).compactMap { number in
                let start = Int.random(in: 0..<20, using: &random)
                return cue(Double(start), Double(start + Int.random(in: 1...10, using: &random)), "\(number)")
            }
            let track = TextTrack(cues)
            for half in 0..<64 {
                let moment = time(Double(half) / 2)
                let shown = track.shown(at: moment)
                let wanted = track.cues.filter { $0.start <= moment && moment < $0.end }
                #expect(shown.cues == wanted)
                let changes = Set(cues.flatMap { [$0.start, $0.end] }).filter { $0 > moment }
                #expect(shown.nextChange == changes.min())
            }
        }
    }

    @Test
    func showsNothingWithoutCues() {
        #expect(TextTrack([]).shown(at: .zero) == TextTrack([]).shown(at: time(5)))
        #expect(TextTrack([]).shown(at: .zero).nextChange == nil)
    }
}

private func cue(_ start: Double, _ end: Double, _ text: String) -> Cue {
    guard let cue = Cue(start: time(start), end: time(end), text: text) else {
        preconditionFailure("a cue with nothing")
    }
    return cue
}
