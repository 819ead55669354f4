internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import NIOCore
internal import Playlists
internal import ServerBasics
internal import ServerRequests
internal import Songs
internal import TextEncodings
internal import Zones

/// Tells the values of topics to the clients that watch them.
///
/// A change is told at once, and those that follow within a moment together. A value is made once for all clients that see
/// the same; a client that reads too slowly gets the latest one when it has room, and nothing in between.
///
/// Belongs to the server's event loop.
final class WatchHub {
    private unowned let values: any WatchedValues
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var watches: [Int: Watch] = [:]
    /// The items that may have changed since they were told.
    private var changed: Set<WatchedItem> = []
    private var isScheduled = false
    private var lastTelling: NIODeadline?
    /// Grows with everything that is told; also over restarts, as far as the clock does.
    private var version: Int
    /// The values that were told last.
    private var told: [WatchedItem: [Audience: WatchedValue]] = [:]
    /// The queues that were told last, by zone.
    private var queues: [String: KnownQueue] = [:]
    private var followsLibrary = false
    /// The zones at the last change of zones.
    private var zones: Set<String> = []

    /// Clients who see the same.
    private struct Audience: Hashable {
        let rights: Rights
        let tags: TagMask
        /// Empty for values that are the same for all owners.
        let owner: String
    }

    private struct KnownQueue {
        let seed: UInt64
        let version: UInt32
        let ids: [UInt32]

        init(_ queue: PlayQueue) { (seed, version, ids) = (queue.seed, queue.version, queue.ids) }
    }

    /// - Parameter now: In seconds since 1970.
    init(_ values: any WatchedValues, loop: any EventLoop, now: Double) {
        (self.values, self.loop) = (values, loop)
        version = Int(saturating: min(max(now, 0), 8e9)) * 1_000_000
    }

    // MARK: Watching

    /// Begins a watch, in place of the client's former one.
    ///
    /// - Returns: The values of all that it watches, as JSON.
    func begin(_ request: WatchRequest, for connection: Connection) -> [UInt8] {
        tell()
        let watch = Watch(request, connection)
        watches[connection.id] = watch
        zones = Set(values.zoneNames)
        var json = Array(#"{"version":\#(version),"at":\#(values.now),"values":["#.utf8)
        for (number, item) in items(of: watch).enumerated() {
            if number > 0 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "{"))
            json.append(item)
            json.append(contentsOf: #","value":"#.utf8)
            json += whole(item, for: watch)
            json.append(UInt8(ascii: "}"))
        }
        json.append(contentsOf: "]}".utf8)
        followLibrary()
        return json
    }

    func end(of client: Int) {
        guard watches.removeValue(forKey: client) != nil, watches.isEmpty else { return }
        (changed, told, queues) = ([], [:], [:])
    }

    private func items(of watch: Watch) -> [WatchedItem] {
        Topic.allCases.filter(watch.topics.contains).flatMap { topic in
            guard topic.isOfZone else { return [WatchedItem(topic: topic, zone: nil)] }
            return values.zoneNames.map { WatchedItem(topic: topic, zone: $0) }.filter(watch.includes)
        }
    }

    // MARK: Changes

    /// Records changes, in one zone or all.
    func changed(_ changes: Subsystems, in zone: String?) {
        guard !watches.isEmpty else { return }
        for topic in Topic.allCases where !topic.triggers.isDisjoint(with: changes) {
            if !topic.isOfZone {
                changed.insert(WatchedItem(topic: topic, zone: nil))
            } else {
                for zone in zone.map({ [$0] }) ?? values.zoneNames {
                    changed.insert(WatchedItem(topic: topic, zone: zone))
                }
            }
        }
        if changes.contains(.partition) { zonesChanged() }
        // Clients with a limited library may see other songs now.
        if !changes.isDisjoint(with: [.database, .storedPlaylist]) { retell { $0.limits.library != nil } }
        tellLater()
    }

    /// Tells all that clients with some rights watch, because they may see something else now.
    private func retell(where isMeant: (Rights) -> Bool) {
        for watch in watches.values where isMeant(watch.connection.client.rights) {
            watch.renew(items(of: watch))
        }
    }

