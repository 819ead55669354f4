import Playlists
import Songs
import Testing

/// Random operations on a queue and on the model of it.
struct QueueModelTests {
    @Test(arguments: 0..<40 as Range<UInt64>) func `behaves like the model in the order of the list`(seed: UInt64) {
        var run = QueueRun(seed: seed)
        for _ in 0..<400 { run.change(run.draw(12)) }
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func `stays valid in random order`(seed: UInt64) {
        var run = QueueRun(seed: seed)
        run.queue.setRandom(true)
        for _ in 0..<250 { run.change(run.draw(12)) }
    }
}

/// A queue, its model, and clients that know old versions of it.
private struct QueueRun {
    var queue: PlayQueue
    private var model = QueueModel()
    private var generator: SeededGenerator
    private var clients: [(version: UInt32, rows: [QueueModel.Row])] = []
    private var seen: Set<UInt32> = []

    init(seed: UInt64) {
        queue = PlayQueue(seed: seed)
        generator = SeededGenerator(seed: seed &+ 1000)
    }

    mutating func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func drawRange() -> Range<Int> {
        let start = draw(queue.count + 1)
        return start..<(start + draw(min(4, queue.count - start) + 1))
    }

    private mutating func drawSongs() -> [Song] {
        (0..<draw(4)).map { _ in song("s\(draw(100))", seconds: Double(draw(1000)) / 8) }
    }

    mutating func change(_ kind: Int) {
        let version = queue.version
        switch kind {
        case 0, 1: add()
        case 2: delete()
        case 3: move()
        case 4: shuffleOrSwap()
        case 5: setPriority()
        case 6: setModes()
        case 7: play()
        case 8, 9: step(byItself: kind == 8)
        case 10: previous()
        default: stopOrReplace()
        }
        #expect(queue.version >= version)
        check()
    }

    private mutating func add() {
        let (songs, position) = (drawSongs(), draw(queue.count + 1))
        model.insert(songs, at: position)
        let id = position == queue.count && draw(2) == 0 ? queue.append(songs) : queue.insert(songs, at: position)
        #expect(id == (songs.isEmpty ? nil : model.rows[position].id))
        for song in songs.indices {
            #expect(seen.insert(model.rows[position + song].id).inserted, "an id was given twice")
        }
    }

