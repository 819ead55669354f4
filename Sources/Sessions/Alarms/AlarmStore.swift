package import CivilTime
internal import ValueText

/// The alarms and holidays of a server: when each rings next, and which is due.
///
/// A value without a clock; its owner says what time it is.
package struct AlarmStore: Sendable {
    package private(set) var alarms: [Int: Alarm] = [:]
    package private(set) var holidays: [Holiday] = []
    private var nextID = 1

    /// How many alarms there may be, and how many holidays.
    package static let limit = 100
    /// In seconds.
    package static let longestSnooze: Moment = 7_200

    package init() {}

    package enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        case full
        case unknown(Int)
        case neverRings
        case notRinging

        package var description: String {
            switch self {
            case .full: "there may be \(AlarmStore.limit) of them: remove some"
            case .unknown(let id): "there is no alarm \(id)"
            case .neverRings: "it would never ring: its time has passed"
            case .notRinging: "no alarm is ringing"
            }
        }
    }

    /// The alarms that have become due.
    package enum Event: Sendable, Hashable {
        /// An alarm rings, which was due at the moment.
        case ring(Int, due: Moment)
        /// An alarm was due too long ago to ring now.
        case missed(Int, due: Moment)
    }

    // MARK: Alarms

    /// The alarms by number.
    package var sorted: [Alarm] { alarms.values.sorted { $0.id < $1.id } }

    /// Adds an alarm as a client writes it.
    ///
    /// - Throws: `ArgumentProblem` or `Refusal`.
    package mutating func add(_ words: [String], now: Moment, in zone: LocalTime) throws -> Alarm {
        guard alarms.count < Self.limit else { throw Refusal.full }
        let alarm = try Alarm(id: nextID, parsing: words, now: now, in: zone)
        guard alarm.when.upcoming(in: zone, []) != nil else { throw Refusal.neverRings }
        nextID += 1
        alarms[alarm.id] = alarm
        return alarm
    }

    /// Adds an alarm as the journal has it, or removes one; an invalid one is left out.
    ///
    /// - Parameter words: `nil` for one that was removed.
    /// - Returns: Whether it was valid.
    package mutating func restore(_ id: Int, _ words: [String]?, now: Moment, in zone: LocalTime) -> Bool {
        guard (1..<Int(Int32.max)).contains(id) else { return false }
        nextID = max(nextID, id + 1)
        alarms[id] = words.flatMap { try? Alarm(id: id, parsing: $0, now: now, in: zone, isStored: true) }
        return words == nil || alarms[id] != nil
    }

    /// Changes an alarm.
    package mutating func change(_ id: Int, _ body: (inout Alarm) -> Void) throws(Refusal) {
        guard var alarm = alarms[id] else { throw .unknown(id) }
        body(&alarm)
        alarms[id] = alarm
    }

    package mutating func remove(_ id: Int) throws(Refusal) {
        guard alarms.removeValue(forKey: id) != nil else { throw .unknown(id) }
    }

    /// Enables an alarm, from now on, or disables it.
    package mutating func enable(_ id: Int, _ isEnabled: Bool, now: Moment, in zone: LocalTime) throws(Refusal) {
        guard var alarm = alarms[id] else { throw .unknown(id) }
        alarm.when.enable(isEnabled, now: now)
        alarm.snoozedUntil = nil
        alarm.disabledReason = nil
        if isEnabled, alarm.when.upcoming(in: zone, holidays) == nil { throw .neverRings }
        alarms[id] = alarm
    }

    /// Disables an alarm by itself, for a reason that clients are told.
    package mutating func disable(_ id: Int, because reason: String, now: Moment) throws(Refusal) {
        try change(id) { alarm in
            alarm.when.enable(false, now: now)
            alarm.snoozedUntil = nil
            alarm.ringing = nil
            alarm.disabledReason = reason
        }
    }

    /// Leaves out the next ring, or no longer does; the ring after one that is left out already is kept.
    ///
    /// - Returns: The day that is left out.
    @discardableResult
    package mutating func skip(
        _ id: Int,
        _ skips: Bool,
        now: Moment,
        in zone: LocalTime
    ) throws(Refusal) -> CivilDate? {
        guard var alarm = alarms[id] else { throw .unknown(id) }
        guard alarm.when.skip(skips, now: now, in: zone, holidays) else { throw .neverRings }
        alarms[id] = alarm
        return alarm.when.skipped
    }

    // MARK: Holidays

    package mutating func add(_ holiday: Holiday) throws(Refusal) {
        guard !holidays.contains(holiday) else { return }
        guard holidays.count < Self.limit else { throw .full }
        holidays.append(holiday)
        holidays.sort { ($0.first, $0.last) < ($1.first, $1.last) }
    }

    /// - Returns: Whether there was such a holiday.
    package mutating func remove(_ holiday: Holiday) -> Bool {
        defer { holidays.removeAll { $0 == holiday } }
        return holidays.contains(holiday)
    }

    // MARK: Time

    /// When an alarm rings next.
    package func next(_ id: Int, in zone: LocalTime) -> Moment? {
        guard let alarm = alarms[id] else { return nil }
        return [alarm.snoozedUntil, alarm.when.upcoming(in: zone, holidays)].compactMap(\.self).min()
    }

    /// When to call `take` next.
    package func next(in zone: LocalTime) -> Moment? { alarms.keys.compactMap { next($0, in: zone) }.min() }

    /// Sees to what was due by now.
    package mutating func advance(to now: Moment, in zone: LocalTime) -> [Event] {
        var events: [Event] = []
        for id in alarms.keys.sorted() {
            guard var alarm = alarms[id] else { continue }
            let snooze = alarm.endSnooze(at: now)
            let outcome = alarm.when.advance(to: now, in: zone, holidays) ?? snooze
            alarms[id] = alarm
            switch outcome {
            case .due(let moment): events.append(.ring(id, due: moment))
            case .missed(let moment): events.append(.missed(id, due: moment))
            case nil: break
            }
        }
        return events
    }
}

extension Alarm {
    /// Ends a snooze that is over.
    fileprivate mutating func endSnooze(at now: Moment) -> Recurrence.Outcome? {
        guard let end = snoozedUntil else { return nil }
        // Where the clock was set back meanwhile, the alarm's own time counts, as it is not known when the snooze began.
        let wasSetBack = when.handled > now
        let longest = now + (wasSetBack ? Moment(Int(saturating: snooze.rounded(.up))) : AlarmStore.longestSnooze)
        if end > longest { snoozedUntil = longest }
        guard end <= now else { return nil }
        snoozedUntil = nil
        return now - end <= Recurrence.grace ? .due(end) : .missed(end)
    }
}
