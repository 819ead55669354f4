import Playlists
import Songs

/// A queue in the most obvious way, without random order: what `PlayQueue` is held against.
struct QueueModel {
    struct Row: Equatable {
        var id: UInt32
        var priority: UInt8 = 0
        var song: Song

        static func == (left: Row, right: Row) -> Bool {
            left.id == right.id && left.priority == right.priority && left.song.isIdentical(to: right.song)
        }
    }

    var rows: [Row] = []
    var modes = QueueModes()
    var current: UInt32?
    var isPlaying = false
    var lastID: UInt32 = 0

    var currentPosition: Int? { position(of: current) }

    func position(of id: UInt32?) -> Int? { rows.firstIndex { $0.id == id } }

    var duration: Double { rows.reduce(0) { $0 + ($1.song.duration ?? 0) } }

    func following(byItself: Bool) -> UInt32? {
        guard let position = currentPosition else { return nil }
        if byItself, modes.single != .off, modes.repeats, modes.consume == .off { return current }
        if position + 1 < rows.count { return rows[position + 1].id }
        return modes.repeats && (rows.count > 1 || modes.consume == .off) ? rows[0].id : nil
    }

    mutating func insert(_ songs: [Song], at position: Int) {
        for (offset, song) in songs.enumerated() {
            lastID += 1
            rows.insert(Row(id: lastID, song: song), at: position + offset)
        }
    }

    mutating func delete(_ range: Range<Int>) -> QueuePlayback {
        let removed = Set(rows[range].map(\.id))
        guard let now = current, removed.contains(now) else {
            rows.removeSubrange(range)
            return .unchanged
        }
        var successor: UInt32?
        if isPlaying, !(modes.single != .off && modes.repeats && modes.consume == .off) {
            let position = currentPosition ?? 0
            let after = rows[position...].map(\.id) + (modes.repeats ? rows[..<position].map(\.id) : [])
            successor = after.first { !removed.contains($0) }
        }
        rows.removeSubrange(range)
        let wasPlaying = isPlaying
        if let successor { return start(successor) }
        (current, isPlaying) = (nil, false)
        return wasPlaying ? .stop : .unchanged
    }

    mutating func move(_ range: Range<Int>, to position: Int) {
        let moved = Array(rows[range])
        rows.removeSubrange(range)
        rows.insert(contentsOf: moved, at: position)
    }

    mutating func start(_ id: UInt32) -> QueuePlayback {
        (current, isPlaying) = (id, true)
        if let position = currentPosition { rows[position].priority = 0 }
        return .play(id: id)
    }

    mutating func step(byItself: Bool) -> QueueStep {
        guard isPlaying, let old = current else { return QueueStep(playback: .unchanged) }
        let pauses = byItself && modes.single != .off && !modes.repeats
        let following = following(byItself: byItself)
        var step = QueueStep(playback: .stop)
        if byItself, modes.single == .oneshot {
            modes.single = .off
            step.modesChanged = true
        }
        if let following {
            _ = start(following)
            step.playback = pauses ? .pause(id: following) : .play(id: following)
        } else {
            (current, isPlaying) = (nil, false)
        }
        if modes.consume != .off, current != old {
            rows.removeAll { $0.id == old }
            step.consumed = old
            if modes.consume == .oneshot {
                modes.consume = .off
                step.modesChanged = true
            }
        }
        return step
    }

    mutating func previous() -> QueuePlayback {
        guard isPlaying, let position = currentPosition else { return .unchanged }
        if position > 0 { return start(rows[position - 1].id) }
        return start(modes.repeats ? rows[rows.count - 1].id : rows[0].id)
    }
}
