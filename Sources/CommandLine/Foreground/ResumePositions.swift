package import AudioTypes
internal import TextEncodings

/// The positions at which media were left; the contents of the file `positions`.
///
/// One line per medium: seconds, a tab, the medium's key with `%` and control characters percent-encoded. The newest
/// line is the last; beyond a thousand the oldest are removed.
package struct ResumePositions: Sendable, Hashable {
    /// Below this playing time, in seconds, the position is not stored.
    private static let least = 5.0
    /// Within this time of the end, in seconds, an item counts as finished.
    private static let rest = 5.0
    /// From this share of the duration on, an item counts as finished.
    private static let share = 0.95
    private static let limit = 1000

    private struct Entry: Hashable {
        var key: String
        var seconds: Double
    }

    private var entries: [Entry] = []

    package init() {}

    /// The contents of a file; lines that cannot be read are left out.
    package init(parsing text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, let seconds = Double(parts[0]), seconds.isFinite, seconds >= 0 else { continue }
            let key = ByteEscape.percent.decodeWherePossible(parts[1].utf8)
            set(String(decoding: key, as: UTF8.self), to: seconds)
        }
    }

    package var text: String {
        entries.map { "\(($0.seconds * 1000).rounded() / 1000)\t\(Self.encoded($0.key))\n" }.joined()
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// The position at which to resume.
    package func position(for key: String) -> MediaTime? {
        entries.last { $0.key == key }.map { MediaTime(seconds: $0.seconds) }
    }

    /// Stores a position, or removes the medium when there is no point in resuming: barely started, nearly finished, or
    /// endless.
    ///
    /// - Parameter heard: How much of it was heard; `position` is in the medium, which need not be played from its
    ///   beginning.
    package mutating func record(_ position: MediaTime, heard: MediaTime, of duration: MediaTime?, for key: String) {
        let isWorthIt =
            duration.map { duration in
                heard.seconds >= Self.least && duration.seconds - heard.seconds > Self.rest
                    && heard.seconds < duration.seconds * Self.share
            } ?? false
        if isWorthIt { set(key, to: position.seconds) } else { forget(key) }
    }

    package mutating func forget(_ key: String) { entries.removeAll { $0.key == key } }

    private mutating func set(_ key: String, to seconds: Double) {
        forget(key)
        entries.append(Entry(key: key, seconds: seconds))
        if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
    }

    /// The key of a medium: its absolute path or URL; `nil` for standard input, which cannot be resumed.
    ///
    /// The key of a part of a file, such as a CUE sheet's track, also includes its start.
    package static func key(for entry: MediaEntry, absolutePath: (String) -> String) -> String? {
        guard entry.location != "-" else { return nil }
        let place = entry.isURL ? entry.shownLocation : absolutePath(entry.location)
        guard entry.start != nil || entry.end != nil else { return place }
        return place + "#t=\(entry.start?.seconds ?? 0)"
    }

    private static func encoded(_ key: String) -> String {
        ByteEscape.percent.encode(key.utf8) { $0 >= 0x20 && $0 != UInt8(ascii: "%") }
    }
}