    private mutating func delete() {
        let range = draw(20) == 0 ? 0..<queue.count : drawRange()
        if range == 0..<queue.count, draw(2) == 0 {
            #expect(queue.deleteAll() == (model.isPlaying ? .stop : .unchanged))
            (model.rows, model.current, model.isPlaying) = ([], nil, false)
            return
        }
        let before = queue
        let playback = queue.delete(range)
        let expected = model.delete(range)
        guard queue.modes.random else {
            #expect(playback == expected)
            return
        }
        if case .play(let id) = playback {
            let candidates = before.ahead.filter { queue.position(of: $0) != nil }
            if let first = candidates.first { #expect(id == first) } else { #expect(queue.modes.repeats) }
        }
        follow()
    }

    private mutating func move() {
        let range = drawRange()
        let position = draw(queue.count - range.count + 1)
        queue.move(range, to: position)
        model.move(range, to: position)
    }

    private mutating func shuffleOrSwap() {
        guard queue.count > 0 else { return }
        if draw(2) == 0 {
            let (first, second) = (draw(queue.count), draw(queue.count))
            queue.swap(first, second)
            model.rows.swapAt(first, second)
            return
        }
        let range = drawRange()
        let outside = model.rows.filter { row in !model.rows[range].contains { $0 == row } }
        queue.shuffle(range)
        model.rows = rows
        #expect(model.rows.filter { row in !model.rows[range].contains { $0 == row } } == outside)
        if !model.isPlaying, !range.isEmpty { model.current = nil }
    }

    private mutating func setPriority() {
        let (range, priority) = (drawRange(), UInt8(draw(4)))
        queue.setPriority(range, priority)
        for position in range { model.rows[position].priority = priority }
    }

    private mutating func setModes() {
        let values: [QueueModes.Switch] = [.off, .on, .oneshot]
        switch draw(3) {
        case 0:
            model.modes.repeats.toggle()
            let isChanged = queue.setRepeat(model.modes.repeats)
            #expect(isChanged)
        case 1:
            model.modes.single = values[draw(3)]
            queue.setSingle(model.modes.single)
        default:
            model.modes.consume = values[draw(3)]
            queue.setConsume(model.modes.consume)
        }
    }

    private mutating func play() {
        guard queue.count > 0 else { return }
        let position = draw(queue.count)
        let expected = model.start(model.rows[position].id)
        #expect(queue.play(position: position) == expected)
    }

    private mutating func step(byItself: Bool) {
        let predicted = queue.nextPosition().map { queue[$0].id }
        let before = queue
        let step = byItself ? queue.songEnded() : queue.next()
        if before.modes.random {
            if before.isPlaying, byItself || before.modes.single == .off {
                #expect(queue.currentEntry?.id == predicted)
            }
            if before.isPlaying, before.modes.consume != .off, queue.currentEntry?.id != before.currentEntry?.id {
                #expect(step.consumed == before.currentEntry?.id)
            }
            model.modes = queue.modes
            model.rows = rows
            follow()
        } else {
            let expected = model.step(byItself: byItself)
            #expect(step == expected)
        }
    }

    private mutating func previous() {
        let behind = queue.behind
        let playback = queue.previous()
        if queue.modes.random {
            if queue.isPlaying, let id = behind.first { #expect(playback == .play(id: id)) }
            follow()
        } else {
            let expected = model.previous()
            #expect(playback == expected)
        }
    }

    private mutating func stopOrReplace() {
        if draw(3) > 0, queue.count > 0 {
            let (position, new) = (draw(queue.count), song("new", seconds: 3))
            let isFound = queue.replaceSong(id: model.rows[position].id, with: new)
            #expect(isFound)
            model.rows[position].song = new
        } else {
            queue.stop()
            model.isPlaying = false
        }
    }

    /// In random order the model does not know what is played: it takes over the queue's choice.
    private mutating func follow() {
        model.current = queue.currentEntry?.id
        model.isPlaying = queue.isPlaying
        model.rows = rows
    }

    private var rows: [QueueModel.Row] {
        (0..<queue.count).map { QueueModel.Row(id: queue[$0].id, priority: queue[$0].priority, song: queue[$0].song) }
    }

    private mutating func check() {
        #expect(rows == model.rows)
        #expect(queue.modes.repeats == model.modes.repeats && queue.modes.single == model.modes.single)
        #expect(queue.modes.consume == model.modes.consume)
        #expect(queue.current == model.currentPosition)
        #expect(queue.isPlaying == model.isPlaying)
        #expect(queue.totalDuration == model.duration)
        #expect(rows.allSatisfy { queue.position(of: $0.id) == model.position(of: $0.id) })
        if queue.modes.random {
            checkOrder()
        } else {
            #expect(queue.nextPosition() == model.position(of: model.following(byItself: true)))
        }
        checkClients()
    }

    private func checkOrder() {
        let (ahead, behind) = (queue.ahead, queue.behind)
        #expect((ahead + behind).sorted() == rows.map(\.id).sorted())
        guard let current = queue.currentEntry?.id else { return }
        #expect(ahead.first == current)
        if ahead.count > 1, !(queue.modes.single != .off && queue.modes.repeats) {
            #expect(queue.nextPosition().map { queue[$0].id } == ahead[1])
        }
    }

    /// A client that asks for what has changed knows the whole queue afterwards.
    private mutating func checkClients() {
        if clients.count < 6 { clients.append((queue.version, rows)) }
        let chosen = draw(clients.count)
        var known = clients[chosen].rows
        let length = queue.count
        known.removeLast(max(0, known.count - length))
        for position in queue.positions(changedSince: clients[chosen].version) {
            if position < known.count { known[position] = rows[position] } else { known.append(rows[position]) }
        }
        #expect(known == rows)
        if draw(4) == 0 { clients[chosen] = (queue.version, rows) }
    }
}
