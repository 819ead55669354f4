package import AudioTypes

/// A stream's marks on the timeline: timed tags, and where frames end for now.
extension Timeline {
    /// Tags that apply from a frame on.
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

    /// Where frames end although more will follow.
    package struct DryEnd: Sendable, Hashable {
        package enum Reason: Sendable, Hashable {
            /// The item's own data has not arrived, or too little.
            case starving
            /// The next item is not open yet.
            case opening
        }

        package var start: FramePosition
        package var reason: Reason
        /// Whether the output stands before it has reached the end: it has too little to play.
        package var stands = false
        /// Whether the player waits because the end has been heard.
        package var isNoticed = false

        package init(start: FramePosition, reason: Reason) {
            self.start = start
            self.reason = reason
        }
    }

    /// The first frame at which there is something of a stream to notice.
    package var nextNotice: Double? {
        let dry = dryEnd.flatMap { $0.isNoticed ? nil : $0.start }
        return [dry, marks.first?.start].compactMap(\.self).min().map { Double($0.index) }
    }

    /// Notices once that all received data has been heard.
    ///
    /// - Returns: The reason, when it was not noticed before.
    package mutating func noticeDryEnd(at frame: Double) -> DryEnd.Reason? {
        guard let dry = dryEnd, !dry.isNoticed, dry.stands || Double(dry.start.index) <= frame else { return nil }
        dryEnd?.isNoticed = true
        return dry.reason
    }

    /// Removes and returns the marks that have been heard, in order.
    package mutating func takeMarks(through frame: Double) -> [Mark] {
        let heard = marks.prefix { Double($0.start.index) <= frame }
        marks.removeFirst(heard.count)
        return Array(heard)
    }
}
