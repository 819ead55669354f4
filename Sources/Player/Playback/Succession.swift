internal import AudioTypes

/// The item that plays after an item of a queue.
///
/// A pure value.
struct Succession: Sendable, Hashable {
    var loopMode = LoopMode.off
    var actionAtItemEnd = ActionAtItemEnd.advance
    /// Whether the next item is decoded before the current one ends.
    let isGapless: Bool

    // MARK: Jumps

    /// The item that is jumped to from the current one, or from before the first; `nil` at the end.
    func next(in queue: PlayerQueue) -> Int? { queue.index(after: queue.currentIndex, wraps: loopMode == .queue) }

    /// The item before the current one, or the last one without any; the current one at the beginning.
    func previous(in queue: PlayerQueue) -> Int? {
        let index = queue.currentIndex ?? queue.items.count
        return queue.index(before: index, wraps: loopMode == .queue) ?? queue.currentIndex
    }

    // MARK: Without a jump

    /// The item that is decoded after the one at an index.
    func following(_ index: Int, in queue: PlayerQueue) -> Pipeline.Following {
        switch actionAtItemEnd {
        case .pause: return .nothing
        case .none: return .silence
        case .advance: break
        }
        if loopMode == .item, queue.canPlay(index) { return .loop }
        guard isGapless, let next = queue.index(after: index, wraps: loopMode == .queue) else { return .nothing }
        return next == index ? .loop : .item(queue.items[next])
    }

    /// The items that follow one, in order, `count` of them at most.
    func chain(after index: Int, in queue: PlayerQueue, count: Int) -> [Pipeline.Following] {
        var chain: [Pipeline.Following] = []
        var index = index
        while chain.count < count {
            let next = following(index, in: queue)
            chain.append(next)
            switch next {
            case .loop: continue
            case .item(let item): index = queue.index(of: item.id) ?? index
            case .nothing, .silence, .undecided: return chain
            }
        }
        return chain
    }
}
