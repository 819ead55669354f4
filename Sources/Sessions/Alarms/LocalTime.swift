package import CivilTime
package import ValueText

/// A moment of the time of day, in seconds since 1970 (UTC).
package typealias Moment = Int64

/// A time zone: which moment is what on its clocks.
package struct LocalTime: Sendable {
    /// How many seconds clocks are ahead of UTC at a moment.
    private let offset: @Sendable (Moment) -> Int

    package init(offset: @escaping @Sendable (Moment) -> Int) { self.offset = offset }

    /// The time that clocks show at a moment.
    package func reading(at moment: Moment) -> (date: CivilDate, time: Int) {
        let local = Int(moment) + offset(moment)
        let time = (local % 86_400 + 86_400) % 86_400
        return (CivilDate(day: (local - time) / 86_400), time)
    }

    package func date(at moment: Moment) -> CivilDate { reading(at: moment).date }

    /// When clocks show a time on a date, by the rules of RFC 5545.
    ///
    /// A time that clocks skip is reckoned by the offset before the gap, so it comes later by the length of the gap; of
    /// a time that they show twice it is the first.
    package func moment(of time: TimeOfDay, on date: CivilDate) -> Moment {
        let local = Moment(date.day) * 86_400 + Moment(time.seconds)
        // No zone is more than a day from UTC, and none changes twice in two days.
        let before = local - Moment(offset(local - 86_400))
        let after = local - Moment(offset(local + 86_400))
        let found = [before, after].filter { $0 + Moment(offset($0)) == local }
        return found.min() ?? before
    }
}
