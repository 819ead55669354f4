internal import AudioTypes
internal import FFmpegValues
internal import HTTP
internal import Threads

/// A list of media that is recognised only by its content: they are played one after the other, as parts of one medium.
final class ListMedium: StreamSession {
    private let core: StreamCore
    private let entries: [MediaEntry]
    private let opening: OpenMedium
    private let depth: Int
    /// The next entry.
    private var next = 0
    private var session: (any StreamSession)?
    /// The tags of the current entry that were not returned yet.
    private var tags: Tags?

    /// - Parameter depth: The nesting depth of lists.
    init(_ core: StreamCore, _ entries: [MediaEntry], _ opening: OpenMedium, depth: Int) {
        (self.core, self.entries, self.opening, self.depth) = (core, entries, opening, depth)
    }

    var isLive: Bool { session?.isLive ?? false }
    var track: Track? { session?.track }
    var throughput: Double? { session?.throughput }

    func record(ahead: PacketQueue.Amount) { session?.record(ahead: ahead) }

    func open() throws -> StreamPart {
        var failure: (any Error)?
        while next < entries.count {
            let entry = entries[next]
            next += 1
            do {
                return try begin(entry)
            } catch {
                if core.interrupt.isRaised {
                    // It still has to be opened.
                    next -= 1
                    throw error
                }
                failure = failure ?? error
                report(error, entry)
            }
        }
        throw failure ?? MediaError(location: core.entry.location, reason: .emptyPlaylist)
    }

    private func begin(_ entry: MediaEntry) throws -> StreamPart {
        session = nil
        let opened = try opening.open(entry, depth: depth, isLast: next == entries.count)
        session = opened.session
        var part = opened.part
        // Positions within one entry are not those of the whole list.
        part.losePlaces()
        for name in entry.tags.names { part.info.tags.set(name, to: entry.tags[name] ?? "") }
        tags = part.info.tags
        return part
    }

    func read(into packet: borrowing Packet) throws -> StreamItem {
        if let tags {
            self.tags = nil
            return .tags(tags)
        }
        do {
            switch try session?.read(into: packet) ?? .end {
            case .end: break
            case .part(var part):
                part.losePlaces()
                return .part(part)
            case let item: return item
            }
        } catch {
            guard !core.interrupt.isRaised, next < entries.count else { throw error }
            report(error, entries[next - 1])
        }
        return next < entries.count ? .part(try open()) : .end
    }

    private func report(_ error: any Error, _ entry: MediaEntry) {
        core.context.report(.failed(StreamFailure(of: error, at: entry.location, isFinal: false)))
    }

    /// Seeks to the start, to play the list again; else within the current entry.
    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart? {
        guard order.sample <= 0 else { return try session?.seek(order) }
        next = 0
        return try open()
    }
}
