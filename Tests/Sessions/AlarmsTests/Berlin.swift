import Alarms
import CivilTime
import ValueText

/// The time zone Europe/Berlin by its rule since 1996: summer time from the last Sunday of March to that of October,
/// both at 1:00 UTC.
let berlin = LocalTime { moment in
    let date = CivilDate(day: Int(moment) / 86_400)
    return (turn(date.parts.year, 3)..<turn(date.parts.year, 10)).contains(moment) ? 7_200 : 3_600
}

/// 1:00 UTC on a month's last Sunday.
private func turn(_ year: Int, _ month: Int) -> Moment {
    guard let last = CivilDate(year: year, month: month, day: 31) else { return 0 }
    return Moment(last.day - (last.weekday + 1) % 7) * 86_400 + 3_600
}

/// A moment in UTC, such as `2026-03-29T01:00:00`.
func utc(_ text: String) throws -> Moment {
    let parts = text.split(separator: "T")
    let date = try CivilDate(parsing: parts[0])
    return Moment(date.day) * 86_400 + Moment(try TimeOfDay(parsing: parts[1]).seconds)
}

/// A moment as `utc` reads it.
func text(_ moment: Moment?) -> String? {
    guard let moment, let time = TimeOfDay(seconds: Int(moment) % 86_400) else { return nil }
    return "\(CivilDate(day: Int(moment) / 86_400))T\(time)"
}

/// A recurrence as clients write it.
func recurrence(_ words: String, at now: String) throws -> Recurrence {
    try Alarm(id: 1, parsing: words.split(separator: " ").map(String.init), now: utc(now), in: berlin).when
}
