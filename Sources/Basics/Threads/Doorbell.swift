package import AudioTypes

/// Lets one thread sleep until another wakes it.
///
/// A ring while no thread waits is remembered, so none is missed.
package final class Doorbell: Sendable {
    private let isRung = Monitor(false)

    package init() {}

    /// Wakes the waiting thread, or the next one that would wait.
    package func ring() { isRung.change { $0 = true } }

    /// Sleeps until the bell has been rung, or until `deadline`.
    package func wait(until deadline: HostTime? = nil) {
        let answer: (inout Bool) -> Void? = { isRung in
            defer { isRung = false }
            return isRung ? () : nil
        }
        if let deadline { _ = isRung.wait(until: deadline, for: answer) } else { isRung.wait(for: answer) }
    }
}
