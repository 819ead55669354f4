/// A session's number: assigned by the server, never reused.
package struct SessionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int

    package init(_ rawValue: Int) { self.rawValue = rawValue }

    package var description: String { String(rawValue) }

    package static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// The kinds of things that sessions stand for.
package enum SessionKind: String, CaseIterable, Sendable {
    /// The player of one of the server's own zones.
    case zone
    case announcement
    /// An alarm of the server's own, while it rings.
    case alarm
    /// A program that opened a session of its own.
    case client
    /// A stream of a program that does not use sessions.
    case foreign
    /// A call, an alarm or an assistant: it interrupts, and nothing interrupts it.
    case system
}

/// How urgent a session is: a lower one never interrupts or ducks a higher one.
package enum SessionClass: String, CaseIterable, Comparable, Sendable {
    case normal
    case assistant
    case alarm
    case call

    /// The rank among the classes, lowest first.
    package var rank: Int {
        switch self {
        case .normal: 50
        case .assistant: 60
        case .alarm: 80
        case .call: 100
        }
    }

    package static func < (left: SessionClass, right: SessionClass) -> Bool { left.rank < right.rank }
}
