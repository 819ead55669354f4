internal import AudioTypes
internal import MediaCoding
internal import Synchronization

/// Where to read the status of open network media, by item.
struct StreamSources: Sendable {
    private struct Entry: Sendable {
        var id: PlayerItem.ID
        var status: @Sendable () -> StreamStatus
        /// Whether it is still being read; otherwise its last status is kept.
        var isRead = false
    }

    /// The newest last, which may not be the heard item.
    private var entries: [Entry] = []
    private static let limit = 4

    /// Registers a medium that is read from now on.
    mutating func begin(_ id: PlayerItem.ID, _ status: @escaping @Sendable () -> StreamStatus) {
        append(Entry(id: id, status: status, isRead: true))
    }

    /// Sets the status of a medium that is still being opened.
    mutating func record(_ id: PlayerItem.ID, _ status: StreamStatus) {
        guard entries.last(where: { $0.id == id })?.isRead != true else { return }
        append(Entry(id: id, status: { status }))
    }

    private mutating func append(_ entry: Entry) {
        entries.removeAll { $0.id == entry.id }
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
    }

    /// Freezes the last status of all media, because they are no longer read.
    mutating func end() {
        guard let index = entries.indices.last else { return }
        var last = entries[index].status()
        last.bufferedDuration = 0
        last.bufferedBytes = 0
        entries[index].status = { [last] in last }
        entries[index].isRead = false
    }

    mutating func removeAll() { entries = [] }

    /// `nil` for local media.
    func status(of id: PlayerItem.ID) -> StreamStatus? { entries.last { $0.id == id }?.status() }
}

/// Whether the player and the thread wait for network media.
struct Demand: ~Copyable, Sendable {
    /// Whether the player is to play; otherwise there is no waiting.
    fileprivate let isWanted = Atomic<Bool>(false)
    /// Whether the thread sleeps until there is data to read.
    fileprivate let isExpected = Atomic<Bool>(false)
}

extension Pipeline {
    var isWanted: Bool { demand.isWanted.load(ordering: .relaxed) }

    /// Sets whether the player is to play.
    func setWanted(_ isWanted: Bool) {
        // Data that arrived unawaited is looked at now.
        if demand.isWanted.exchange(isWanted, ordering: .relaxed) != isWanted, isWanted { wake() }
    }

    /// Has the thread woken when there is data to read.
    func expectStream() { demand.isExpected.store(true, ordering: .sequentiallyConsistent) }

    /// Called when a network medium has data to read, or its connection has come back.
    private func recordArrival() {
        if demand.isExpected.exchange(false, ordering: .sequentiallyConsistent) { wake() }
    }

    /// Announces that the thread is about to wait for a medium; orders interrupt the wait.
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

    /// The options and callbacks for reading a medium for an item.
    func context(for id: PlayerItem.ID, _ options: StreamOptions) -> StreamContext {
        StreamContext(
            options: options,
            wake: { [weak self] in self?.recordArrival() },
            report: { [weak self] event in
                if case .changed(let status) = event {
                    self?.streams.withLock { $0.record(id, status) }
                    self?.recordArrival()
                }
                self?.report(.stream(id, event))
            },
            subtitles: subtitles(id),
            playsSilentFilms: playsSilentFilms
        )
    }
}
