internal import AudioTypes

extension Pipeline {
    /// A change of the items behind the one that is heard.
    struct Revision: Sendable {
        /// The heard item, as far as the player has noticed.
        var item: PlayerItem
        /// The last end that the player has noticed.
        var noticed: FramePosition
        /// The items that follow it, in order, at least as far as they are decoded.
        var chain: [Following]
    }
}

extension Pipeline.Revision {
    /// The meaning of a revision for the frames that are decoded already.
    enum Outcome: Hashable {
        /// Another item is heard by now.
        case isLate
        /// The frames from a segment on are wrong: another item follows the one before it.
        case replaces(Timeline.Segment, after: PlayerItem, Pipeline.Following)
        /// All are right; what follows the last item may still have changed, if the player has decided.
        case holds(last: PlayerItem, Pipeline.Following?)
    }

    /// Compares what follows with what is decoded.
    ///
    /// - Parameters:
    ///   - ends: The decoded ends that are not heard yet.
    ///   - ending: The item whose end is decoded next.
    func outcome(_ ends: [Timeline.Ending], ending: PlayerItem.ID) -> Outcome {
        guard (ends.first?.ended ?? ending) == item.id else { return .isLate }
        var last = item
        var chain = chain[...]
        for end in ends {
            let following = chain.popFirst() ?? .undecided
            guard following.matches(end.segment) else { return .replaces(end.segment, after: last, following) }
            if case .item(let next) = following { last = next }
        }
        return .holds(last: last, chain.first)
    }
}

extension Pipeline.Following {
    func isItem(_ id: PlayerItem.ID) -> Bool {
        if case .item(let item) = self { item.id == id } else { false }
    }

    /// Whether a segment after an item's end plays this.
    fileprivate func matches(_ segment: Timeline.Segment) -> Bool {
        switch self {
        case .undecided: false
        case .nothing: segment.item == nil
        case .silence: segment.origin == .silence
        case .item(let item): segment.origin == .end && segment.item == item.id
        case .loop: segment.origin == .loop
        }
    }
}
