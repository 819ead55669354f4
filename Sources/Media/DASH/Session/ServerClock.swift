internal import CivilTime
internal import HTTP
internal import Segments

/// The time of day used by a live manifest's author.
struct ServerClock {
    /// Seconds by which it is ahead of this machine's clock.
    private(set) var lead: Double = 0

    /// Seconds since 1970.
    var now: Double { wallClock() + lead }

    /// Learns from a server's response: this machine's clock must not be behind it.
    ///
    /// It may be ahead, because a response can be an old copy.
    mutating func record(_ head: HTTPHead) {
        guard let date = head.date, date - now > 2 else { return }
        lead = date - wallClock()
    }

    /// Sets the clock from the first of a manifest's time sources that answers.
    mutating func set(by clocks: [ManifestClock], in base: String, client: HTTPClient) throws(SegmentError) {
        for clock in clocks {
            switch Result(catching: { () throws(SegmentError) in try Self.ask(clock, in: base, client) }) {
            case .success(let time):
                guard let time else { continue }
                lead = time - wallClock()
                return
            case .failure(let error): if error.isInterrupted { throw error }
            }
        }
    }

    /// - Returns: `nil` for an unknown kind of time source.
    private static func ask(
        _ clock: ManifestClock,
        in base: String,
        _ client: HTTPClient
    ) throws(SegmentError) -> Double? {
        let scheme = clock.scheme.lowercased()
        guard scheme.hasPrefix("urn:mpeg:dash:utc:") else { return nil }
        if scheme.contains(":direct:") { return seconds(ofDate: clock.value) }
        guard scheme.contains(":http-xsdate:") || scheme.contains(":http-iso:") || scheme.contains(":http-head:"),
            let place = clock.value.split(separator: " ").first
        else { return nil }
        let url = try location(String(place), in: base, what: "a clock")
        let answer = Result { () throws(HTTPError) in try client.fetch(url, atMost: 4_096) }
        let document = try answer.mapError { SegmentError.http($0, what: "the clock") }.get()
        // A time in whole seconds is on average half a second old.
        if scheme.contains(":http-head:") { return document.head.date.map { $0 + 0.5 } }
        return seconds(ofDate: String(decoding: document.bytes, as: UTF8.self))
    }
}
