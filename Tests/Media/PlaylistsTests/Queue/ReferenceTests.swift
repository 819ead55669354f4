import Playlists
import Songs
import Testing

/// The queue against MPD itself: the same commands, the same answers.
@Suite(.enabled("mpd is not installed") { MPDReference.missing.isEmpty }, .timeLimit(.minutes(5)))
struct ReferenceTests {
    @Test(arguments: 0..<4 as Range<UInt64>) func `does what MPD does`(seed: UInt64) async throws {
        do {
            try await compare(seed: seed)
        } catch is MPDReference.Failure {
            // MPD 0.23 itself hangs once in some 50,000 commands on a busy machine.
            try await compare(seed: seed)
        }
    }

    private func compare(seed: UInt64) async throws {
        let reference = try await MPDReference.start(songs: Comparison.songs)
        var comparison = Comparison(reference, seed: seed)
        for step in 0..<250 {
            let command = try comparison.change()
            try comparison.compare("seed \(seed), step \(step): \(command)")
        }
    }

    /// In random order only what chance does not decide can be compared.
    @Test func `goes back in random order as MPD does`() async throws {
        let reference = try await MPDReference.start(songs: Comparison.songs)
        var comparison = Comparison(reference, seed: 1)
        try comparison.compareInRandomOrder()
    }
}

/// MPD and a queue that get the same commands.
private struct Comparison {
    static let songs = ["a.wav", "b.wav", "c.wav"]

    private let reference: MPDReference
    private var queue: PlayQueue
    private var isPaused = false
    private var generator: SeededGenerator
    /// Versions of MPD and of the queue at the same time.
    private var known: [(UInt32, UInt32)] = []

    init(_ reference: MPDReference, seed: UInt64) {
        self.reference = reference
        queue = PlayQueue(seed: seed)
        generator = SeededGenerator(seed: seed)
    }

    private mutating func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func drawRange() -> Range<Int> {
        let start = draw(queue.count)
        return start..<(start + 1 + draw(min(3, queue.count - start)))
    }

    /// Changes both; returns the command.
    mutating func change() throws -> String {
        if queue.count < 2 { return try add() }
        switch draw(12) {
        case 0, 1: return try add()
        case 2: return try delete()
        case 3: return try move()
        case 4:
            let (first, second) = (draw(queue.count), draw(queue.count))
            // MPD counts a change even when nothing changes.
            if first == second { return try add() }
            queue.swap(first, second)
            return try send("swap \(first) \(second)")
        case 5:
            let (range, priority) = (drawRange(), UInt8(draw(3)))
            queue.setPriority(range, priority)
            return try send("prio \(priority) \(range.lowerBound):\(range.upperBound)")
        case 6: return try setMode()
        case 7:
            let position = draw(queue.count)
            follow(queue.play(position: position))
            return try send("play \(position)")
        case 8: return try steer()
        case 9: return try endSong()
        case 10:
            guard queue.isPlaying else { return try add() }
            follow(queue.next().playback)
            return try send("next")
        default:
            guard queue.isPlaying else { return try add() }
            follow(queue.previous())
            return try send("previous")
        }
    }

    @discardableResult
    private func send(_ command: String) throws -> String {
        try reference.send(command)
        return command
    }

    private mutating func follow(_ playback: QueuePlayback) {
        switch playback {
        case .unchanged: break
        case .play, .stop: isPaused = false
        case .pause: isPaused = true
        }
    }

    private mutating func add() throws -> String {
        let name = Self.songs[draw(Self.songs.count)]
        guard draw(2) == 0 else {
            queue.append([song(name)])
            return try send("add \(name)")
        }
        let position = draw(queue.count + 1)
        queue.insert([song(name)], at: position)
        return try send("addid \(name) \(position)")
    }

    private mutating func delete() throws -> String {
        if draw(12) == 0 {
            follow(queue.deleteAll())
            return try send("clear")
        }
        let range = drawRange()
        let playback = queue.delete(range, isPaused: isPaused)
        if playback != .unchanged { isPaused = false }
        return try send("delete \(range.lowerBound):\(range.upperBound)")
    }

    private mutating func move() throws -> String {
        let range = drawRange()
        let position = draw(queue.count - range.count + 1)
        // MPD 0.23 loses the current song when a range comes to lie where that was.
        if range.count > 1, let current = queue.current, current > position, current < position + range.count {
            return try add()
        }
        queue.move(range, to: position)
        return try send("move \(range.lowerBound):\(range.upperBound) \(position)")
    }

