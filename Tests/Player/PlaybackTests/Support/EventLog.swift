import AudioTypes
import Playback
import TestSupport

/// All that a player told, and its status when each was read.
final class EventLog: Sendable {
    struct Entry: Sendable {
        var event: PlayerEvent
        var status: PlayerStatus
    }

    let entries = Watched<[Entry]>([])
    let isEnded = Watched(false)

    init(_ player: Player) async {
        let events = await player.events()
        let (entries, isEnded) = (entries, isEnded)
        Task {
            for await event in events {
                let status = player.status
                entries.withLock { $0.append(Entry(event: event, status: status)) }
            }
            isEnded.withLock { $0 = true }
        }
    }

    var all: [PlayerEvent] { entries.current.map(\.event) }
    /// How many there are, for `wait(after:)`.
    var count: Int { entries.withLock { $0.count } }

    /// In short words, without the changes of status.
    var words: [String] { entries.current.compactMap(\.event.word) }

    /// Waits for an event at or after a place in the log.
    @discardableResult
    func wait(
        _ what: String,
        after start: Int = 0,
        within deadline: Duration = deadline,
        until condition: @escaping @Sendable (PlayerEvent) -> Bool
    ) async throws -> PlayerEvent {
        let found = await entries.wait(within: deadline) { $0.dropFirst(start).contains { condition($0.event) } }
        guard found, let entry = entries.current.dropFirst(start).first(where: { condition($0.event) }) else {
            throw Missing("\(what); there were \(words)")
        }
        return entry.event
    }

    func waitForEnd(within deadline: Duration = deadline) async throws {
        try await wait("the queue's end", within: deadline) { $0 == .queueEnded }
    }

    func waitForJump(after start: Int = 0) async throws {
        try await wait("a jump", after: start) { if case .timeJumped = $0 { true } else { false } }
    }

    func waitForItem(_ number: Int, after start: Int = 0) async throws {
        try await wait("item \(number)", after: start) {
            if case .currentItemChanged(let item) = $0 { item?.id.number == number } else { false }
        }
    }

    func waitForStatus(
        _ what: String,
        after start: Int = 0,
        within deadline: Duration = deadline,
        _ condition: @escaping @Sendable (PlayerStatus) -> Bool
    ) async throws {
        try await wait(what, after: start, within: deadline) {
            if case .statusChanged(let status) = $0 { condition(status) } else { false }
        }
    }
}

extension PlayerEvent {
    fileprivate var word: String? {
        switch self {
        case .statusChanged: nil
        case .currentItemChanged(let item): "current \(item?.id.number ?? 0)"
        case .itemReady(let item): "ready \(item.id.number)"
        case .itemFailed(let item): "failed \(item.id.number)"
        case .itemPlayedToEnd(let item): "ended \(item.id.number)"
        case .timeJumped: "jumped"
        case .outputLost: "lost"
        case .routeLost(_, let pauses): pauses ? "route lost, paused" : "route lost"
        case .silenceRequested(let isRequested): isRequested ? "silence requested" : "silence over"
        case .volumeHeld: "volume held"
        case .outputRestored: "restored"
        case .outputGivenUp: "given up"
        case .itemDamaged(let item, _): "damaged \(item.id.number)"
        case .failedToPlayToEnd(let item, _): "broken \(item.id.number)"
        case .playbackStalled(let item): "stalled \(item.id.number)"
        case .timedMetadata(let item, _): "tags \(item.id.number)"
        case .streamChanged, .newAccessLogEntry, .newErrorLogEntry: nil
        case .outputFailed: "output failed"
        case .queueEnded: "queue ended"
        }
    }
}
