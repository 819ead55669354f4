internal import AudioTypes
internal import Files
internal import NIOCore
internal import OutputGroups
internal import Playlists
internal import ServerBasics
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Settings
internal import Songs
internal import StateStore
internal import Stickers
internal import Threads
internal import Zones

/// The services that the state keeper needs from the server.
struct StateSurroundings {
    var addZone: (ZoneSettings) -> Void
    /// Routes a zone to another sink.
    var setRoute: (Zone, String) -> Void
    /// Called after outputs were moved between zones.
    var outputsChanged: () -> Void
    /// Schedules reading of the tags of queued songs.
    var examine: ([(uri: String, id: UInt32)], Zone) -> Void
    /// Describes how an output of a zone is opened.
    var describeOutput: @Sendable (Output, String) -> OutputDescription
    /// Applies a change of grants from before the restart.
    var restoreGrants: (Record) -> Void = { _ in }
    /// All grants.
    var grants: () -> [Record] = { [] }
    /// Takes a decision on a class of sessions, which earlier versions kept in the journal of sessions.
    var restoreClass: (Record) -> Void = { _ in }
    /// Restores a timer from a record; called for each, once the zones are restored.
    var restoreTimer: (Record) -> Void = { _ in }
    /// The records of all timers.
    var timerRecords: () -> [Record] = { [] }
    var log: @Sendable (LogLevel, String) -> Void
}

/// Keeps the state that must survive a restart on disk: one journal for each zone, one for the stickers, one for the
/// zone list, one for session settings, one for clients' grants, and one for timers.
///
/// While nothing changes, nothing is written and no timer runs. Changes are gathered for half a second, so that a
/// thousand songs added one by one become one record each and not a thousand lists.
final class StateKeeper {
    private let folder: String
    private lazy var files = StateFiles(folder, log: surroundings.log) { [hop] name in hop { $0.compact(name) } }
    let loop: any EventLoop
    let rooms: Rooms
    let configuration: CurrentConfiguration
    let surroundings: StateSurroundings
    private let stickers: StickerShelf
    let desk: SessionDesk
    private let work: WorkThreads
    private(set) lazy var hop = Hop(to: self, on: loop)
    var zones: [String: KeptZone] = [:]
    /// The files of removed zones until they are deleted: a file has only one writer, even if its zone is created
    /// again.
    private var erased: [String: ZoneFiles] = [:]
    /// The server's own journals; `nil` until they are opened.
    private var own: OwnJournals?
    private var isScheduled = false
    /// Whether session settings are being restored, and so must not be written again.
    private var isRestoring = false
    /// Whether the journal of sessions has decisions that belong to the grants.
    private var hasEarlierClasses = false

    private struct OwnJournals {
        let stickers: Journal
        let zoneList: Journal
        let sessions: Journal
        let clients: Journal
        let timers: Journal

        var all: [Journal] { [stickers, zoneList, sessions, clients, timers] }
    }

    struct KeptZone {
        let files: ZoneFiles
        /// The version of the zone's queue that is on disk.
        var version: UInt32
        var count: Int
        var settings: [Record]
        var isDirty = false
        /// The entry that was resumed at the start, until it has played for a while.
        var resumption: Resumption?
    }

    init(
        folder: String,
        _ rooms: Rooms,
        _ stickers: StickerShelf,
        _ desk: SessionDesk,
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        _ surroundings: StateSurroundings
    ) {
        self.folder = folder
        self.rooms = rooms
        self.stickers = stickers
        self.desk = desk
        self.configuration = configuration
        self.work = work
        self.loop = loop
        self.surroundings = surroundings
    }

    /// Opens the folder's files and restores the server's state; called once, before clients are admitted.
    func open() {
        makeFolders(folder + "/zones")
        var (list, kept, timers): ([Record], [Record], [Record]) = ([], [], [])
        own = OwnJournals(
            stickers: files.open("stickers") { stickers.restore([$0.verb] + $0.arguments) },
            zoneList: files.open("zones") { list.append($0) },
            sessions: files.open("sessions") { kept.append($0) },
            clients: files.open("clients") { surroundings.restoreGrants($0) },
            timers: files.open("timers") { timers.append($0) }
        )
        restoreZones(list)
        isRestoring = true
        for record in kept { restoreSession(record) }
        isRestoring = false
        for zone in rooms.zones { keep(zone) }
        for record in timers { surroundings.restoreTimer(record) }
        files.removeLeftovers(besides: Set(zones.keys))
    }

    private func restoreSession(_ record: Record) {
        guard record.verb == "permission" else { return desk.apply(record) }
        hasEarlierClasses = true
        surroundings.restoreClass(record)
    }