    /// A client has a message that it has not read.
    func messageCame(for client: Int) {
        guard let watch = watches[client] else { return }
        lookAtMessages(of: watch)
        if !watch.pending.isEmpty { tellLater() }
    }

    private func lookAtMessages(of watch: Watch) {
        let item = WatchedItem(topic: .messages, zone: nil)
        guard watch.includes(item), watch.unreadCount != watch.connection.client.subscriptions.unreadCount else {
            return
        }
        watch.renew([item])
    }

    /// The songs that a limited library has are known now.
    func becameKnown(_ scope: LibraryScope) {
        retell { $0.limits.library == scope }
        tellLater()
    }

    /// New zones, and those that are gone, are told with all their topics.
    private func zonesChanged() {
        let now = Set(values.zoneNames)
        for zone in now.symmetricDifference(zones) {
            for topic in Topic.allCases where topic.isOfZone { changed.insert(WatchedItem(topic: topic, zone: zone)) }
        }
        zones = now
        // A client that reads nothing for so long learns by the topic 'zones' which of them are gone.
        for watch in watches.values where watch.pending.count > Self.mostPending {
            watch.pending = watch.pending.filter { $0.key.zone.map(now.contains) != false }
        }
    }

    /// The most items that wait for a client, before those of zones that are gone are forgotten.
    private static let mostPending = 4_096

    /// All that a client watches may be another value for it.
    func viewChanged(of client: Int) {
        guard let watch = watches[client] else { return }
        watch.view = Watch.View(watch.connection.client)
        watch.renew(items(of: watch))
        tellLater()
    }

    private func tellLater() {
        guard !isScheduled else { return }
        isScheduled = true
        let wait = lastTelling.map { Double(($0 + Self.interval - loop.now).nanoseconds) / 1e9 } ?? 0
        if wait > 0 { _ = onLoop(in: wait) { $0.tell() } } else { onLoop { $0.tell() } }
    }

    /// Between two times of telling.
    private static let interval = TimeAmount.milliseconds(50)

    // MARK: Telling

    /// Tells what has changed.
    private func tell() {
        isScheduled = false
        guard !watches.isEmpty, !changed.isEmpty || watches.values.contains(where: { !$0.pending.isEmpty }) else {
            return
        }
        lastTelling = loop.now
        let items = changed.sorted(by: Self.precedes)
        changed = []
        for item in items { tell(item) }
        for watch in watches.values where !watch.pending.isEmpty { tellPending(watch) }
    }

    private static func precedes(_ one: WatchedItem, _ other: WatchedItem) -> Bool {
        let zones = (one.zone ?? "", other.zone ?? "")
        if zones.0 != zones.1 { return zones.0 < zones.1 }
        return one.topic.rawValue < other.topic.rawValue
    }

    private func tell(_ item: WatchedItem) {
        let concerned = watches.values.filter { $0.includes(item) }
        let (ready, others) = concerned.partitioned { $0.connection.canBeTold && $0.pending[item] == nil }
        for watch in others where watch.pending[item] == nil {
            watch.pending[item] = known(item, by: watch)
        }
        if item.topic == .queue, let zone = item.zone {
            tellQueue(item, zone, ready, isWatched: !concerned.isEmpty)
            return
        }
        let former = told.removeValue(forKey: item) ?? [:]
        var latest: [Audience: WatchedValue] = [:]
        var lines: [Audience: [UInt8]] = [:]
        for watch in ready {
            let audience = audience(of: watch, item.topic)
            if latest[audience] == nil {
                let value = values.value(of: item, for: watch.connection)
                latest[audience] = value
                if former[audience].map(value.differs) != false { lines[audience] = line(item, value.whole) }
            }
            if let line = lines[audience] { watch.connection.send(line) }
        }
        // Nothing more comes of a zone that is gone.
        if !latest.isEmpty, item.zone.map(zones.contains) != false { told[item] = latest }
        if item.topic == .library { followLibrary() }
    }

