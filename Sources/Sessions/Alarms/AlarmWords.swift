private import AudioTypes
internal import CivilTime
package import ValueText

/// An alarm as clients write it and the journal keeps it: `TIME [DAYS|DATE] [KEY VALUE]...`.
extension Alarm {
    /// Parses an alarm.
    ///
    /// - Parameters:
    ///   - now: An alarm without days rings at the first such time after it.
    ///   - isStored: Whether the words come from the journal, which has more keys.
    package init(
        id: Int,
        parsing words: [String],
        now: Moment,
        in zone: LocalTime,
        isStored: Bool = false
    ) throws(ArgumentProblem) {
        var words = words[...]
        self.init(id: id, try Recurrence(parsing: &words, now: now, in: zone))
        while let key = words.popFirst() {
            guard let value = words.popFirst() else { throw ArgumentProblem("\(key) has no value") }
            if isStored, try setStored(key, value) { continue }
            try set(key, value)
        }
    }

    private mutating func set(_ key: String, _ value: String) throws(ArgumentProblem) {
        switch key {
        case "zone": zone = try text(value, 64)
        case "name": name = try text(value, 64)
        case "uri": uri = try text(value, Self.longestURI)
        case "fallback": fallback = try text(value, Self.longestURI)
        case "volume": volume = try Self.volumes(value)
        case "ramp": ramp = try seconds(value, 0...3_600)
        case "snooze": snooze = try seconds(value, 10...7_200)
        case "length": length = try seconds(value, 5...86_400)
        case "thenplay": playsOn = try flag(value)
        case "holidays": when.includesHolidays = try flag(value)
        default: throw ArgumentProblem("an alarm has no key '\(key)'")
        }
    }

    /// - Returns: Whether it is a key that only the journal has.
    private mutating func setStored(_ key: String, _ value: String) throws(ArgumentProblem) -> Bool {
        if try when.setStored(key, value) { return true }
        switch key {
        case "by": maker = try text(value, Self.longestReason)
        case "why": disabledReason = try text(value, Self.longestReason)
        case "reach": reach = NetworkReach(text: value) ?? .networks([])
        case "snoozed": snoozedUntil = moment(value)
        case "ringing": ringing = moment(value).map { Ringing(since: $0, volume: nil) }
        case "before": ringing?.volume = Int(value).map { min(max($0, 0), 100) }
        default: return false
        }
        return true
    }

    /// In bytes.
    package static let longestURI = 4_096
    private static let longestReason = 256

    /// `40`, or `5-40` for a ramp.
    private static func volumes(_ text: String) throws(ArgumentProblem) -> ClosedRange<Int> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
            (0...100).contains(first), (1...100).contains(last), first <= last
        else { throw ArgumentProblem("a volume is written as 40, or 5-40 for one that rises") }
        return first...last
    }

    /// The alarm's words for the journal.
    package var storedWords: [String] {
        var words = words + when.storedWords
        if reach != .anywhere { words += ["reach", reach.text] }
        if !maker.isEmpty { words += ["by", maker] }
        if let disabledReason { words += ["why", disabledReason] }
        if let snoozedUntil { words += ["snoozed", "\(snoozedUntil)"] }
        if let ringing { words += ["ringing", "\(ringing.since)"] }
        if let volume = ringing?.volume { words += ["before", "\(volume)"] }
        return words
    }

    /// The alarm as a client would write it.
    package var words: [String] {
        when.words + settings.flatMap { [$0.key, $0.value] }
    }

    /// The settings besides the time, in the order of output.
    package var settings: [(key: String, value: String)] {
        var settings: [(key: String, value: String)] = []
        if !zone.isEmpty { settings.append(("zone", zone)) }
        if !name.isEmpty { settings.append(("name", name)) }
        if let uri { settings.append(("uri", uri)) }
        if let fallback { settings.append(("fallback", fallback)) }
        let ends = Set([volume.lowerBound, volume.upperBound]).sorted()
        settings.append(("volume", ends.map(String.init).joined(separator: "-")))
        settings += [("ramp", brief(ramp)), ("snooze", brief(snooze)), ("length", brief(length))]
        if playsOn { settings.append(("thenplay", "1")) }
        if when.includesHolidays { settings.append(("holidays", "1")) }
        return settings
    }
}

extension Recurrence.Days {
    /// Parses `mon-fri` or `2026-12-24`; `nil` for another word.
    fileprivate init?(_ word: String) {
        if let date = try? CivilDate(parsing: word) {
            self = .once(date)
        } else if let weekdays = try? Weekdays(parsing: word) {
            self = .weekly(weekdays)
        } else {
            return nil
        }
    }
}

extension Recurrence {
    /// Parses `TIME [DAYS|DATE]`, and leaves the words after it.
    init(parsing words: inout ArraySlice<String>, now: Moment, in zone: LocalTime) throws(ArgumentProblem) {
        let time = try TimeOfDay(parsing: words.popFirst() ?? "")
        self.init(at: time, .once(zone.date(at: now)), since: now)
        guard let word = words.first, let known = Days(word) else {
            postpone(after: now, in: zone)
            return
        }
        days = known
        words = words.dropFirst()
    }

    /// Chooses the first day on which the time is still to come.
    private mutating func postpone(after now: Moment, in zone: LocalTime) {
        let today = zone.date(at: now)
        let isToday = zone.moment(of: time, on: today) > now
        days = .once(isToday ? today : CivilDate(day: today.day + 1))
    }

    /// The time and the days, as clients write them.
    package var words: [String] {
        switch days {
        case .once(let date): ["\(time)", "\(date)"]
        case .weekly(let weekdays): ["\(time)", "\(weekdays)"]
        }
    }

    var storedWords: [String] {
        ["enabled", isEnabled ? "1" : "0", "handled", "\(handled)"] + (skipped.map { ["skipped", "\($0)"] } ?? [])
    }

    mutating func setStored(_ key: String, _ value: String) throws(ArgumentProblem) -> Bool {
        switch key {
        case "enabled": isEnabled = try flag(value)
        case "handled": handled = moment(value) ?? handled
        case "skipped": skipped = try CivilDate(parsing: value)
        default: return false
        }
        return true
    }
}

/// A moment from 1970 to the end of the year 9999.
private func moment(_ word: String) -> Moment? {
    Moment(word).flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
}

func text(_ word: String, _ limit: Int) throws(ArgumentProblem) -> String {
    guard !word.isEmpty, word.utf8.count <= limit, word.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        throw ArgumentProblem("it is from 1 to \(limit) bytes on one line")
    }
    return word
}

func flag(_ word: String) throws(ArgumentProblem) -> Bool {
    guard word == "0" || word == "1" else { throw ArgumentProblem("it is 0 or 1, not '\(word)'") }
    return word == "1"
}

private func seconds(_ word: String, _ range: ClosedRange<Double>) throws(ArgumentProblem) -> Double {
    let seconds = try TimeArgument.parse(word).seconds
    guard range.contains(seconds) else {
        throw ArgumentProblem("it is from \(brief(range.lowerBound)) to \(brief(range.upperBound)) seconds")
    }
    return seconds
}

private func brief(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(saturating: number))" : "\(number)"
}
