internal import TextEncodings

/// A value as JSON, and the progress of playback beside it, which goes on without changes.
struct WatchedValue {
    /// Without the progress.
    let json: [UInt8]
    var progress: Progress?

    static let null = WatchedValue(json: Array("null".utf8))

    /// Whether a client that knows an earlier value has to be told.
    func differs(from earlier: WatchedValue) -> Bool {
        guard json == earlier.json else { return true }
        switch (progress, earlier.progress) {
        case (nil, nil): return false
        case (let progress?, let earlier?): return !progress.continues(earlier)
        default: return true
        }
    }

    /// The JSON with the progress.
    var whole: [UInt8] {
        guard let progress, json.last == UInt8(ascii: "}") else { return json }
        var whole = json.dropLast()
        whole.append(contentsOf: json.count > 2 ? ",\"progress\":".utf8 : "\"progress\":".utf8)
        var bytes = Array(whole)
        bytes.append(progress.json)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The place in a song at a time, and how fast it goes on from there; so nothing has to be sent while it does.
    struct Progress {
        /// In seconds.
        let elapsed: Double
        /// In seconds since 1970.
        let at: Double
        /// Seconds of the song in a second; 0 while it stands still.
        let speed: Double

        /// Whether it is where an earlier one has come to.
        func continues(_ earlier: Progress) -> Bool {
            speed == earlier.speed && abs(earlier.elapsed + (at - earlier.at) * speed - elapsed) < Self.tolerance
        }

        /// In seconds; the position is known that well.
        private static let tolerance = 0.1

        fileprivate var json: JSON {
            .object([
                .init("elapsed", .seconds(elapsed)), .init("at", .seconds(at)), .init("speed", .number(speed)),
            ])
        }
    }
}