    /// The things that a client knows of an item that it was told of, as far as its view has not changed since.
    private func known(_ item: WatchedItem, by watch: Watch) -> Watch.Known {
        guard watch.view == Watch.View(watch.connection.client),
            let value = told[item]?[audience(of: watch, item.topic)]
        else { return .nothing }
        return .value(value)
    }

    /// Tells a client the latest values of the items that were held back because it could not take them.
    private func tellPending(_ watch: Watch) {
        for item in watch.pending.keys.sorted(by: Self.precedes) {
            guard watch.connection.canBeTold, let known = watch.pending.removeValue(forKey: item) else { return }
            // Others may not have been told this value, so the next one is for all.
            if changed.contains(item) { told[item] = nil }
            guard case .value(let known) = known else {
                watch.connection.send(line(item, whole(item, for: watch)))
                continue
            }
            let value = latest(item, for: watch)
            if value.differs(from: known) { watch.connection.send(line(item, value.whole)) }
        }
    }

    /// A client's requests have been carried out, or it has room again.
    func hasRoom(_ client: Int) {
        guard let watch = watches[client] else { return }
        // Such as by a password, or by tagtypes.
        if watch.view != Watch.View(watch.connection.client) { viewChanged(of: client) }
        lookAtMessages(of: watch)
        if !watch.pending.isEmpty { tellPending(watch) }
    }

    private func audience(of watch: Watch, _ topic: Topic) -> Audience {
        let client = watch.connection.client
        let owner =
            switch topic.audience {
            case .all: ""
            case .owner: client.sessionOwner
            case .connection: "\(client.id)"
            }
        return Audience(rights: client.rights, tags: client.tags, owner: owner)
    }

