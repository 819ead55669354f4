/// The schedules of a server: when each is due next, and which is due.
///
/// A value without a clock; its owner says what time it is, and which days are holidays.
package struct ScheduleStore: Sendable {
    package private(set) var schedules: [Int: Schedule] = [:]
    private var nextID = 1

    /// How many schedules there may be.
    package static let limit = 100

    package init() {}

    package enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        case full
        case unknown(Int)
        case neverDue

        package var description: String {
            switch self {
            case .full: "there may be \(ScheduleStore.limit) of them: remove some"
            case .unknown(let id): "there is no schedule \(id)"
            case .neverDue: "it would never be due: its time has passed"
            }
        }
    }

    /// The schedules that have become due.
    package enum Event: Sendable, Hashable {
        /// A schedule is to be carried out, which was due at the moment.
        case run(Int, due: Moment)
        /// A schedule was due too long ago to be carried out now.
        case missed(Int, due: Moment)
    }

    /// The schedules by number.
    package var sorted: [Schedule] { schedules.values.sorted { $0.id < $1.id } }

    // MARK: Changes

    /// Adds a schedule as a client writes it.
    ///
    /// - Throws: `ArgumentProblem` or `Refusal`.
    package mutating func add(
        _ words: [String],
        by maker: Schedule.Maker,
        now: Moment,
        in zone: LocalTime
    ) throws -> Schedule {
        guard schedules.count < Self.limit else { throw Refusal.full }
        var schedule = try Schedule(id: nextID, parsing: words, now: now, in: zone)
        guard schedule.when.upcoming(in: zone, []) != nil else { throw Refusal.neverDue }
        schedule.maker = maker
        nextID += 1
        schedules[schedule.id] = schedule
        return schedule
    }

    /// Adds a schedule as the journal has it, or removes one; an invalid one is left out.
    ///
    /// - Parameter words: `nil` for one that was removed.
    /// - Returns: Whether it was valid.
    package mutating func restore(_ id: Int, _ words: [String]?, now: Moment, in zone: LocalTime) -> Bool {
        guard (1..<Int(Int32.max)).contains(id) else { return false }
        nextID = max(nextID, id + 1)
        schedules[id] = words.flatMap { try? Schedule(id: id, parsing: $0, now: now, in: zone, isStored: true) }
        return words == nil || schedules[id] != nil
    }

    package mutating func remove(_ id: Int) throws(Refusal) {
        guard schedules.removeValue(forKey: id) != nil else { throw .unknown(id) }
    }

    /// Enables a schedule, from now on, or disables it.
    package mutating func enable(
        _ id: Int,
        _ isEnabled: Bool,
        now: Moment,
        in zone: LocalTime,
        _ holidays: [Holiday]
    ) throws(Refusal) {
        guard var schedule = schedules[id] else { throw .unknown(id) }
        schedule.when.enable(isEnabled, now: now)
        if isEnabled, schedule.when.upcoming(in: zone, holidays) == nil { throw .neverDue }
        schedules[id] = schedule
    }

    /// Leaves out the next time, or no longer does.
    package mutating func skip(
        _ id: Int,
        _ skips: Bool,
        now: Moment,
        in zone: LocalTime,
        _ holidays: [Holiday]
    ) throws(Refusal) {
        guard var schedule = schedules[id] else { throw .unknown(id) }
        guard schedule.when.skip(skips, now: now, in: zone, holidays) else { throw .neverDue }
        schedules[id] = schedule
    }

    // MARK: Time

    /// When a schedule is due next.
    package func next(_ id: Int, in zone: LocalTime, _ holidays: [Holiday]) -> Moment? {
        schedules[id]?.when.upcoming(in: zone, holidays)
    }

    /// When to call `take` next.
    package func next(in zone: LocalTime, _ holidays: [Holiday]) -> Moment? {
        schedules.keys.compactMap { next($0, in: zone, holidays) }.min()
    }

    /// Sees to what was due by now, in the order in which it was due.
    package mutating func advance(to now: Moment, in zone: LocalTime, _ holidays: [Holiday]) -> [Event] {
        var events: [(due: Moment, event: Event)] = []
        for id in schedules.keys.sorted() {
            guard var schedule = schedules[id] else { continue }
            let outcome = schedule.when.advance(to: now, in: zone, holidays)
            schedules[id] = schedule
            switch outcome {
            case .due(let moment): events.append((moment, .run(id, due: moment)))
            case .missed(let moment): events.append((moment, .missed(id, due: moment)))
            case nil: break
            }
        }
        // Stable: of two that are due at the same moment, the older one is first.
        return events.enumerated().sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(
            \.element.event
        )
    }
}
