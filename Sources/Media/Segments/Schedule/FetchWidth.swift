/// How many segments are fetched at a time.
///
/// One, unless little is buffered and a connection carries less than is played: a server that limits each of them, or a
/// network far away, carries more over several. Where the line itself is slow, several are not faster, but no slower
/// either. A pure value.
struct FetchWidth: Sendable, Hashable {
    /// Connections at most.
    static let most = 4
    /// Shares of the whole buffer: below the first one it is short, until it has the second.
    private static let low = 0.5
    private static let enough = 0.75
    /// Seconds after which a connection's speed is known.
    private static let fairTime = 0.5

    /// Whether little is buffered.
    private(set) var isShort = false
    /// The connections that carry what is played, and fill the buffer.
    private var needed = 1

    /// The segment being read, and those after it.
    var count: Int { isShort ? needed : 1 }

    /// Receives how much is buffered, of how much at most, in seconds.
    mutating func record(buffered seconds: Double, of limit: Double) {
        isShort = seconds < limit * (isShort ? Self.enough : Self.low)
    }

    /// Receives what one connection has carried.
    ///
    /// - Parameter rate: Bytes per second that are played.
    mutating func measure(bytes: Int, seconds: Double, needed rate: Double) {
        guard seconds >= Self.fairTime, rate > 0 else { return }
        let share = rate * seconds / Double(max(bytes, 1))
        needed = share > 1 ? Int(saturating: min(share.rounded(.up) + 1, Double(Self.most))) : 1
    }
}
