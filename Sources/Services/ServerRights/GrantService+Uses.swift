package import Authorization
internal import NIOCore
internal import ServerBasics

/// When the clients that the owner knows were last used.
///
/// It is written down within an hour of the first use, and at the end, so that an SD card is not worn by commands.
extension GrantService {
    /// In seconds.
    package static let useInterval = 3_600.0

    /// Records that a client was used, in seconds since 1970.
    package func used(_ id: PrincipalID, at time: Double) {
        guard isKnown(id) else { return }
        uses.record(id, at: time, now: clock.now)
        writeUsesLater()
    }

    /// Has the uses written down within an hour; called for each thing that a client asks.
    package func writeUsesLater() {
        guard useTimer == nil else { return }
        useTimer = onLoop(in: Self.useInterval) { $0.writeUses() }
    }

    /// Writes down when clients were last used, as far as that has changed.
    package func writeUses() {
        useTimer?.cancel()
        useTimer = nil
        let now = clock.now
        for (id, time) in delegate.lastUses where isKnown(id) { uses.record(id, at: time, now: now) }
        for line in uses.takeUnwritten() { keep(line) }
    }
}
