internal import AudioTypes
package import Authorization
internal import Caching
package import MediaHeaders
package import NIOCore
internal import ServerBasics
internal import ServerRights
package import Settings

/// The server, as picking sees it.
package protocol PickerDelegate: AnyObject {
    /// The owners' list of open requests has changed.
    func pickerRequestsChanged()
    /// Adds parts to the library of a client that is limited.
    ///
    /// - Parameters:
    ///   - holder: The one that has asked: a connection that the client has to be at, or itself.
    ///   - who: The owner who does that.
    func extendLibrary(
        of client: PrincipalID,
        askedBy holder: PickerRequest.Holder,
        by parts: [LibraryScope.Part],
        _ who: String
    ) throws
    var log: @Sendable (LogLevel, String) -> Void { get }
}

/// Lets clients ask the owner for pictures, videos or songs: they get those that the owner picks, and learn of no others.
///
/// Belongs to the server's event loop.
package final class PickerService {
    package private(set) var requests = PickerRequests()
    private var counts = RateCounts(span: 60)
    private var lines = LimitLog()
    /// Those who wait for a request, by their connections.
    private var waiting: [PickerID: [Int: Waiter]] = [:]
    private var timer: Scheduled<Void>?
    /// Of the videos that clients are loading, by their handles.
    private var copies = BoundedCache<String, MediaCopy>(capacity: PickerService.mostBytesOfCopies)
    private let loop: any EventLoop
    private unowned let delegate: any PickerDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    private struct Waiter {
        /// The version that the client knows; `nil` where it waits for the end alone.
        let version: Int?
        let wake: () -> Void
    }

    /// How many requests a party may make in a minute.
    package static let mostInAMinute = 30
    /// Of ``copies``.
    private static let mostBytesOfCopies = 8 << 20

    package init(loop: any EventLoop, delegate: any PickerDelegate) { (self.loop, self.delegate) = (loop, delegate) }

    private var now: Double { loop.hostTime.seconds }

    // MARK: The client

    package func open(
        _ configuration: PickerConfiguration,
        for asker: PickerRequest.Asker
    ) throws(PickerError) -> PickerRequest {
        guard counts.count(of: "\(asker.party)", at: now) < Self.mostInAMinute else { throw .tooOften }
        counts.add(1, of: "\(asker.party)", at: now)
        let request = try requests.add(configuration, asker, at: now)
        if lines.isDue("request", at: loop.now) {
            delegate.log(.notice, "\(asker.name) asks for \(configuration.kind.plural); see 'segue pick --list'")
        }
        changed()
        return request
    }

    /// The request of that name that a client has at a connection.
    package func request(
        _ word: String,
        of connection: Int,
        _ client: PrincipalID?
    ) throws(PickerError) -> PickerRequest {
        guard let id = PickerID(word), let request = requests[id], request.isHeld(by: connection, of: client) else {
            throw .noSuchRequest(word)
        }
        return request
    }

    /// Calls a connection's closure when a request is over, and may be gone, or has another version than that.
    package func wait(for id: PickerID, since version: Int?, at connection: Int, _ wake: @escaping () -> Void) {
        waiting[id, default: [:]][connection] = Waiter(version: version, wake: wake)
    }

    package func withdraw(_ id: PickerID) {
        requests.remove(id)
        changed()
    }

    package func item(
        _ handle: String,
        of connection: Int,
        _ client: PrincipalID?
    ) throws(PickerError) -> PickedItem {
        guard let handle = PickerHandle(handle) else { throw .noSuchHandle }
        return try requests.item(handle, of: connection, client)
    }

    /// The copy of a picked video, as far as it was read lately.
    package func copy(_ handle: String) -> MediaCopy? { copies.value(for: handle) }

    package func keep(_ copy: MediaCopy, for handle: String) {
        if isKnown(handle) { copies.keep(copy, for: handle, cost: copy.cost) }
    }

    private func isKnown(_ handle: String) -> Bool { PickerHandle(handle).map { requests.has($0) } == true }

    /// Ends the requests of those that may not ask any more, and what was picked for them.
    package func rightsChanged(mayAsk: (PickerRequest.Holder) -> Bool) {
        let ended = requests.all.filter { !mayAsk($0.holder) }.map(\.id)
        for id in ended { requests.remove(id) }
        if !ended.isEmpty { changed() }
    }

    /// A client that says nothing more may have gone: it asks nothing of the owner, and waits for nothing.
    package func inputEnded(of connection: Int) {
        let changes = requests.inputEnded(connection)
        if !changes.isEmpty { changed() }
        for id in waiting.keys { waiting[id]?.removeValue(forKey: connection)?.wake() }
    }

    package func disconnected(_ connection: Int) {
        let changes = requests.disconnected(connection, at: now)
        for id in waiting.keys { waiting[id]?[connection] = nil }
        if !changes.isEmpty { changed() }
    }

    // MARK: The owner

    /// The request of that name, of whatever client.
    package func request(_ word: String) throws(PickerError) -> PickerRequest {
        guard let id = PickerID(word), let request = requests[id] else { throw .noSuchRequest(word) }
        return request
    }

    /// - Parameter face: The owner's connection.
    package func take(_ id: PickerID, _ face: Int) throws(PickerError) -> PickerRequest {
        let before = requests[id]?.state
        let request = try requests.take(id, face, at: now)
        if request.state != before { changed() } else { selectionChanged() }
        return request
    }

    package func preselect(_ items: [PickedItem], _ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.preselect(items, id, face, at: now)
        selectionChanged()
    }

    package func release(_ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.release(id, face, at: now)
        changed()
    }

    package func select(_ items: [PickedItem], _ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.select(items, id, face, at: now)
        selectionChanged()
    }

    package func deselect(_ uris: [String], _ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.deselect(uris, id, face, at: now)
        selectionChanged()
    }

    package func move(_ uri: String, to place: Int, _ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.move(uri, to: place, id, face, at: now)
        selectionChanged()
    }

    package func finish(_ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.finish(id, face, at: now)
        changed()
    }

    /// Ends a choice that extends the client's library.
    ///
    /// - Parameters:
    ///   - parts: Those that have the chosen songs.
    ///   - who: The owner.
    package func finish(
        _ id: PickerID,
        _ face: Int,
        extendingBy parts: [LibraryScope.Part],
        _ who: String
    ) throws {
        var trial = requests
        try trial.finish(id, face, at: now)
        if let request = trial[id], request.asker.isLimited, let client = request.asker.client {
            try delegate.extendLibrary(of: client, askedBy: request.holder, by: parts, who)
        }
        try finish(id, face)
    }

    package func cancel(_ id: PickerID, _ face: Int) throws(PickerError) {
        try requests.cancel(id, face, at: now)
        changed()
    }

    // MARK: Time

    private func changed() {
        selectionChanged()
        copies.removeAll { !isKnown($0) }
        delegate.pickerRequestsChanged()
    }

    /// Wakes those whose news have come.
    private func selectionChanged() {
        setTimer()
        var due: [Waiter] = []
        for (id, waiters) in waiting {
            let request = requests[id]
            let left = waiters.filter { _, waiter in
                request?.isOpen == true && (waiter.version == nil || waiter.version == request?.version)
            }
            guard left.count < waiters.count else { continue }
            due += waiters.filter { left[$0.key] == nil }.values
            waiting[id] = left.isEmpty ? nil : left
        }
        for waiter in due { waiter.wake() }
    }

    private func setTimer() {
        timer?.cancel()
        timer = requests.nextEnd.map { next in onLoop(in: next - now + 0.001) { $0.timePassed() } }
    }

    private func timePassed() {
        let changes = requests.advance(to: now)
        if changes.isEmpty { setTimer() } else { changed() }
    }
}
