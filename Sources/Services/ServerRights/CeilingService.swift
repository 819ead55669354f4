package import Authorization
internal import LineProtocol
package import NIOCore
package import ServerBasics
package import Settings
package import StateStore

/// The server, as the ceilings of its zones see it.
package protocol CeilingDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// The most that zones play may be another value now.
    func ceilingsChanged()
    /// A change is to be stored, so that it outlives the server.
    func grantSettingChanged(_ record: Record)
    /// A change that a client has made belongs in the audit log.
    func rightsChanged(of client: String, _ text: String)
}

/// The ceilings of zones that the owner sets while the server runs, each at its times.
///
/// Belongs to the server's event loop.
package final class CeilingService {
    /// By the names of zones, which need not be there.
    package private(set) var all: [String: ZoneCeiling] = [:]
    private let loop: any EventLoop
    private let clock: any WallClock
    private unowned let delegate: any CeilingDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var timer: Scheduled<Void>?

    /// The verb of its lines.
    package static let verb = "ceiling"
    /// Zones that are kept here, also those that are gone.
    package static let capacity = 1_000

    package init(loop: any EventLoop, clock: any WallClock, delegate: any CeilingDelegate) {
        (self.loop, self.clock, self.delegate) = (loop, clock, delegate)
    }

    /// The ceiling that holds in a zone now; an empty one, where there is none.
    package func current(of zone: String) -> ZoneCeiling {
        guard let ceiling = all[zone], ceiling.validity.contains(clock.moment) else { return ZoneCeiling() }
        return ceiling
    }

    /// Changes a zone's ceiling; one that is empty is none any more.
    package func change(_ zone: String, _ words: [String], by who: String) throws {
        var ceiling = all[zone] ?? ZoneCeiling()
        do throws(GrantProblem) { try ceiling.change(words) } catch { throw AckError(.badArgument, error.text) }
        guard all[zone] != nil || all.count < Self.capacity else {
            throw AckError(.system, "there are \(Self.capacity) zones with ceilings")
        }
        all[zone] = ceiling.isEmpty ? nil : ceiling
        delegate.grantSettingChanged(record(of: zone))
        let text = ceiling.isEmpty ? "none" : ceiling.words.joined(separator: " ")
        delegate.log(.notice, "\(who) set the ceiling of zone \(zone): \(text)")
        delegate.rightsChanged(of: who, "\(who) set the ceiling of zone \(zone): \(text)")
        timePassed()
    }

    private func record(of zone: String) -> Record { Record(Self.verb, [zone] + (all[zone]?.words ?? [])) }

    /// Applies a record of the journal.
    package func restore(_ record: Record) {
        var ceiling = ZoneCeiling()
        guard let zone = record.arguments.first, (try? ceiling.change(record.arguments.dropFirst())) != nil else {
            return delegate.log(.warning, "the ceiling '\(record.text)' cannot be read")
        }
        all[zone] = ceiling.isEmpty ? nil : ceiling
        watchTime()
        // Zones are held to it before their own state is restored.
        delegate.ceilingsChanged()
    }

    /// Everything, for the journal.
    package var records: [Record] { all.keys.sorted().map(record) }

    /// Sets the timer to the next moment at which a ceiling begins or ends; without one, no timer runs.
    private func watchTime() {
        timer?.cancel()
        timer = nil
        let now = clock.moment
        guard let next = all.values.compactMap({ $0.validity.nextChange(after: now) }).min() else { return }
        // The clock of timers and the wall clock may differ by the fraction of a millisecond.
        timer = onLoop(in: min(next - now.seconds + 0.001, Self.longestTimer)) { $0.timePassed() }
    }

    private func timePassed() {
        let now = clock.now
        for (zone, ceiling) in all where ceiling.validity.until.map({ $0 <= now }) ?? false {
            all[zone] = nil
            delegate.grantSettingChanged(record(of: zone))
        }
        watchTime()
        delegate.ceilingsChanged()
    }

    /// In seconds: an hour, after which a clock that has been set back or forward is looked at.
    private static let longestTimer = 3_600.0
}