    /// Takes the decisions on classes out of the journal of sessions, once they are on the disk as grants.
    ///
    /// Waits up to a second for the disk, which only the start may do; what it has not written then is converted again
    /// at the next start.
    func classesConverted() {
        guard hasEarlierClasses, let own, own.clients.flush(within: 1) else { return }
        own.sessions.compact(desk.records)
    }

    /// Rewrites a journal from the current state, if that makes it shorter.
    private func compact(_ name: String) {
        switch name {
        case "stickers": own?.stickers.compact(stickerRecords, onlyIfWorthwhile: true)
        case "zones": own?.zoneList.compact(zoneRecords, onlyIfWorthwhile: true)
        case "clients": own?.clients.compact(surroundings.grants(), onlyIfWorthwhile: true)
        case "sessions": own?.sessions.compact(desk.records, onlyIfWorthwhile: true)
        case "timers": own?.timers.compact(surroundings.timerRecords(), onlyIfWorthwhile: true)
        default:
            let kept = zones.first { StateFiles.journal(ofZone: $0.key) == name }
            guard let kept, let zone = rooms.zone(named: kept.key) else { return }
            compact(kept.value.files, of: zone)
        }
    }

    private var zoneRecords: [Record] {
        let configured = Set(configuration.value.zones.map(\.name))
        return rooms.zones.filter { !configured.contains($0.name) }.map { Record("new", $0.name) }
    }

    private var stickerRecords: [Record] { stickers.store.records.map { Record($0[0], Array($0.dropFirst())) } }

    // MARK: Zones

    /// Creates the zones that clients created before the restart.
    private func restoreZones(_ records: [Record]) {
        var names: [String] = []
        for record in records where record.arguments.count == 1 {
            names.removeAll { $0 == record.arguments[0] }
            if record.verb == "new" { names.append(record.arguments[0]) }
        }
        for name in names where rooms.zone(named: name) == nil { surroundings.addZone(ZoneSettings(name: name)) }
    }

    /// A closure that reads a zone's files and blocks; `nil` while the files of an earlier zone of that name are being
    /// deleted.
    func reading(of zone: String) -> (@Sendable () -> ZoneOnDisk)? {
        guard erased[zone] == nil else { return nil }
        return { [files] in files.read(zone) }
    }

    /// Restores a zone's state, and writes its changes from then on.
    ///
    /// - Parameter kept: The contents of its files; if `nil`, they are read here, which only the start may wait for.
    func keep(_ zone: Zone, _ kept: ZoneOnDisk? = nil) {
        let name = zone.name
        let onDisk = erased.removeValue(forKey: name).map { ZoneOnDisk(files: $0) } ?? kept ?? files.read(name)
        for problem in onDisk.problems { surroundings.log(.warning, "\(problem)") }
        let restored = onDisk.restored
        restored.apply(to: zone)
        if let route = restored.route, !route.isEmpty,
            let reopen = rooms.routing(of: zone, to: route, surroundings.describeOutput)
        {
            surroundings.setRoute(zone, route)
            work.submit(to: .outputs, reopen)
        }
        bringOutputs(restored.outputs, to: zone, onDisk.files, atOnce: kept == nil)
        zones[name] = KeptZone(
            files: onDisk.files,
            version: zone.queue.version,
            count: zone.queue.count,
            settings: settings(of: zone)
        )
        if let place = onDisk.place { takeUp(zone, place, onDisk.attempt) }
        surroundings.examine(
            (0..<zone.queue.count).map { (uri: zone.queue[$0].song.uri, id: zone.queue[$0].id) },
            zone
        )
    }

    private func bringOutputs(_ outputs: [String: Bool], to zone: Zone, _ files: ZoneFiles, atOnce: Bool) {
        let gone = atOnce ? outputs.keys.filter { staysAtHome($0, insteadOf: zone) } : []
        files.journal.append(gone.sorted().map { Record("output", $0, "gone") })
        let moves = outputs.filter { !gone.contains($0.key) }.compactMap { name, isEnabled in
            rooms.bringing(name, to: zone, isEnabled: isEnabled)
        }
        guard !atOnce else {
            for move in moves { move() }
            return surroundings.outputsChanged()
        }
        for move in moves { work.submit(to: .outputs, move) }
    }

