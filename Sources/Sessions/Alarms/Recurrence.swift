package import CivilTime
package import ValueText

/// When something is due: at a time of day, once or on days of the week.
package struct Recurrence: Sendable, Hashable {
    package enum Days: Sendable, Hashable {
        case once(CivilDate)
        case weekly(Weekdays)
    }

    package var time: TimeOfDay
    package var days: Days
    /// Whether days of the week count on holidays, too.
    package var includesHolidays: Bool
    package var isEnabled = true
    /// The day that is left out.
    package var skipped: CivilDate?
    /// Everything up to this moment has been seen to.
    package var handled: Moment

    package init(
        at time: TimeOfDay,
        _ days: Days,
        includesHolidays: Bool = false,
        since handled: Moment
    ) {
        self.time = time
        self.days = days
        self.includesHolidays = includesHolidays
        self.handled = handled
    }

    /// How late something that was missed is still done, in seconds; and how far the clock may be set back without
    /// anything being due twice.
    package static let grace: Moment = 600
    /// The start of 2026: a clock before it was not set since a machine without a clock of its own was switched on, which
    /// tells nothing of what is due.
    package static let earliest: Moment = 1_767_225_600
    /// How many days are looked at for the next one: more than a year of holidays.
    private static let horizon = 800

    /// The next time after a moment; `nil` when there is none, and while it is disabled.
    package func next(after moment: Moment, in zone: LocalTime, _ holidays: [Holiday]) -> Moment? {
        guard isEnabled else { return nil }
        switch days {
        case .once(let date):
            let due = zone.moment(of: time, on: date)
            return due > moment && date != skipped ? due : nil
        case .weekly(let weekdays):
            // Clocks that were changed may show the day before.
            let today = zone.date(at: moment).day - 1
            for date in (today..<(today + Self.horizon)).lazy.map(CivilDate.init(day:)) {
                guard weekdays.contains(weekday: date.weekday), date != skipped,
                    includesHolidays || !holidays.contains(where: { $0.contains(date) })
                else { continue }
                let due = zone.moment(of: time, on: date)
                if due > moment { return due }
            }
            return nil
        }
    }

    /// The next time that has not been seen to.
    package func upcoming(in zone: LocalTime, _ holidays: [Holiday]) -> Moment? {
        next(after: handled, in: zone, holidays)
    }

    /// Enables it, from now on, or disables it.
    mutating func enable(_ isEnabled: Bool, now: Moment) {
        if isEnabled, !self.isEnabled { handled = now }
        self.isEnabled = isEnabled
    }

    /// Leaves out the next time, or no longer does; the time after one that is left out already is kept.
    ///
    /// - Returns: `false` when there is no next time.
    mutating func skip(_ skips: Bool, now: Moment, in zone: LocalTime, _ holidays: [Holiday]) -> Bool {
        forgetSkipped(at: now, in: zone)
        guard skips else {
            skipped = nil
            return true
        }
        if skipped != nil { return true }
        guard let next = upcoming(in: zone, holidays) else { return false }
        skipped = zone.date(at: next)
        return true
    }

    /// Forgets the day that was left out, once its time has passed: it was seen to.
    mutating func forgetSkipped(at now: Moment, in zone: LocalTime) {
        guard let date = skipped else { return }
        let due = zone.moment(of: time, on: date)
        guard due <= now else { return }
        handled = max(handled, due)
        skipped = nil
    }

    /// The outcome of something that is due.
    package enum Outcome: Sendable, Hashable {
        /// It is to be done now; it was due at the moment.
        case due(Moment)
        /// It was due too long ago.
        case missed(Moment)
    }

    /// Sees to what was due by now.
    ///
    /// - Returns: `nil` when nothing was.
    package mutating func advance(to now: Moment, in zone: LocalTime, _ holidays: [Holiday]) -> Outcome? {
        guard now >= Self.earliest else { return nil }
        // The clock was wrong, and is set back: what it has skipped is still to come.
        if handled - now > Self.grace { handled = now }
        forgetSkipped(at: now, in: zone)
        guard let first = upcoming(in: zone, holidays), first <= now else { return nil }
        let recent = next(after: max(handled, now - Self.grace - 1), in: zone, holidays)
        handled = now
        if case .once = days { isEnabled = false }
        guard let recent, recent <= now else { return .missed(first) }
        return .due(recent)
    }
}

/// Days on which nothing recurs by itself.
package struct Holiday: Sendable, Hashable {
    package let first: CivilDate
    package let last: CivilDate

    /// - Returns: `nil` when the last day is before the first, or more than a year after it.
    package init?(from first: CivilDate, to last: CivilDate) {
        guard first <= last, last.day - first.day <= 366 else { return nil }
        (self.first, self.last) = (first, last)
    }

    package func contains(_ date: CivilDate) -> Bool { (first...last).contains(date) }
}
