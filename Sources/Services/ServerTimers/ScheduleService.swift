package import Alarms
internal import AudioTypes
internal import CivilTime
internal import Settings
internal import Songs
package import StateStore

/// The services that schedules need from the server.
struct ScheduleDependencies {
    /// Stores a record, so that schedules outlive the server.
    var keep: (Record) -> Void
    /// Carries out a schedule's commands as its maker could, then calls back on the loop with the reason of a failure.
    var run: (Schedule, _ then: @escaping (String?) -> Void) -> Void
    /// Tells what became of a schedule, as an event.
    var record: (_ type: String, _ id: Int, _ fields: [(key: StaticString, value: String)]) -> Void
    /// Works out again when to wake, and notifies clients, after a change.
    var settle: () -> Void
    var now: () -> Moment
    var log: @Sendable (LogLevel, String) -> Void
}

/// The server's schedules: commands that it carries out at a time, with the rights of whoever made them.
///
/// Belongs to the server's event loop. It has no timer of its own: `AlarmService`, whose timer of the kernel serves both, asks
/// it when to wake.
package final class ScheduleService {
    private let zone: LocalTime
    /// Days on which schedules for days of the week are not due.
    private let holidays: () -> [Holiday]
    private let dependencies: ScheduleDependencies
    package private(set) var store = ScheduleStore()
    /// Since the server started: when each was carried out last, and why that failed.
    package private(set) var last: [Int: Run] = [:]
    /// Since the server started: the last time that each was missed.
    package private(set) var missed: [Int: Moment] = [:]

    package struct Run: Hashable {
        package var moment: Moment
        package var failure: String?
    }

    init(in zone: LocalTime, holidays: @escaping () -> [Holiday], _ dependencies: ScheduleDependencies) {
        self.zone = zone
        self.holidays = holidays
        self.dependencies = dependencies
    }

    // MARK: State

    package var records: [Record] { store.sorted.map { Record("schedule", ["\($0.id)"] + $0.storedWords) } }

    package func restore(_ record: Record) {
        guard record.verb == "schedule", let id = record.arguments.first.flatMap({ Int($0) }) else { return }
        let rest = Array(record.arguments.dropFirst())
        let words = rest == ["gone"] ? nil : rest
        guard store.restore(id, words, now: dependencies.now(), in: zone) else {
            return dependencies.log(.warning, "the schedule '\(record.text)' cannot be read")
        }
    }

    private func keep(_ id: Int) {
        let words = store.schedules[id]?.storedWords ?? ["gone"]
        dependencies.keep(Record("schedule", ["\(id)"] + words))
    }

    // MARK: Changes

    package func add(_ words: [String], by maker: Schedule.Maker) throws -> Schedule {
        let schedule = try store.add(words, by: maker, now: dependencies.now(), in: zone)
        keep(schedule.id)
        dependencies.settle()
        return schedule
    }

    package func remove(_ id: Int) throws {
        try store.remove(id)
        (last[id], missed[id]) = (nil, nil)
        keep(id)
        dependencies.settle()
    }

    package func enable(_ id: Int, _ isEnabled: Bool) throws {
        try store.enable(id, isEnabled, now: dependencies.now(), in: zone, holidays())
        keep(id)
        dependencies.settle()
    }

    package func skip(_ id: Int, _ skips: Bool) throws {
        try store.skip(id, skips, now: dependencies.now(), in: zone, holidays())
        keep(id)
        dependencies.settle()
    }

    // MARK: Time

    package func next(_ id: Int) -> Moment? { store.next(id, in: zone, holidays()) }

    /// When to call `check` next.
    package var next: Moment? { store.next(in: zone, holidays()) }

    /// Carries out what is due.
    ///
    /// - Returns: Whether something was due.
    package func check(at now: Moment) -> Bool {
        let events = store.advance(to: now, in: zone, holidays())
        for event in events {
            switch event {
            case .run(let id, let due):
                // Written first: a command that ends the server is not carried out again by the next one.
                keep(id)
                run(id, due: due, now)
            case .missed(let id, let due):
                keep(id)
                missed[id] = due
                dependencies.log(.warning, "schedule \(id) of \(utc(Double(due))) was missed")
                dependencies.record("scheduleMissed", id, [("due", utc(Double(due)))])
            }
        }
        return !events.isEmpty
    }

    private func run(_ id: Int, due: Moment, _ now: Moment) {
        guard let schedule = store.schedules[id] else { return }
        dependencies.run(schedule) { [weak self] failure in self?.ended(id, due: due, at: now, failure) }
    }

    private func ended(_ id: Int, due: Moment, at moment: Moment, _ failure: String?) {
        guard let schedule = store.schedules[id] else { return }
        last[id] = Run(moment: moment, failure: failure)
        let what = schedule.name.isEmpty ? schedule.commands.joined(separator: "; ") : schedule.name
        if let failure {
            dependencies.log(.warning, "schedule \(id) (\(what)) failed: \(failure)")
            dependencies.record("scheduleFailed", id, [("due", utc(Double(due))), ("reason", failure)])
        } else {
            dependencies.log(.notice, "schedule \(id) (\(what)) was carried out")
            dependencies.record("scheduleRan", id, [("due", utc(Double(due)))])
        }
        dependencies.settle()
    }
}
