internal import CivilTime

/// Parses a date in a filter into seconds since 1970: either that number, or ISO 8601 with at least year and month, in
/// UTC.
func parseDate(_ text: String) throws(SongFilterError) -> Int {
    if let seconds = Int(text), seconds >= 0 { return seconds }
    guard let seconds = calendarSeconds(text) else { throw SongFilterError("Failed to parse date") }
    return seconds
}

/// `2000-01`, `2000-01-31`, `2000-01-31T23:59`, `2000-01-31T23:59:58Z` and the same with `+01:00`; with a time, also
/// without the separators: `20000131T235958Z`.
private func calendarSeconds(_ text: String) -> Int? {
    let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let isCompact = halves.count == 2 && halves[0].utf8.count == 8 && !halves[0].contains("-")
    let parts =
        isCompact ? pieces(halves[0], [4, 2, 2]) : halves[0].split(separator: "-", omittingEmptySubsequences: false)
    let date = parts.map { Int($0) } + (parts.count == 2 && halves.count == 1 ? [1] : [])
    guard date.count == 3, let year = date[0], let month = date[1], let day = date[2], (0...9999).contains(year),
        (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let days = CivilDate.dayNumber(year: year, month: month, day: day)
    guard halves.count == 2 else { return days * 86_400 }
    var clock = halves[1]
    var offset = 0
    if clock.last == "Z" {
        clock = clock.dropLast()
    } else if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" }) {
        guard let minutes = clockSeconds(clock[clock.index(after: sign)...]) else { return nil }
        offset = clock[sign] == "+" ? minutes : -minutes
        clock = clock[..<sign]
    }
    guard let seconds = clockSeconds(clock) else { return nil }
    return days * 86_400 + seconds - offset
}

/// Splits a text into pieces of the given lengths; fewer if the text ends before.
private func pieces(_ text: Substring, _ lengths: [Int]) -> [Substring] {
    var rest = text
    return lengths.compactMap { length in
        defer { rest = rest.dropFirst(length) }
        return rest.isEmpty ? nil : rest.prefix(length)
    }
}

/// `12:34:56`, `123456`, `12:34`, `1234` or `12` as seconds.
private func clockSeconds(_ text: Substring) -> Int? {
    let isCompact = !text.contains(":") && text.utf8.count <= 6
    let words = isCompact ? pieces(text, [2, 2, 2]) : text.split(separator: ":", omittingEmptySubsequences: false)
    let parts = words.map { Int($0) }
    guard (1...3).contains(parts.count), let hour = parts[0], (0...23).contains(hour) else { return nil }
    guard parts.dropFirst().allSatisfy({ $0.map { (0...60).contains($0) } ?? false }) else { return nil }
    return hour * 3600 + (parts.count > 1 ? (parts[1] ?? 0) * 60 : 0) + (parts.count > 2 ? parts[2] ?? 0 : 0)
}
