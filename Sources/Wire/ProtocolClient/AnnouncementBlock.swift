/// An announcement in a reply of segued.
package struct AnnouncementBlock: Sendable, Hashable {
    package let reply: ServerReply
    package enum State: String, Sendable, Hashable {
        case queued, playing, done, failed, cancelled, expired

        package var isFinal: Bool { self != .queued && self != .playing }
    }

    package var id: Int
    /// The zones that it is for.
    package var zones: [String]
    package var zone: String? { zones.first }
    package var file: String?
    package var text: String?
    package var priorityClass: String
    package var priority: Int
    package var state: State
    /// The reason of a failure.
    package var error: String?

    /// `nil` when the block is not an announcement.
    package init?(_ block: ServerReply) {
        guard let first = block.pairs.first, first.key == "announcement", let id = Int(first.value),
            let state = block["state"].flatMap(State.init)
        else { return nil }
        func text(_ key: String) -> String? { block[key].flatMap { $0.isEmpty ? nil : $0 } }
        reply = block
        self.id = id
        self.state = state
        zones = block.values("zone")
        file = text("file")
        self.text = text("text")
        priorityClass = text("class") ?? "normal"
        priority = block["priority"].flatMap { Int($0) } ?? 0
        error = text("error")
    }
}

extension ServerReply {
    /// The announcements in this reply.
    package var announcements: [AnnouncementBlock] {
        groups(startingWith: "announcement").compactMap(AnnouncementBlock.init)
    }
}
