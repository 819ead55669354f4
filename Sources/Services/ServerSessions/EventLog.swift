/// The newest few thousand session events, numbered without gaps.
package struct EventLog {
    package struct Event: Sendable, Hashable {
        package let number: Int
        /// Seconds since 1970, UTC.
        package let time: Double
        /// `nil` for events that concern no single session.
        package let session: Int?
        package let type: String
        /// Further fields, in the order of output.
        package let fields: [(key: StaticString, value: String)]

        package static func == (left: Self, right: Self) -> Bool { left.number == right.number }
        package func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private let capacity: Int
    private var events: [Event] = []
    /// The index of the oldest event, once the log is full.
    private var start = 0
    package private(set) var newest = 0

    package init(capacity: Int = 4_096) { self.capacity = capacity }

    package mutating func append(
        _ type: String,
        of session: Int?,
        at time: Double,
        _ fields: [(key: StaticString, value: String)]
    ) {
        newest += 1
        let event = Event(number: newest, time: time, session: session, type: type, fields: fields)
        if events.count < capacity {
            events.append(event)
        } else {
            events[start] = event
            start = (start + 1) % capacity
        }
    }

    /// The number of the oldest event in the log; of the next event when the log is empty.
    package var oldest: Int { newest - events.count + 1 }

    /// The events with numbers above `since`, oldest first.
    package func events(after since: Int) -> [Event] {
        let first = max(min(since, newest) + 1, oldest)
        return (first..<newest + 1).map { events[(start + $0 - oldest) % events.count] }
    }
}
