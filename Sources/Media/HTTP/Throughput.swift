/// How fast bytes come while they are waited for.
///
/// What has gathered in the system's buffers while nobody read says nothing of the network, and is left out.
struct Throughput: Sendable {
    /// Seconds of waiting that count; older ones count half, and so on.
    private static let memory = 5.0
    /// Seconds without a read after which buffers may have filled.
    private static let pause = 0.1

    private var bytes = 0.0
    private var seconds = 0.0
    private var isDraining = false

    /// One read.
    ///
    /// - Parameters:
    ///   - gap: Seconds since the read before; infinity for none.
    ///   - waited: Seconds in which it waited; 0 when the bytes were there.
    mutating func add(bytes count: Int, waited: Double, gap: Double) {
        if gap > Self.pause { isDraining = true }
        if waited > 0, isDraining {
            // The bytes may have been on their way for longer than one has waited for them.
            isDraining = false
            return
        }
        guard !isDraining else { return }
        bytes += Double(count)
        seconds += waited
        if seconds > Self.memory {
            bytes /= 2
            seconds /= 2
        }
    }

    /// The time in which a request was answered counts like any other.
    mutating func addAnswer(waited: Double) {
        seconds += waited
        isDraining = false
    }

    /// Bits per second; `nil` until enough has come to tell.
    var bitsPerSecond: Double? {
        guard seconds >= 0.05 || bytes >= 65_536 else { return nil }
        return bytes * 8 / max(seconds, 0.001)
    }
}