    private func line(_ item: WatchedItem, _ value: [UInt8]) -> [UInt8] {
        version += 1
        var line = Array(#"{"jsonrpc":"2.0","method":"changed","params":{"#.utf8)
        line.append(item)
        line.append(contentsOf: #","version":\#(version),"value":"#.utf8)
        line += value
        line.append(contentsOf: "}}\n".utf8)
        return line
    }

    /// The whole value of an item.
    private func whole(_ item: WatchedItem, for watch: Watch) -> [UInt8] {
        if item.topic == .messages {
            watch.unreadCount = watch.connection.client.subscriptions.unreadCount
            return values.value(of: item, for: watch.connection).json
        }
        guard item.topic == .queue, let zone = item.zone else { return latest(item, for: watch).whole }
        guard values.seesQueue(of: zone, watch.connection), let queue = values.queue(of: zone) else {
            watch.queueVersions[zone] = nil
            return WatchedValue.null.json
        }
        let now = KnownQueue(queue)
        if queues[zone] == nil { queues[zone] = now }
        watch.queueVersions[zone] = now.version
        return Self.whole(now)
    }

    /// The value of an item but for queues and messages.
    private func latest(_ item: WatchedItem, for watch: Watch) -> WatchedValue {
        let (value, audience) = (values.value(of: item, for: watch.connection), audience(of: watch, item.topic))
        if !changed.contains(item) { remember(value, of: item, for: audience) }
        return value
    }

    /// Remembers a value, unless an earlier one is remembered that others of the audience know.
    private func remember(_ value: WatchedValue, of item: WatchedItem, for audience: Audience) {
        guard told[item]?[audience] == nil else { return }
        if let known = told[item], known.count >= Self.mostAudiences { told[item] = nil }
        told[item, default: [:]][audience] = value
    }

    /// The most values of an item that are remembered; those that are forgotten are told again with the next change.
    private static let mostAudiences = 64

    /// The progress of an update causes no events, so it is looked at while one runs and a client watches it.
    private func followLibrary() {
        guard !followsLibrary, values.isLibraryBusy, watches.values.contains(where: { $0.topics.contains(.library) })
        else { return }
        followsLibrary = true
        _ = onLoop(in: Self.libraryInterval) { hub in
            hub.followsLibrary = false
            hub.changed.insert(WatchedItem(topic: .library, zone: nil))
            hub.tell()
        }
    }

    /// In seconds.
    private static let libraryInterval = 0.5

    // MARK: Queues

    /// Tells a queue by what has changed in it, where that is known.
    private func tellQueue(_ item: WatchedItem, _ zone: String, _ ready: [Watch], isWatched: Bool) {
        let former = queues.removeValue(forKey: zone)
        guard isWatched, let queue = values.queue(of: zone) else {
            for watch in ready {
                watch.queueVersions[zone] = nil
                watch.connection.send(line(item, WatchedValue.null.json))
            }
            return
        }
        let known = KnownQueue(queue)
        queues[zone] = known
        if former?.seed == known.seed, former?.version == known.version { return }
        let edited = former.flatMap { Self.edited($0, known, queue) }
        var (editedLine, wholeLine): ([UInt8]?, [UInt8]?)
        for watch in ready {
            guard values.seesQueue(of: zone, watch.connection) else { continue }
            if let edited, watch.queueVersions[zone] == former?.version {
                let text = editedLine ?? line(item, edited)
                editedLine = text
                watch.connection.send(text)
            } else {
                let text = wholeLine ?? line(item, Self.whole(known))
                wholeLine = text
                watch.connection.send(text)
            }
            watch.queueVersions[zone] = known.version
        }
    }

    private static func whole(_ queue: KnownQueue) -> [UInt8] {
        var json = Array(#"{"queue_version":\#(queue.version),"ids":"#.utf8)
        json.append(ids: queue.ids)
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// - Returns: `nil` where the whole is shorter, it is another queue, or the changed songs are not known any more.
    private static func edited(_ former: KnownQueue, _ known: KnownQueue, _ queue: PlayQueue) -> [UInt8]? {
        guard former.seed == known.seed, former.version < known.version,
            let changed = queue.idsChanged(since: former.version)
        else { return nil }
        var json = Array(#"{"queue_version":\#(known.version),"after":\#(former.version)"#.utf8)
        switch QueueEdit(from: former.ids, to: known.ids) {
        case nil: break
        case .replace(let position, let count, let ids)?:
            if ids.count == known.ids.count { return nil }
            json.append(contentsOf: #","replace":{"position":\#(position + 1),"count":\#(count),"ids":"#.utf8)
            json.append(ids: ids)
            json.append(UInt8(ascii: "}"))
        case .move(let position, let count, let to)?:
            json.append(
                contentsOf: #","move":{"position":\#(position + 1),"count":\#(count),"to":\#(to + 1)}"#.utf8
            )
        }
        if !changed.isEmpty {
            json.append(contentsOf: #","changed":"#.utf8)
            json.append(ids: changed)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }
}

/// The server, as it is watched.
protocol WatchedValues: AnyObject {
    /// The time, in seconds since 1970.
    var now: Double { get }
    var zoneNames: [String] { get }
    /// Whether the library is updated or measured.
    var isLibraryBusy: Bool { get }
    /// The value of a topic as a client sees it; `null` where it may not.
    ///
    /// Of all topics but `queue`.
    func value(of item: WatchedItem, for connection: Connection) -> WatchedValue
    /// - Returns: `nil` if there is no such zone.
    func queue(of zone: String) -> PlayQueue?
    func seesQueue(of zone: String, _ connection: Connection) -> Bool
}

extension [UInt8] {
    fileprivate mutating func append(_ item: WatchedItem) {
        append(contentsOf: #""topic":"\#(item.topic.rawValue)""#.utf8)
        guard let zone = item.zone else { return }
        append(contentsOf: #","zone":"#.utf8)
        append(JSON.string(zone))
    }

    fileprivate mutating func append(ids: [UInt32]) {
        append(UInt8(ascii: "["))
        for (place, id) in ids.enumerated() {
            if place > 0 { append(UInt8(ascii: ",")) }
            append(JSON.integer(Int(id)))
        }
        append(UInt8(ascii: "]"))
    }
}

extension Sequence {
    /// The elements for which something holds, and the others.
    fileprivate func partitioned(_ isIn: (Element) -> Bool) -> ([Element], [Element]) {
        var (those, others): ([Element], [Element]) = ([], [])
        for element in self { if isIn(element) { those.append(element) } else { others.append(element) } }
        return (those, others)
    }
}
