internal import AudioTypes
internal import FFmpeg
internal import Synchronization

/// Where the status of network media can be read while they are, by item.
struct StreamSources: Sendable {
    private struct Entry: Sendable {
        var id: PlayerItem.ID
        var status: @Sendable () -> StreamStatus
        /// Whether it is read, and not only what was told last.
        var isRead = false
    }

    /// The newest last; the item that is heard may not be it.
    private var entries: [Entry] = []
    private static let limit = 4

    /// A medium is read from now on.
    mutating func begin(_ id: PlayerItem.ID, _ status: @escaping @Sendable () -> StreamStatus) {
        append(Entry(id: id, status: status, isRead: true))
    }

    /// A medium that is still being opened tells what it does.
    mutating func note(_ id: PlayerItem.ID, _ status: StreamStatus) {
        guard entries.last(where: { $0.id == id })?.isRead != true else { return }
        append(Entry(id: id, status: { status }))
    }

    private mutating func append(_ entry: Entry) {
        entries.removeAll { $0.id == entry.id }
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
    }

    /// Nothing is read any more: what media are doing is what they were doing last.
    mutating func end() {
        guard let index = entries.indices.last else { return }
        var last = entries[index].status()
        last.bufferedDuration = 0
        last.bufferedBytes = 0
        entries[index].status = { [last] in last }
        entries[index].isRead = false
    }

    mutating func removeAll() { entries = [] }

    /// `nil` for what is not of the network.
    func status(of id: PlayerItem.ID) -> StreamStatus? { entries.last { $0.id == id }?.status() }
}

/// Who waits for network media.
struct Demand: ~Copyable, Sendable {
    /// Whether the player is to play; what nobody wants to hear is not waited for.
    fileprivate let isWanted = Atomic<Bool>(false)
    /// Whether the thread sleeps until there is something to read.
    fileprivate let isExpected = Atomic<Bool>(false)
}

extension Pipeline {
    var isWanted: Bool { demand.isWanted.load(ordering: .relaxed) }

    /// Says whether the player is to play.
    func setWanted(_ isWanted: Bool) {
        // What has come while nobody waited for it is looked at now.
        if demand.isWanted.exchange(isWanted, ordering: .relaxed) != isWanted, isWanted { wake() }
    }

    /// The thread is woken up when there is something to read.
    func expectStream() { demand.isExpected.store(true, ordering: .sequentiallyConsistent) }

    /// A network medium has something to read, or its connection has come back.
    private func noteArrival() {
        if demand.isExpected.exchange(false, ordering: .sequentiallyConsistent) { wake() }
    }

    /// The thread is about to wait for a medium, and orders break that.
    ///
    /// - Returns: False when there are orders already.
    func beginOpening() -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.orders.isEmpty else { return false }
            mailbox.isOpening = true
            return true
        }
    }

    func endOpening() { mailbox.withLock { $0.isOpening = false } }

    /// How a network medium is read for an item.
    func context(for id: PlayerItem.ID, _ options: StreamOptions) -> StreamContext {
        StreamContext(
            options: options,
            wake: { [weak self] in self?.noteArrival() },
            report: { [weak self] event in
                if case .changed(let status) = event {
                    self?.streams.withLock { $0.note(id, status) }
                    self?.noteArrival()
                }
                self?.report(.stream(id, event))
            }
        )
    }
}
