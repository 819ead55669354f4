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

    /// What has become of something that is due.
    package enum Outcome: Sendable, Hashable {
        /// It is to be done now; it was due at the moment.
        case due(Moment)
        /// It was due too long ago.
        case missed(Moment)
    }

    /// Sees to what was due by now.
    ///
    /// - Returns: `nil` when nothing was.
    package mutating func take(at now: Moment, in zone: LocalTime, _ holidays: [Holiday]) -> Outcome? {
        // The clock was wrong, and is set back: what it has skipped is still to come.
        if handled - now > Self.grace { handled = now }
        if let skipped, skipped < zone.date(at: now) { self.skipped = nil }
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
