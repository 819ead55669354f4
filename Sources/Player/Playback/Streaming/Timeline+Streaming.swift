package import AudioTypes

/// What streams leave along the timeline: tags that come with the sound, and where sound ends for now.
extension Timeline {
    /// Tags that hold from a frame on.
    package struct Mark: Sendable, Hashable {
        package var start: FramePosition
        package var item: PlayerItem.ID
        package var tags: Tags

        package init(start: FramePosition, item: PlayerItem.ID, tags: Tags) {
            self.start = start
            self.item = item
            self.tags = tags
        }
    }

    /// Where frames end although more is to come.
    package struct DryEnd: Sendable, Hashable {
        package enum Reason: Sendable, Hashable {
            /// The item's own have not come, or too few of them.
            case starving
            /// The next item is not open yet.
            case opening
        }

        package var start: FramePosition
        package var reason: Reason
        /// Whether the output stands before it has come there: it has too little to play.
        package var stands = false
        /// Whether the player waits because that has been heard.
        package var isNoticed = false

        package init(start: FramePosition, reason: Reason) {
            self.start = start
            self.reason = reason
        }
    }

    /// The first frame at which something of streams is to be noticed.
    package var nextNotice: Double? {
        let dry = dryEnd.flatMap { $0.isNoticed ? nil : $0.start }
        return [dry, marks.first?.start].compactMap(\.self).min().map { Double($0.index) }
    }

    /// Notices that all that is there has been heard, once.
    ///
    /// - Returns: Why, when it is news.
    package mutating func noticeDryEnd(at frame: Double) -> DryEnd.Reason? {
        guard let dry = dryEnd, !dry.isNoticed, dry.stands || Double(dry.start.index) <= frame else { return nil }
        dryEnd?.isNoticed = true
        return dry.reason
    }

    /// Takes the marks that have been heard, in order.
    package mutating func takeMarks(through frame: Double) -> [Mark] {
        let heard = marks.prefix { Double($0.start.index) <= frame }
        marks.removeFirst(heard.count)
        return Array(heard)
    }
}
