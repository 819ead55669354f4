internal import CivilTime

/// The playlist of a stream in segments, of which the last ones are listed.
///
/// A pure value; RFC 8216 is what it follows.
struct RollingPlaylist: Sendable, Hashable {
    struct Segment: Sendable, Hashable {
        var number: Int
        var name: String
        var seconds: Double
        /// When its first sample was heard, in seconds since 1970.
        var date: Double
        var title: String
        /// Whether it does not go on where the one before ended.
        var isDiscontinuous: Bool
    }

    /// Seconds of a segment at most, rounded up.
    let target: Int
    let length: Int
    private(set) var segments: [Segment] = []
    /// Segments that are no longer listed, but may still be read.
    private var leaving: [Segment] = []
    /// Discontinuities before the first listed segment.
    private(set) var discontinuities = 0
    private(set) var next = 0

    init(target: Int, length: Int) { (self.target, self.length) = (target, length) }

    /// Goes on after an earlier playlist of the folder, so that numbers never go back.
    mutating func resume(after text: String) {
        var listed = 0
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#EXTINF:") { listed += 1 }
            if line == "#EXT-X-DISCONTINUITY" { discontinuities += 1 }
            next = Self.number(in: line, "#EXT-X-MEDIA-SEQUENCE:") ?? next
            discontinuities += Self.number(in: line, "#EXT-X-DISCONTINUITY-SEQUENCE:") ?? 0
        }
        next += listed
    }

    private static func number(in line: Substring, _ tag: String) -> Int? {
        guard line.hasPrefix(tag), let number = Int(line.dropFirst(tag.count)) else { return nil }
        return (0..<1 << 53).contains(number) ? number : nil
    }

    /// Adds a segment.
    ///
    /// - Returns: The segments whose files are to be removed: those that no reader can still be told of.
    mutating func append(_ segment: Segment) -> [Segment] {
        segments.append(segment)
        next = segment.number + 1
        while segments.count > length {
            let old = segments.removeFirst()
            if old.isDiscontinuous { discontinuities += 1 }
            leaving.append(old)
        }
        // A segment stays as long as the playlist that listed it last is valid (section 6.2.2).
        let gone = leaving.dropLast(length + 1)
        leaving.removeFirst(gone.count)
        return Array(gone)
    }

    var text: String {
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:\(target)\n"
        text += "#EXT-X-MEDIA-SEQUENCE:\(segments.first?.number ?? next)\n"
        text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuities)\n"
        for segment in segments {
            if segment.isDiscontinuous { text += "#EXT-X-DISCONTINUITY\n" }
            text += "#EXT-X-PROGRAM-DATE-TIME:\(utc(segment.date))\n"
            let milliseconds = Int(saturating: (segment.seconds * 1_000).rounded())
            let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
            text += "#EXTINF:\(milliseconds / 1_000).\(fraction),\(segment.title.onOneLine)\n\(segment.name)\n"
        }
        return text
    }
}
