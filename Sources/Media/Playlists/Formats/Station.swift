internal import AudioTypes

/// A radio station with several URLs.
package struct Station: Sendable, Hashable {
    /// `nil` when the list has no name for it.
    package var name: String?
}

extension Playlist {
    /// The station of which all entries are URLs, as in the lists of radio directories; `nil` if they are, or may be,
    /// different media.
    ///
    /// Such a list has only URLs, none with a duration or a range. Their titles are equal, except for a number in
    /// parentheses; without titles any PLS qualifies, and an M3U whose URLs differ only in the host.
    package var station: Station? {
        guard [.m3u, .pls, .asx].contains(format), (1...stationLimit).contains(entries.count) else { return nil }
        let isLive = entries.allSatisfy { entry in
            entry.duration == nil && entry.start == nil && entry.end == nil && isWebURL(entry.location)
        }
        guard isLive else { return nil }
        let names = entries.compactMap(stationName)
        if names.isEmpty {
            let isMirrored = Set(entries.map { URLReference($0.location).path }).count == 1
            return format != .m3u || isMirrored ? Station(name: title) : nil
        }
        guard names.count == entries.count, Set(names.map { $0.lowercased() }).count == 1 else { return nil }
        return Station(name: names[0])
    }
}

/// Most URLs of one station; longer lists are collections.
private let stationLimit = 32

/// An entry's title without the part that distinguishes URLs: `(#2 - 15/200) Radio` is `Radio`.
private func stationName(_ entry: MediaEntry) -> String? {
    guard let title = entry.tags.title else { return nil }
    var name = ""
    var rest = (entry.tags["artist"].map { "\($0) - \(title)" } ?? title)[...]
    while let open = rest.firstRange(of: "(#"), let close = rest[open.upperBound...].firstIndex(of: ")") {
        name += rest[..<open.lowerBound]
        rest = rest[rest.index(after: close)...]
    }
    let words = (name + rest).split(whereSeparator: \.isWhitespace)
    return words.isEmpty ? nil : words.joined(separator: " ").replacing(" :", with: ":")
}
