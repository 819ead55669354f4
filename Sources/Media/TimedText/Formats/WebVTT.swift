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

    /// The text of a cue without markup.
    package static func text(_ payload: String) -> String { Markup.withoutReferences(Markup.withoutTags(payload)) }
}
