package import AudioTypes

/// The errors of an item, fatal or not (AVPlayerItem's `errorLog`).
///
/// A pure value.
package struct ErrorLog: Sendable, Hashable {
    package struct Event: Sendable, Hashable {
        package var failure: StreamFailure
        package var playbackSessionID: String?

        package init(failure: StreamFailure, playbackSessionID: String?) {
            self.failure = failure
            self.playbackSessionID = playbackSessionID
        }

        package var fields: [LogField] {
            [
                LogField("date", "date", .date(failure.date)),
                LogField("uri", "uri", .text(failure.uri)),
                LogField("serverAddress", "s-ip", .text(failure.serverAddress)),
                LogField("playbackSessionID", "cs-guid", .text(playbackSessionID)),
                LogField("errorStatusCode", "status", .count(failure.statusCode ?? -1)),
                LogField("errorDomain", "domain", .text(failure.domain)),
                LogField("errorComment", "comment", .text(failure.comment)),
                LogField("isFinal", "x-final", .text(failure.isFinal ? "yes" : "no")),
            ]
        }
    }

    /// In order; only the newest are kept.
    package private(set) var events: [Event] = []

    private static let limit = 100

    package init() {}

    @discardableResult
    mutating func append(_ failure: StreamFailure, session: String?) -> Event {
        let event = Event(failure: failure, playbackSessionID: session)
        if events.count == Self.limit { events.removeFirst() }
        events.append(event)
        return event
    }

    /// In W3C's Extended Log File Format.
    package var text: String {
        let failure = StreamFailure(date: 0, uri: "", domain: "", comment: "", isFinal: false)
        let names = Event(failure: failure, playbackSessionID: nil).fields.map(\.logName)
        return ExtendedLog.text(names, events.map(\.fields))
    }
}