    /// Whether an output stays in the zone that the configuration gives it to, though another zone had it last.
    ///
    /// That zone has no state: it was removed, which moved its outputs, or it is new. One from which the output was
    /// moved says so in its journal.
    private func staysAtHome(_ output: String, insteadOf zone: Zone) -> Bool {
        let home = configuration.value.zones.first { $0.outputs.contains { $0.name == output } }
        guard let home, home.name != zone.name, rooms.zone(named: home.name) != nil else { return false }
        return !files.hasState(home.name)
    }

    /// Writes the zone list after a zone was created or removed.
    func zoneListChanged() {
        own?.zoneList.compact(zoneRecords)
        erased = erased.filter { !$0.value.isSettled }
        for name in zones.keys where rooms.zone(named: name) == nil {
            let files = zones.removeValue(forKey: name)?.files
            files?.erase()
            erased[name] = files
        }
    }

    /// Writes the queues of zones that were exchanged.
    func zonesExchanged(_ exchanged: [Zone]) {
        for zone in exchanged {
            // No queue has a newer version, so everything is written again.
            zones[zone.name]?.version = .max
            noteChange(of: zone)
        }
    }

    private func settings(of zone: Zone) -> [Record] { zone.settingRecords + outputRecords(of: zone) }

    private func outputRecords(of zone: Zone) -> [Record] {
        let room = rooms[zone]
        let outputs = room?.outputs.members ?? []
        let route = room?.route.map { [Record("route", $0)] } ?? []
        return route + outputs.map { Record("output", $0.name, $0.isEnabled ? "1" : "0") }
    }

    /// Rewrites a zone's journal from its state now, if that makes it shorter.
    private func compact(_ files: ZoneFiles, of zone: Zone) {
        let settings = settings(of: zone)
        files.journal.compact(onlyIfWorthwhile: true) { [queue = zone.queue] in queue.allRecords(besides: settings) }
    }

    // MARK: Changes

    func stickersChanged(_ record: StickerStore.Record) {
        own?.stickers.append([Record(record[0], Array(record.dropFirst()))])
    }

    func sessionsChanged(_ record: Record) {
        if !isRestoring { own?.sessions.append([record]) }
    }

    func grantsChanged(_ record: Record) { own?.clients.append([record]) }
    func timersChanged(_ record: Record) { own?.timers.append([record]) }

    func noteChange(of zone: Zone) {
        zones[zone.name]?.isDirty = true
        guard !isScheduled else { return }
        isScheduled = true
        _ = hop(in: 0.5) { $0.saveChanges() }
    }

    /// Skips the changes of a zone's songs since a version of its queue, since none of them is stored.
    func passOver(since version: UInt32, in zone: Zone) {
        if zones[zone.name]?.version == version { zones[zone.name]?.version = zone.queue.version }
    }

    private func saveChanges() {
        isScheduled = false
        for zone in rooms.zones { save(zone) }
    }

    private func save(_ zone: Zone) {
        guard let kept = zones[zone.name], kept.isDirty else { return }
        if zone.queue.version != kept.version || zone.queue.count != kept.count {
            kept.files.journal.append { [queue = zone.queue] in queue.records(since: kept.version) }
            // Spare the next start from reading a hundred thousand removed songs.
            if zone.queue.count < kept.count / 2 { compact(kept.files, of: zone) }
        }
        let settings = settings(of: zone)
        kept.files.journal.append(
            settings.filter { !kept.settings.contains($0) } + goneOutputs(kept.settings, settings)
        )
        zones[zone.name]?.version = zone.queue.version
        zones[zone.name]?.count = zone.queue.count
        zones[zone.name]?.settings = settings
        zones[zone.name]?.isDirty = false
        savePosition(of: zone)
    }

    /// Records for the outputs that have gone.
    private func goneOutputs(_ before: [Record], _ now: [Record]) -> [Record] {
        func names(_ records: [Record]) -> Set<String> {
            Set(records.filter { $0.verb == "output" }.map { $0.arguments[0] })
        }
        return names(before).subtracting(names(now)).sorted().map { Record("output", $0, "gone") }
    }

    /// Queues all pending writes.
    ///
    /// - Returns: A closure that waits until they are on the disk.
    func close() -> @Sendable () -> Void {
        for zone in rooms.zones { save(zone) }
        for zone in rooms.zones {
            zones[zone.name]?.resumption = nil
            savePosition(of: zone)
        }
        let (files, journals) = (
            zones.values.map(\.files) + erased.values, own?.all ?? []
        )
        return {
            let deadline = HostTime.now + Double(Self.patience)
            for file in files { file.flush(by: deadline) }
            for journal in journals { _ = journal.flush(within: max(0, deadline - .now)) }
        }
    }

    /// How many seconds the shutdown waits for the disk.
    static let patience: Int64 = 5
}
