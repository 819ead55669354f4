/// What happened to sessions, numbered without holes: the newest few thousand events.
struct EventLog {
    struct Event: Sendable, Hashable {
        let number: Int
        /// Seconds since 1970, UTC.
        let time: Double
        /// `nil` for what concerns no session alone.
        let session: Int?
        let type: String
        /// What else there is to say, in the order that it is printed.
        let fields: [(key: StaticString, value: String)]

        static func == (left: Self, right: Self) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private let capacity: Int
    private var events: [Event] = []
    /// Where the oldest event is, once the log is full.
    private var start = 0
    private(set) var newest = 0

    init(capacity: Int = 4_096) { self.capacity = capacity }

    mutating func append(
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

    /// The number of the oldest event that is still there; that of the next one when there are none.
    var oldest: Int { newest - events.count + 1 }

    /// The events after number `since`, oldest first.
    func events(after since: Int) -> [Event] {
        let first = max(min(since, newest) + 1, oldest)
        return (first..<newest + 1).map { events[(start + $0 - oldest) % events.count] }
    }
}
