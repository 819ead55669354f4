internal import AudioTypes
internal import Configuration
internal import NIOCore
internal import OutputGroups
internal import Playlists
internal import Songs
internal import StateStore
internal import Stickers
internal import Zones

/// Keeps what a restart must not lose on disk: a journal for each zone, one for the stickers, one for the list of zones.
///
/// Nothing is written, and no timer runs, while nothing changes. Changes are gathered for half a second, so that a
/// thousand songs added one by one are one record each and not a thousand lists.
final class StateKeeper {
    private let folder: String
    private let loop: any EventLoop
    private let thread = DiskThread()
    private unowned let server: ServerState
    private var zones: [String: KeptZone] = [:]
    private let stickers: Journal
    private let zoneList: Journal
    private let sessions: Journal
    private var isScheduled = false

    private struct KeptZone {
        let journal: Journal
        let position: PositionFile
        /// What of the zone is on disk.
        var version: UInt32
        var count: Int
        var settings: [Record]
        var isDirty = false
    }

    /// Opens the folder's files and gives the server what they hold.
    init(folder: String, loop: any EventLoop, server: ServerState) {
        self.folder = folder
        self.loop = loop
        self.server = server
        makeStateFolder(folder + "/zones")
        stickers = Self.open(folder + "/stickers.journal", thread, server) {
            _ = server.stickers.apply([$0.verb] + $0.arguments)
        } live: {
            $0.stickerRecords
        }
        var (list, kept): ([Record], [Record]) = ([], [])
        zoneList = Self.open(folder + "/zones.journal", thread, server) {
            list.append($0)
        } live: {
            $0.zoneRecords
        }
        sessions = Self.open(folder + "/sessions.journal", thread, server) {
            kept.append($0)
        } live: {
            $0.desk.records
        }
        restoreZones(list)
        for record in kept { server.desk.apply(record) }
        for zone in server.zones { keep(zone) }
    }

    private static func open(
        _ path: String,
        _ thread: DiskThread,
        _ server: ServerState,
        take: (Record) -> Void,
        live: @escaping @Sendable (ServerState) -> any Sequence<Record>
    ) -> Journal {
        let (hop, log) = (server.hop, server.parts.log)
        var settings = Journal.Settings()
        settings.onProblem = { problem in
            if let problem { log(.error, "\(problem)") } else { log(.notice, "\(path): can be written again") }
        }
        settings.onLarge = { hop { $0.keeper?.compact(path, live($0)) } }
        let (journal, problems) = Journal.open(path: path, on: thread, settings: settings, take: take)
        for problem in problems { log(.warning, "\(problem)") }
        return journal
    }

    private func compact(_ path: String, _ records: some Sequence<Record>) {
        journals[path]?.compact(records, onlyIfWorthwhile: true)
    }

    private var journals: [String: Journal] {
        var journals = [
            folder + "/stickers.journal": stickers, folder + "/zones.journal": zoneList,
            folder + "/sessions.journal": sessions,
        ]
        for (name, zone) in zones { journals[path(name) + ".journal"] = zone.journal }
        return journals
    }

    // MARK: Zones

    /// Makes the zones that clients have made before.
    private func restoreZones(_ records: [Record]) {
        var names: [String] = []
        for record in records where record.arguments.count == 1 {
            names.removeAll { $0 == record.arguments[0] }
            if record.verb == "new" { names.append(record.arguments[0]) }
        }
        for name in names where server.zone(named: name) == nil { server.addZone(ZoneSettings(name: name)) }
    }

    /// Opens a zone's files, gives it what they hold, and writes down what changes from then on.
    func keep(_ zone: Zone) {
        let name = zone.name
        let path = path(name)
        var restored = RestoredZone()
        let journal = Self.open(path + ".journal", thread, server) {
            restored.take($0)
        } live: { server in
            if let zone = server.zone(named: name) { zone.allRecords } else { [] }
        }
        let position = PositionFile.open(path: path + ".position", on: thread)
        if let problem = position.problem { server.parts.log(.warning, "\(problem)") }
        restored.finish()
        restored.apply(to: zone)
        if let route = restored.route, !route.isEmpty { server.setRoute(of: zone, to: route) }
        for (output, isEnabled) in restored.outputs {
            server.bring(output, to: zone)
            _ = server.outputs[name]?.setEnabled(isEnabled, output)
        }
        zones[name] = KeptZone(
            journal: journal,
            position: position.file,
            version: zone.queue.version,
            count: zone.queue.count,
            settings: settings(of: zone)
        )
        if let record = position.record { takeUp(zone, record) }
        server.examine((0..<zone.queue.count).map { (uri: zone.queue[$0].song.uri, id: zone.queue[$0].id) }, in: zone)
    }

    /// A zone was made, or is gone.
    func zoneListChanged() {
        zoneList.compact(server.zoneRecords)
        for name in zones.keys where server.zone(named: name) == nil {
            zones[name]?.journal.compact([])
            zones[name] = nil
        }
        for zone in server.zones where zones[zone.name] == nil { keep(zone) }
    }

