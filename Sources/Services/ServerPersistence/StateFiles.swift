package import AudioTypes
internal import Files
private import Glibc
internal import Playlists
package import Settings
package import StateStore

/// The files that hold the state.
///
/// Reading blocks; writing is done on a thread of its own.
package struct StateFiles: Sendable {
    private let folder: String
    private let thread = DiskThread()
    private let faults: WritingFaults
    private let log: @Sendable (LogLevel, String) -> Void
    private let grew: @Sendable (_ journal: String) -> Void

    /// - Parameter grew: Called on any thread with the name of a journal that is due for compaction.
    package init(
        _ folder: String,
        log: @escaping @Sendable (LogLevel, String) -> Void,
        grew: @escaping @Sendable (_ journal: String) -> Void
    ) {
        self.folder = folder
        self.grew = grew
        self.log = log
        faults = WritingFaults(log)
    }

    /// The name of a zone's journal.
    package static func journal(ofZone zone: String) -> String { "zones/" + zone }

    /// Opens one of the server's own journals.
    ///
    /// - Parameter take: Gets each record of the journal.
    package func open(_ name: String, take: (Record) -> Void) -> Journal {
        let (journal, problems) = journal(name, take)
        for problem in problems { log(.warning, "\(problem)") }
        return journal
    }

    private func journal(_ name: String, _ take: (Record) -> Void) -> (Journal, [StateProblem]) {
        let path = "\(folder)/\(name).journal"
        var settings = Journal.Settings()
        settings.onProblem = { [faults] in faults.changed(path, $0) }
        settings.onLarge = { [grew] in grew(name) }
        return Journal.open(path: path, on: thread, settings: settings, take: take)
    }

    /// Whether something is stored of a zone.
    package func hasState(_ zone: String) -> Bool {
        let path = "\(folder)/\(Self.journal(ofZone: zone)).journal"
        return unsafe access(path, F_OK) == 0 && !isEmptyFile(path)
    }

    /// Reads a zone's stored state.
    ///
    /// Before returning, writes down that its entry is about to be resumed, and waits up to a second for the disk.
    package func read(_ zone: String) -> ZoneOnDisk {
        let name = Self.journal(ofZone: zone)
        var restored = RestoredZone()
        let (journal, problems) = journal(name) { restored.apply($0) }
        restored.finish()
        let path = "\(folder)/\(name).position"
        var settings = PositionFile.Settings()
        settings.onProblem = { [faults] in faults.changed(path, $0) }
        let position = PositionFile.open(path: path, on: thread, settings: settings)
        var kept = ZoneOnDisk(files: ZoneFiles(journal: journal, position: position.file))
        kept.problems = problems + (position.problem.map { [$0] } ?? [])
        kept.restored = restored
        kept.place = position.record.flatMap(ZonePlace.init)
        if let place = kept.place, let attempt = place.attempt, restored.songs.contains(where: { $0.id == place.id }) {
            kept.attempt = attempt
            position.file.set(place.record(attempt))
            _ = position.file.flush(within: 1)
        }
        return kept
    }

    /// Removes leftovers of zones that earlier versions removed: empty journals, and positions without queues.
    ///
    /// A zone that the configuration lacks only for now keeps its queue.
    package func removeLeftovers(besides zones: Set<String>) {
        let names = Set(
            ((try? fileNames(in: folder + "/zones")) ?? []).compactMap { name in
                [".journal", ".position"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
            }
        )
        for name in names.subtracting(zones) where isEmptyFile("\(folder)/zones/\(name).journal") {
            for suffix in [".journal", ".position"] { unsafe unlink("\(folder)/zones/\(name)\(suffix)") }
        }
    }
}

/// The files of one zone.
package struct ZoneFiles: Sendable {
    package let journal: Journal
    package let position: PositionFile

    package var isSettled: Bool { journal.isSettled && position.isSettled }

    package func erase() {
        journal.compact([])
        position.erase()
    }

    /// Waits until everything is on the disk, or until the deadline.
    package func flush(by deadline: HostTime) {
        _ = journal.flush(within: max(0, deadline - .now))
        _ = position.flush(within: max(0, deadline - .now))
    }
}

/// The contents of a zone's files.
package struct ZoneOnDisk: Sendable {
    package let files: ZoneFiles
    package var restored = RestoredZone()
    package var place: ZonePlace?
    /// The number of the attempt to resume the entry, already written down; `nil` if the entry is not resumed.
    package var attempt: Int?
    package var problems: [StateProblem] = []
}
