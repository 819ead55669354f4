internal import AudioTypes
internal import Playlists

/// WebVTT (W3C): blocks between blank lines, those of cues with a line that has times.
package enum WebVTT {
    static func cues(_ lines: TextLines) -> [Cue] {
        var cues: [Cue] = []
        var timing: TimeScanner.Timing?
        var text: [ArraySlice<UInt8>] = []
        func finish() {
            guard let block = timing else { return }
            if let cue = Cue(start: block.start, end: block.end, text: self.text(joined(text))) { cues.append(cue) }
            (timing, text) = (nil, [])
        }
        for line in lines where cues.count < TextTrack.cueLimit {
            var scanner = TimeScanner(line.bytes)
            if line.bytes.isEmpty {
                finish()
            } else if let found = scanner.timing() {
                finish()
                timing = found
            } else if timing != nil, text.count < Cue.lineLimit {
                text.append(line.bytes)
            }
        }
        finish()
        return cues
    }

    /// A segment of subtitles: a file of its own (RFC 8216, section 3.5).
    ///
    /// - Returns: The cues in the file's own times, and the seconds by which the presentation's timestamps are ahead of
    ///   these; `nil` unless the file has `X-TIMESTAMP-MAP`.
    package static func segment(_ bytes: [UInt8]) -> (cues: [Cue], offset: Double?) {
        let lines = SourceText(decoding: Array(bytes.prefix(TimedTextFormat.byteLimit))).lines
        var offset: Double?
        // The header ends at the first blank line.
        for line in lines.prefix(16) {
            if line.bytes.isEmpty { break }
            offset = offset ?? timestampOffset(line.bytes)
        }
        return (cues(lines), offset)
    }

    /// Of a line such as `X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000`, whose parts come in any order.
    private static func timestampOffset(_ line: ArraySlice<UInt8>) -> Double? {
        var scanner = TimeScanner(line)
        guard scanner.take("X-TIMESTAMP-MAP=") else { return nil }
        var (ticks, local): (Double?, Double?)
        repeat {
            scanner.skipBlanks()
            if scanner.take("MPEGTS:") {
                ticks = scanner.ticks()
            } else if scanner.take("LOCAL:") {
                local = scanner.time()?.seconds
            } else {
                return nil
            }
        } while scanner.take(",")
        return ticks.flatMap { ticks in local.map { ticks / 90_000 - $0 } }
    }

    /// The text of a cue without markup.
    package static func text(_ payload: String) -> String { Markup.withoutReferences(Markup.withoutTags(payload)) }
}
