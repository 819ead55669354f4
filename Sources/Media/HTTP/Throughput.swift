/// Measures the speed of data while waiting for it.
///
/// Data that accumulated in the system's buffers without a read says nothing about the network, and is left out.
struct Throughput: Sendable {
    /// Seconds of waiting that count fully; older ones count half, and so on.
    private static let memory = 5.0
    /// Seconds without a read after which buffers may have filled.
    private static let pause = 0.1

    private var bytes = 0.0
    private var seconds = 0.0
    private var isDraining = false

    /// Adds a read.
    ///
    /// - Parameters:
    ///   - gap: Seconds since the previous read; infinity for none.
    ///   - waited: Seconds spent waiting; 0 when the bytes were available.
    mutating func add(bytes count: Int, waited: Double, gap: Double) {
        if gap > Self.pause { isDraining = true }
        if waited > 0, isDraining {
            // The bytes may have been on their way for longer than the wait.
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

    /// Adds the time to answer a request, which counts like any other.
    mutating func addAnswer(waited: Double) {
        seconds += waited
        isDraining = false
    }

    /// Bits per second; `nil` until enough was measured.
    var bitsPerSecond: Double? {
        guard seconds >= 0.05 || bytes >= 65_536 else { return nil }
        return bytes * 8 / max(seconds, 0.001)
    }
}
