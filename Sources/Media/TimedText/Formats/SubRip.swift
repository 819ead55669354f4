internal import Playlists

/// SubRip: numbered blocks of a line with times and lines of text.
package enum SubRip {
    /// The cues of a file.
    ///
    /// Numbers and blank lines are not relied on: a cue's text reaches to the next line with times.
    static func cues(_ lines: TextLines) -> [Cue] {
        var cues: [Cue] = []
        var timing: TimeScanner.Timing?
        var text: [ArraySlice<UInt8>] = []
        func finish(isLast: Bool) {
            guard let timing else { return }
            if !isLast, let last = text.last, isNumber(last) { text.removeLast() }
            if let cue = Cue(start: timing.start, end: timing.end, text: self.text(joined(text))) { cues.append(cue) }
        }
        for line in lines where cues.count < TextTrack.cueLimit {
            var scanner = TimeScanner(line.bytes)
            if let found = scanner.timing() {
                finish(isLast: false)
                (timing, text) = (found, [])
            } else if !line.bytes.isEmpty {
                // The last one may be the next block's number.
                if text.count > Cue.lineLimit { text.removeLast() }
                text.append(line.bytes)
            }
        }
        finish(isLast: true)
        return cues
    }

    /// The text of a block without markup.
    package static func text(_ block: String) -> String { Markup.withoutOverrides(Markup.withoutTags(block)) }

    private static func isNumber(_ line: ArraySlice<UInt8>) -> Bool {
        !line.isEmpty && line.count <= 9 && line.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// Lines as one text.
func joined(_ lines: [ArraySlice<UInt8>]) -> String {
    String(decoding: Array(lines.joined(separator: [0x0a])), as: UTF8.self)
}
