import Playlists
import Testing

/// What follows, by mode; `ReferenceTests` holds the same against MPD itself.
struct QueueStepTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var modes: QueueModes
        var start: Int
        /// What `nextPosition` says before.
        var following: Int?
        var ended: QueuePlayback
        var next: QueuePlayback
        var consumed: UInt32?

        var testDescription: String { "\(modes) from \(start)" }

        init(
            _ modes: QueueModes,
            from start: Int,
            following: Int?,
            ended: QueuePlayback,
            next: QueuePlayback,
            consumed: UInt32? = nil
        ) {
            self.modes = modes
            self.start = start
            self.following = following
            self.ended = ended
            self.next = next
            self.consumed = consumed
        }
    }

    static let cases = [
        Case(QueueModes(), from: 1, following: 2, ended: .play(id: 3), next: .play(id: 3)),
        Case(QueueModes(), from: 2, following: nil, ended: .stop, next: .stop),
        Case(QueueModes(repeats: true), from: 2, following: 0, ended: .play(id: 1), next: .play(id: 1)),
        Case(QueueModes(single: .on), from: 1, following: 2, ended: .pause(id: 3), next: .play(id: 3)),
        Case(QueueModes(single: .on), from: 2, following: nil, ended: .stop, next: .stop),
        Case(QueueModes(repeats: true, single: .on), from: 1, following: 1, ended: .play(id: 2), next: .play(id: 3)),
        Case(QueueModes(repeats: true, single: .on), from: 2, following: 2, ended: .play(id: 3), next: .play(id: 1)),
        Case(QueueModes(consume: .on), from: 1, following: 2, ended: .play(id: 3), next: .play(id: 3), consumed: 2),
        Case(QueueModes(consume: .on), from: 2, following: nil, ended: .stop, next: .stop, consumed: 3),
        Case(
            QueueModes(repeats: true, single: .on, consume: .on),
            from: 2,
            following: 0,
            ended: .play(id: 1),
            next: .play(id: 1),
            consumed: 3
        ),
    ]

    private func prepared(_ example: Case) -> PlayQueue {
        var queue = queue(3)
        queue.setRepeat(example.modes.repeats)
        queue.setSingle(example.modes.single)
        queue.setConsume(example.modes.consume)
        #expect(queue.play(position: example.start) == .play(id: UInt32(example.start + 1)))
        return queue
    }

    @Test(arguments: cases) func `a song ends`(example: Case) {
        var queue = prepared(example)
        #expect(queue.nextPosition() == example.following)
        #expect(queue.songEnded() == QueueStep(playback: example.ended, consumed: example.consumed))
        #expect(queue.isPlaying == (example.ended != .stop))
        if example.ended == .stop { #expect(queue.current == nil) }
        #expect(queue.count == (example.consumed == nil ? 3 : 2))
    }

    @Test(arguments: cases) func `the next one is asked for`(example: Case) {
        var queue = prepared(example)
        #expect(queue.next() == QueueStep(playback: example.next, consumed: example.consumed))
        #expect(queue.isPlaying == (example.next != .stop))
    }

    @Test func `single for one song is off after it`() {
        for (repeats, expected) in [(false, QueuePlayback.pause(id: 2)), (true, .play(id: 1))] {
            var queue = queue(3)
            queue.setSingle(.oneshot)
            queue.setRepeat(repeats)
            _ = queue.play()
            #expect(queue.songEnded() == QueueStep(playback: expected, modesChanged: true))
            #expect(queue.modes.single == .off)
            #expect(queue.songEnded() == QueueStep(playback: .play(id: repeats ? 2 : 3)))
        }
    }

    @Test func `consume for one song is off after it, and the first song comes again`() {
        var queue = queue(3)
        queue.setConsume(.oneshot)
        _ = queue.play()
        #expect(queue.next() == QueueStep(playback: .play(id: 2), consumed: 1, modesChanged: true))
        #expect(queue.next() == QueueStep(playback: .play(id: 3)))
        #expect(queue.ids == [2, 3])
    }

    @Test func `previous goes back, to the end with repeat, and never consumes`() {
        var queue = queue(3)
        queue.setConsume(.on)
        #expect(queue.previous() == .unchanged)
        _ = queue.play(position: 1)
        #expect(queue.previous() == .play(id: 1))
        #expect(queue.previous() == .play(id: 1))
        queue.setRepeat(true)
        #expect(queue.previous() == .play(id: 3))
        #expect(queue.count == 3)
    }

    @Test func `play goes on with the song that was stopped`() {
        var queue = queue(3)
        #expect(queue.play() == .play(id: 1))
        #expect(queue.play() == .unchanged)
        #expect(queue.play(id: 3) == .play(id: 3))
        #expect(queue.play(id: 9) == nil)
        queue.stop()
        #expect(queue.current == 2)
        #expect(queue.next() == QueueStep(playback: .unchanged))
        #expect(queue.songEnded() == QueueStep(playback: .unchanged))
        #expect(queue.play() == .play(id: 3))
        var empty = PlayQueue(seed: 1)
        #expect(empty.play() == .unchanged)
        #expect(empty.nextPosition() == nil)
    }

    @Test func `a song's priority has served once it plays`() {
        var queue = queue(3)
        queue.setPriority(0..<3, 10)
        let version = queue.version
        _ = queue.play(position: 1)
        _ = queue.songEnded()
        #expect((0..<3).map { queue[$0].priority } == [10, 0, 0])
        #expect(queue.positions(changedSince: version) == [1, 2])
    }

    /// The sleep timer ends playback once, after a song whatever repeats, and after the last song of a repeated queue.
    @Test func playbackRestsOnce() {
        var queue = prepared(Case(QueueModes(repeats: true), from: 1, following: 2, ended: .stop, next: .stop))
        #expect(queue.setRest(.afterSong) == true)
        #expect(queue.setRest(.afterSong) == false)
        #expect(queue.nextPosition() == 2)
        #expect(queue.songEnded().playback == .pause(id: 3))
        #expect(queue.modes.rest == nil)
        #expect(queue.songEnded().playback == .play(id: 1))
        #expect(queue.setRest(.afterQueue) == true)
        #expect(queue.songEnded().playback == .play(id: 2))
        #expect(queue.songEnded().playback == .play(id: 3))
        #expect(queue.nextPosition() == nil)
        #expect(queue.songEnded().playback == .stop)
    }
}
