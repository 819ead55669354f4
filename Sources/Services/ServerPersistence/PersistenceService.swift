internal import AudioTypes
internal import Files
package import NIOCore
internal import OutputGroups
internal import Playlists
package import ServerBasics
package import ServerRooms
package import ServerSessions
internal import Settings
internal import Songs
package import StateStore
package import Stickers
package import Threads
package import Zones

/// Keeps the state that must survive a restart on disk: one journal for each zone, one for the stickers, one for the
/// zone list, one for session settings, one for clients' grants, and one for timers.
///
/// While nothing changes, nothing is written and no timer runs. Changes are gathered for half a second, so that a
/// thousand songs added one by one become one record each and not a thousand lists.
package final class PersistenceService {
    private let folder: String
    private lazy var files = StateFiles(folder, log: delegate.log) { [onLoop] name in onLoop { $0.compact(name) } }
    package let loop: any EventLoop
    package let rooms: Rooms
    package let configuration: CurrentConfiguration
    private unowned let delegate: any StateDelegate
    private let stickers: StickerService
    package let audioSessions: SessionService
    private let work: WorkThreads
    package private(set) lazy var onLoop = LoopExecutor(for: self, on: loop)
    package var zones: [String: KeptZone] = [:]
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
    /// Whether a change of clients' rights was recorded since ``takeRightsChange()``.
    private var hasRightsChange = false
    private var rightsWaiting: [Int: RightsWait] = [:]
    private var nextWait = 0

    /// A closure to be called when changed rights are on the disk.
    private struct RightsWait {
        let timer: Scheduled<Void>
        let body: () -> Void
    }

    private struct OwnJournals {
        let stickers: Journal
        let zoneList: Journal
        let sessions: Journal
        let clients: Journal
        let timers: Journal

        var all: [Journal] { [stickers, zoneList, sessions, clients, timers] }
    }

    package struct KeptZone {
        package let files: ZoneFiles
        /// The version of the zone's queue that is on disk.
        package var version: UInt32
        package var count: Int
        package var settings: [Record]
        package var isDirty = false
        /// The entry that was resumed at the start, until it has played for a while.
        package var resumption: Resumption?
    }

    package init(
        folder: String,
        _ rooms: Rooms,
        _ stickers: StickerService,
        _ audioSessions: SessionService,
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any StateDelegate
    ) {
        self.folder = folder
        self.rooms = rooms
        self.stickers = stickers
        self.audioSessions = audioSessions
        self.configuration = configuration
        self.work = work
        self.loop = loop
        self.delegate = delegate
    }

    /// Opens the folder's files and restores the server's state; called once, before clients are admitted.
    package func open() {
        makeFolders(folder + "/zones")
        var (list, kept, timers): ([Record], [Record], [Record]) = ([], [], [])
        own = OwnJournals(
            stickers: files.open("stickers") { stickers.restore([$0.verb] + $0.arguments) },
            zoneList: files.open("zones") { list.append($0) },
            sessions: files.open("sessions") { kept.append($0) },
            clients: files.open("clients") { delegate.restoreGrant($0) },
            timers: files.open("timers") { timers.append($0) }
        )
        restoreZones(list)
        isRestoring = true
        for record in kept { restoreSession(record) }
        isRestoring = false
        for zone in rooms.zones { keep(zone) }
        for record in timers { delegate.restoreTimer(record) }
        files.removeLeftovers(besides: Set(zones.keys))
    }

    private func restoreSession(_ record: Record) {
        guard record.verb == "permission" else { return audioSessions.apply(record) }
        hasEarlierClasses = true
        delegate.restoreClass(record)
    }

    /// Takes the decisions on classes out of the journal of sessions, once they are on the disk as grants.
    ///
    /// Waits up to a second for the disk, which only the start may do; what it has not written then is converted again
    /// at the next start.
    package func classesConverted() {
        guard hasEarlierClasses, let own, own.clients.flush(within: 1) else { return }
        own.sessions.compact(audioSessions.records)
    }

    /// Rewrites a journal from the current state, if that makes it shorter.
    private func compact(_ name: String) {
        switch name {
        case "stickers": own?.stickers.compact(stickerRecords, onlyIfWorthwhile: true)
        case "zones": own?.zoneList.compact(zoneRecords, onlyIfWorthwhile: true)
        case "clients": own?.clients.compact(delegate.grantRecords, onlyIfWorthwhile: true)
        case "sessions": own?.sessions.compact(audioSessions.records, onlyIfWorthwhile: true)
        case "timers": own?.timers.compact(delegate.timerRecords, onlyIfWorthwhile: true)
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
        for name in names where rooms.zone(named: name) == nil { delegate.addZone(ZoneSettings(name: name)) }
    }

    /// A closure that reads a zone's files and blocks; `nil` while the files of an earlier zone of that name are being
    /// deleted.
    package func reading(of zone: String) -> (@Sendable () -> ZoneOnDisk)? {
        guard erased[zone] == nil else { return nil }
        return { [files] in files.read(zone) }
    }

    /// Restores a zone's state, and writes its changes from then on.
    ///
    /// - Parameter kept: The contents of its files; if `nil`, they are read here, which only the start may wait for.
    package func keep(_ zone: Zone, _ kept: ZoneOnDisk? = nil) {
        let name = zone.name
        let onDisk = erased.removeValue(forKey: name).map { ZoneOnDisk(files: $0) } ?? kept ?? files.read(name)
        for problem in onDisk.problems { delegate.log(.warning, "\(problem)") }
        let restored = onDisk.restored
        restored.apply(to: zone)
        if let route = restored.route, !route.isEmpty,
            let reopen = rooms.routing(of: zone, to: route, delegate.describeOutput)
        {
            delegate.setRoute(of: zone, to: route)
            work.submit(to: .outputs, reopen)
        }
        bringOutputs(restored.outputs, to: zone, onDisk.files, atOnce: kept == nil)
        zones[name] = KeptZone(
            files: onDisk.files,
            version: zone.queue.version,
            count: zone.queue.count,
            settings: settings(of: zone)
        )
        if let place = onDisk.place { restore(zone, place, onDisk.attempt) }
        delegate.examine(
            (0..<zone.queue.count).map { (uri: zone.queue[$0].song.uri, id: zone.queue[$0].id) },
            in: zone
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
            return delegate.outputsMoved()
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
    package func zoneListChanged() {
        own?.zoneList.compact(zoneRecords)
        erased = erased.filter { !$0.value.isSettled }
        for name in zones.keys where rooms.zone(named: name) == nil {
            let files = zones.removeValue(forKey: name)?.files
            files?.erase()
            erased[name] = files
        }
    }

    /// Writes the queues of zones that were exchanged.
    package func zonesExchanged(_ exchanged: [Zone]) {
        for zone in exchanged {
            // No queue has a newer version, so everything is written again.
            zones[zone.name]?.version = .max
            recordChange(of: zone)
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

    package func stickersChanged(_ record: StickerStore.Record) {
        own?.stickers.append([Record(record[0], Array(record.dropFirst()))])
    }

    package func sessionsChanged(_ record: Record) {
        if !isRestoring { own?.sessions.append([record]) }
    }

    package func timersChanged(_ record: Record) { own?.timers.append([record]) }

    /// - Parameter isRight: Whether it is to be on the disk before its client is answered.
    package func grantsChanged(_ record: Record, isRight: Bool) {
        own?.clients.append([record])
        if isRight, own != nil { hasRightsChange = true }
    }

    /// - Returns: Whether rights have changed since the last call, so that whoever changed them is to wait for the disk.
    package func takeRightsChange() -> Bool {
        defer { hasRightsChange = false }
        return hasRightsChange
    }

    /// Writes the changes of clients' rights now.
    ///
    /// - Parameter body: Called on the event loop once they are on the disk, could not be written, or after
    ///   ``rightsPatience``.
    package func whenRightsStored(_ body: @escaping () -> Void) {
        guard let own else { return body() }
        nextWait += 1
        let number = nextWait
        rightsWaiting[number] = RightsWait(
            timer: onLoop(in: Self.rightsPatience) { $0.rightsStored(number) },
            body: body
        )
        own.clients.whenWritten { [onLoop] in onLoop { $0.rightsStored(number) } }
    }

    private func rightsStored(_ number: Int) {
        guard let wait = rightsWaiting.removeValue(forKey: number) else { return }
        wait.timer.cancel()
        wait.body()
    }

    /// How many seconds a client waits for a disk that does not answer: what it asked for holds already.
    private static let rightsPatience = 5.0

    package func recordChange(of zone: Zone) {
        zones[zone.name]?.isDirty = true
        guard !isScheduled else { return }
        isScheduled = true
        _ = onLoop(in: 0.5) { $0.saveChanges() }
    }

    /// Skips the changes of a zone's songs since a version of its queue, since none of them is stored.
    package func passOver(since version: UInt32, in zone: Zone) {
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
    package func close() -> @Sendable () -> Void {
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
    package static let patience: Int64 = 5
}