    private mutating func setMode() throws -> String {
        let isOn = draw(2) == 1
        switch draw(4) {
        case 0:
            queue.setConsume(isOn ? .on : .off)
            return try send("consume \(isOn ? 1 : 0)")
        case 1:
            queue.setSingle(isOn ? .on : .off)
            return try send("single \(isOn ? 1 : 0)")
        case 2:
            queue.setSingle(.oneshot)
            return try send("single oneshot")
        default:
            queue.setRepeat(isOn)
            return try send("repeat \(isOn ? 1 : 0)")
        }
    }

    private mutating func steer() throws -> String {
        switch draw(3) {
        case 0:
            queue.stop()
            isPaused = false
            return try send("stop")
        case 1 where queue.isPlaying:
            isPaused.toggle()
            return try send("pause \(isPaused ? 1 : 0)")
        default:
            follow(queue.play())
            isPaused = false
            return try send("play")
        }
    }

    private mutating func endSong() throws -> String {
        guard queue.isPlaying else { return try add() }
        if isPaused { try send("pause 0") }
        isPaused = false
        let step = queue.songEnded()
        follow(step.playback)
        try reference.endSong(until: state)
        // MPD leaves it on when it repeats the song or has come to the end.
        if step.modesChanged { try send("single 0") }
        return "(end)"
    }

    private var state: String { queue.isPlaying ? (isPaused ? "pause" : "play") : "stop" }

    mutating func compare(_ context: String) throws {
        let status = try reference.status()
        #expect(status["state"] == state, "\(context)")
        #expect(status["song"].flatMap { Int($0) } == queue.current, "\(context)")
        #expect(status["songid"].flatMap { UInt32($0) } == queue.currentEntry?.id, "\(context)")
        #expect(status["playlistlength"] == "\(queue.count)", "\(context)")
        // MPD names the current song as the next where it is about to consume it.
        if !(queue.modes.repeats && queue.modes.consume != .off) {
            #expect(status["nextsong"].flatMap { Int($0) } == queue.nextPosition(), "\(context)")
        }
        try compareEntries(context)
        let version = try #require(status["playlist"].flatMap { UInt32($0) })
        try compareChanges(version, context)
    }

    private func compareEntries(_ context: String) throws {
        var rows: [[String]] = []
        for line in try reference.send("playlistinfo") {
            let (key, value) = MPDReference.pair(line)
            if key == "file" { rows.append([value]) }
            if key == "Id" || key == "Prio" { rows[rows.count - 1].append(value) }
        }
        let own = (0..<queue.count).map { position in
            let entry = queue[position]
            return [entry.song.uri, "\(entry.id)"] + (entry.priority == 0 ? [] : ["\(entry.priority)"])
        }
        #expect(rows == own, "\(context)")
    }

    private mutating func compareChanges(_ version: UInt32, _ context: String) throws {
        known.append((version, queue.version))
        if known.count > 5 { known.remove(at: draw(5)) }
        let (theirs, ours) = known[draw(known.count)]
        let changed = try reference.send("plchangesposid \(theirs)").map(MPDReference.pair)
        let positions = changed.filter { $0.0 == "cpos" }.compactMap { Int($0.1) }
        #expect(queue.positions(changedSince: ours) == positions, "\(context), since \(theirs)")
    }

    mutating func compareInRandomOrder() throws {
        for name in Self.songs + Self.songs { try send("add \(name)") }
        queue.append((Self.songs + Self.songs).map { song($0) })
        try send("play 2")
        _ = queue.play(position: 2)
        try send("random 1")
        queue.setRandom(true)
        // The song that plays is the first of the order, and without repeat there is nothing before it.
        try send("previous")
        _ = queue.previous()
        try compareCurrent()
        // Chosen songs come after one another, and `previous` goes back over them.
        for position in [4, 0, 5] {
            try send("play \(position)")
            _ = queue.play(position: position)
        }
        for _ in 0..<3 {
            try send("previous")
            _ = queue.previous()
            try compareCurrent()
        }
        // A priority decides what follows, also for a song that was played.
        for (id, priority) in [(4, 9), (1, 20)] {
            try send("prioid \(priority) \(id)")
            queue.setPriority(id: UInt32(id), UInt8(priority))
            try compareNext()
        }
        for _ in 0..<2 {
            try send("next")
            _ = queue.next()
            try compareCurrent()
        }
        try send("random 0")
        queue.setRandom(false)
        try compareNext()
    }

    private func compareCurrent() throws {
        #expect(try reference.status()["songid"] == queue.currentEntry.map { "\($0.id)" })
    }

    private func compareNext() throws {
        #expect(try reference.status()["nextsong"] == queue.nextPosition().map { "\($0)" })
    }
}