    /// Zones have other queues than before.
    func zonesExchanged(_ exchanged: [Zone]) {
        for zone in exchanged {
            // No version is newer, so everything is written again.
            zones[zone.name]?.version = .max
            noteChange(of: zone)
        }
    }

    private func path(_ zone: String) -> String { folder + "/zones/" + zone }

    private func settings(of zone: Zone) -> [Record] {
        let outputs = server.outputs[zone.name]?.members ?? []
        let route = server.routes[zone.name].map { [Record("route", $0)] } ?? []
        return zone.settingRecords + route + outputs.map { Record("output", $0.name, $0.isEnabled ? "1" : "0") }
    }

    // MARK: What is going on

    private func takeUp(_ zone: Zone, _ record: Record) {
        let words = record.arguments
        guard words.count == 3, let id = UInt32(words[0]), let time = Double(words[1]), let moment = Double(words[2]),
            let state = PlayState(rawValue: record.verb)
        else { return }
        let configuration = server.configuration
        let age = wallClock() - moment
        let isRecent = configuration.resumeWithin.map { age <= Double($0.components.seconds) } ?? true
        let resumes = state == .play && isRecent && !configuration.restoresPaused
        zone.takeUp(id, at: time, as: state == .stop ? .stop : resumes ? .play : .pause)
    }

    /// Has the zone's position written, and asked for again every five seconds while it plays.
    private func savePosition(of zone: Zone) {
        guard let kept = zones[zone.name] else { return }
        let (state, id) = (zone.lastingState, zone.queue.currentEntry?.id ?? 0)
        kept.position.set(positionRecord(state, id, zone.elapsed))
        guard state == .play, let elapsed = zone.elapsedReader else { return kept.position.follow(nil) }
        kept.position.follow { elapsed().map { positionRecord(state, id, $0) } }
    }

    // MARK: Changes

    func stickersChanged(_ record: StickerStore.Record) {
        stickers.append([Record(record[0], Array(record.dropFirst()))])
    }

    func sessionsChanged(_ record: Record) { sessions.append([record]) }

    func noteChange(of zone: Zone) {
        zones[zone.name]?.isDirty = true
        guard !isScheduled else { return }
        isScheduled = true
        let hop = server.hop
        loop.scheduleTask(in: .milliseconds(500)) { hop { $0.keeper?.saveChanges() } }
    }

    /// Changes of a zone's songs since a version of its queue are none of what is written down.
    func passOver(since version: UInt32, in zone: Zone) {
        if zones[zone.name]?.version == version { zones[zone.name]?.version = zone.queue.version }
    }

    private func saveChanges() {
        isScheduled = false
        for zone in server.zones { save(zone) }
    }

    private func save(_ zone: Zone) {
        guard let kept = zones[zone.name], kept.isDirty else { return }
        if zone.queue.version != kept.version || zone.queue.count != kept.count {
            kept.journal.append(zone.records(since: kept.version))
            // The next start is not to read a hundred thousand songs that are gone.
            if zone.queue.count < kept.count / 2 { kept.journal.compact(zone.allRecords, onlyIfWorthwhile: true) }
        }
        let settings = settings(of: zone)
        kept.journal.append(settings.filter { !kept.settings.contains($0) } + goneOutputs(kept.settings, settings))
        zones[zone.name]?.version = zone.queue.version
        zones[zone.name]?.count = zone.queue.count
        zones[zone.name]?.settings = settings
        zones[zone.name]?.isDirty = false
        savePosition(of: zone)
    }

    /// What outputs were there and are not any more.
    private func goneOutputs(_ before: [Record], _ now: [Record]) -> [Record] {
        func names(_ records: [Record]) -> Set<String> {
            Set(records.filter { $0.verb == "output" }.map { $0.arguments[0] })
        }
        return names(before).subtracting(names(now)).sorted().map { Record("output", $0, "gone") }
    }

    /// Has everything on disk; returns when it is there.
    func close() {
        for zone in server.zones { save(zone) }
        for zone in server.zones { savePosition(of: zone) }
        for zone in zones.values {
            _ = zone.journal.flush()
            _ = zone.position.flush()
        }
        _ = stickers.flush()
        _ = zoneList.flush()
        _ = sessions.flush()
    }
}

/// Where playing is; nothing that goes on by itself is noted of a zone at rest.
private func positionRecord(_ state: PlayState, _ id: UInt32, _ elapsed: Double) -> Record {
    let time = state == .stop ? 0 : wallClock()
    return Record(state.rawValue, String(id), String((elapsed * 1000).rounded() / 1000), String(Int(time)))
}

extension ServerState {
    fileprivate var zoneRecords: [Record] {
        let configured = Set(configuration.zones.map(\.name))
        return zones.filter { !configured.contains($0.name) }.map { Record("new", $0.name) }
    }

    fileprivate var stickerRecords: [Record] { stickers.records.map { Record($0[0], Array($0.dropFirst())) } }
}
