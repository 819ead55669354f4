internal import Cryptography
internal import TextEncodings

/// Tickets: words that stand for a client's connection in the address of a picture or a stream, where a browser can send no
/// secret.
///
/// A ticket makes its bearer that client for a minute, as long as the connection is there, and with the rights that it has
/// then: a right that is taken from the client is taken from the ticket. A value without a clock.
package struct Tickets: Sendable {
    /// Seconds for which a new ticket is good.
    package static let lifetime = 60.0

    private struct Ticket {
        let connection: Int
        let until: Double
    }

    /// The last two of each connection.
    private var ofConnections: [Int: [Digest]] = [:]
    /// By their digests, so that the time of a search tells nothing about them.
    private var tickets: [Digest: Ticket] = [:]

    package init() {}

    /// Makes a ticket.
    ///
    /// A third one of a connection ends its first.
    ///
    /// - Parameter now: In seconds, of a clock that always goes on.
    /// - Returns: 32 hexadecimal digits.
    package mutating func make(for connection: Int, at now: Double) -> String {
        let text = [UInt8].random(count: 16).hexadecimal
        let digest = Digest(of: Array(text.utf8))
        var kept = ofConnections[connection, default: []]
        if kept.count == 2 { tickets[kept.removeFirst()] = nil }
        ofConnections[connection] = kept + [digest]
        tickets[digest] = Ticket(connection: connection, until: now + Self.lifetime)
        return text
    }

    /// - Returns: The connection that a ticket stands for; `nil` where it is none, or none any more.
    package func connection(of text: String, at now: Double) -> Int? {
        guard let ticket = tickets[Digest(of: Array(text.utf8))], now < ticket.until else { return nil }
        return ticket.connection
    }

    /// A connection is gone, or another client's.
    package mutating func end(of connection: Int) {
        for digest in ofConnections.removeValue(forKey: connection) ?? [] { tickets[digest] = nil }
    }

    package var count: Int { tickets.count }
}
