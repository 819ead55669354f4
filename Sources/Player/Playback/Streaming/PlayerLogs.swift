internal import AudioTypes
private import Glibc
internal import TextEncodings

/// The logs of a player's items; the newest are kept.
struct PlayerLogs: Sendable {
    struct Logs: Sendable {
        var access = AccessLog()
        var errors = ErrorLog()
        /// A unique name, the same for all requests and errors of one item.
        fileprivate(set) var session = ""

        /// A UUID (RFC 9562, version 4).
        fileprivate static func makeSession() -> String {
            let high = UInt64.random(in: .min ... .max) & ~0xf000 | 0x4000
            let low = UInt64.random(in: .min ... .max) >> 2 | 1 << 63
            let digits = [high, low].map { String($0, digits: 16, radix: 16) }.joined()
            let text = Array(digits.uppercased())
            let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }
            return parts.joined(separator: "-")
        }
    }

    /// The current stretch of playback.
    struct Stretch: Sendable {
        var item: PlayerItem.ID
    }

    private var logs: [PlayerItem.ID: Logs] = [:]
    /// In the order of first use.
    private var order: [PlayerItem.ID] = []
    var stretch: Stretch?
    /// When playback was requested, until it is heard.
    var wish: HostTime?

    private static let limit = 16

    subscript(id: PlayerItem.ID) -> Logs {
        get { logs[id] ?? Logs() }
        set {
            logs[id] = newValue
            guard newValue.session.isEmpty else { return }
            logs[id]?.session = Logs.makeSession()
            order.append(id)
            if order.count > Self.limit { logs[order.removeFirst()] = nil }
        }
    }

    /// The session of an item.
    mutating func session(of id: PlayerItem.ID) -> String {
        if logs[id] == nil { self[id] = Logs() }
        return self[id].session
    }

    mutating func recordStall(of id: PlayerItem.ID) { self[id].access.recordStall() }

    mutating func record(_ transfer: StreamTransfer, of item: PlayerItem) { self[item.id].access.record(transfer) }

    /// - Returns: `nil` for a duplicate: an item fails for good once, whichever source reports it.
    mutating func record(_ failure: StreamFailure, of item: PlayerItem) -> ErrorLog.Event? {
        let last = self[item.id].errors.events.last { !$0.failure.isOfRecording }
        guard !failure.isFinal || failure.isOfRecording || last?.failure.isFinal != true else { return nil }
        let session = session(of: item.id)
        return self[item.id].errors.append(failure, session: session)
    }
}
