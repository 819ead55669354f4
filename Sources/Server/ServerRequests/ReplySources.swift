package import LineProtocol
package import Playlists
internal import ServerBasics
package import Songs

/// Entries of the queue as it was when they were asked for.
package struct EntrySource: ReplySource {
    private let queue: PlayQueue
    private let positions: [Int]?
    private var next: Int
    private let end: Int
    private let tags: TagMask
    private let view: QueueView

    package init(_ queue: PlayQueue, _ shown: ShownEntries, tags: TagMask, _ view: QueueView) {
        self.queue = queue
        self.view = view
        self.tags = tags
        switch shown {
        case .positions(let list): (positions, next, end) = (list, 0, list.count)
        case .range(let range): (positions, next, end) = (nil, range.lowerBound, range.upperBound)
        }
    }

    package init(_ queue: PlayQueue, _ positions: [Int], tags: TagMask, _ view: QueueView) {
        self.init(queue, .positions(positions), tags: tags, view)
    }

    package mutating func fill(_ reply: inout Reply, upTo limit: Int) -> Bool {
        while next < end, reply.bytes.count < limit {
            let position = positions?[next] ?? next
            reply.append(queue, at: position, tags: tags, view)
            next += 1
        }
        return next == end
    }
}

/// The entries of a queue that a client gets.
package enum ShownEntries {
    case range(Range<Int>)
    case positions([Int])
}

/// Songs, or any other blocks of lines, made one after another.
package struct SequenceSource<Elements: Sequence>: ReplySource {
    private var iterator: Elements.Iterator
    private let write: (Elements.Element, inout Reply) -> Void

    package init(_ elements: Elements, write: @escaping (Elements.Element, inout Reply) -> Void) {
        iterator = elements.makeIterator()
        self.write = write
    }

    package mutating func fill(_ reply: inout Reply, upTo limit: Int) -> Bool {
        while reply.bytes.count < limit {
            guard let element = iterator.next() else { return true }
            write(element, &reply)
        }
        return false
    }
}

extension Reply {
    /// An entry of the queue as a client sees it, and who added it, where that is known.
    package mutating func append(_ queue: PlayQueue, at position: Int, tags: TagMask, _ view: QueueView) {
        let (entry, owner) = (queue[position], queue.owner(at: position))
        if view.shows(queue, position) {
            entry.song.append(to: &bytes, tags: tags)
        } else {
            line("file", privateEntry)
        }
        line("Pos", position)
        line("Id", Int(entry.id))
        if entry.priority > 0 { line("Prio", Int(entry.priority)) }
        if let owner { line("AddedBy", owner) }
    }
}
