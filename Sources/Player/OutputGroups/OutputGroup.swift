package import AudioTypes
internal import MediaCoding
package import Mixing
package import Outputs
internal import Synchronization
internal import Threads

/// Several named outputs behind one player, which come and go while it plays.
///
/// One of them is the *leader*: its clock is the group's. It is a working sound server or device if there is one, of
/// several the one that was added first, unless it opens while the group plays; else a null output. Files, pipes and
/// FIFOs follow the leader, so they get the heard frames; if no member can lead, they follow the group's own clock. Where
/// only files and pipes are enabled, the first leads, and takes frames as fast as it can. A member that fails leaves the
/// others alone; if the leader does, another one takes over at the heard frame. Without any working member, the group is
/// lost until there is one.
///
/// A sound server's output in the group's own format reads the player's ring directly, at the cost of an output alone.
/// The group's format is the leader's, so it is the others that need conversion; it changes with the leader, at the heard
/// frame.
package final class OutputGroup: AudioOutput, VolumeControl {
    package let depth = PulseOutput.bufferLength
    /// Followers take frames some time after they were heard.
    package let history = 2.0
    let center: GroupClock
    let conductor: Mutex<Conductor>
    private let news = Mutex(News())
    private let onChange: @Sendable (String) -> Void

    /// Members' events that were not handled yet.
    private struct News {
        var waiting: [(event: OutputEvent, serial: Int)] = []
        var hasThread = false
    }

    /// A group without members.
    ///
    /// - Parameters:
    ///   - format: The format that the player renders until there is a leader with a format of its own.
    ///   - onChange: Receives the name of a member whose state has changed, on any thread.
    package init(format: AudioFormat = .cd, onChange: @escaping @Sendable (String) -> Void = { _ in }) {
        self.onChange = onChange
        center = GroupClock(format: format)
        conductor = Mutex(Conductor(format: format, center: center))
    }

    /// Lets `body` change the members, and reports the changes.
    func conduct<Result: Sendable>(_ body: (inout Conductor) -> Result) -> Result {
        let (result, changed) = conductor.withLock { conductor in
            let result = body(&conductor)
            defer { conductor.changed = [] }
            return (result, conductor.changed)
        }
        for name in changed { onChange(name) }
        return result
    }

    // MARK: The player's side

    package var format: AudioFormat { center.state.withLock { $0.format } }

    package var preferredFormat: AudioFormat { conductor.withLock { $0.wish } ?? format }

    package var formatPolicy: FormatPolicy {
        conductor.withLock { conductor in conductor.leadingMember.map { conductor.formatPolicy(of: $0) } ?? .sink }
    }

    package func nearest(to format: AudioFormat) -> AudioFormat {
        conductor.withLock { $0.leadingMember?.live?.inner.nearest(to: format) } ?? format
    }

    package func prefer(_ format: AudioFormat) { conduct { $0.followed = format } }

    package func reformat(to format: AudioFormat) { conduct { $0.reformat(to: format) } }

    package var lead: Double { center.state.withLock { $0.lead } }

    package var spread: Double { conductor.withLock { $0.spread } }

    package var keepsTime: Bool { center.state.withLock { $0.leader }?.output.keepsTime ?? true }

    package var clock: OutputClock { center.clock }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        center.state.withLock {
            $0.events = events
            $0.floor = Double(position.index)
        }
        conduct { conductor in
            conductor.receiver = { [weak self] event, serial in self?.receive(event, from: serial) }
            conductor.attach(ring, at: position)
        }
    }

    package func start() { conduct { $0.start() } }

    package func pause() { conduct { $0.pause() } }

    @discardableResult
    package func discard(to position: FramePosition) -> Double { conduct { $0.discard(to: position) } }

    package func rewind(to position: FramePosition) { conduct { $0.rewind(to: position) } }

    package func framesAvailable() { conduct { $0.framesAvailable() } }

    package var rewriteMargin: Double? { conductor.withLock { $0.rewriteMargin } }

    package func rewrite(from position: FramePosition) { conduct { $0.rewrite(from: position) } }

    package func setVolume(_ volume: Volume, isMuted: Bool) { conduct { $0.setVolume(volume, isMuted: isMuted) } }

    package func setCeiling(_ ceiling: Volume?) { conduct { $0.setCeiling(ceiling) } }

    package func close() {
        for (opener, output) in conduct({ $0.close() }) {
            opener.close(output)
            opener.waitUntilClosed()
        }
        // A disabled file may still be about to be completed.
        for opener in conduct({ $0.members.map(\.opener) }) { opener.waitUntilClosed() }
        center.forget()
    }

    // MARK: The members' events

    /// Receives a member's event on its thread; it is handled on another one.
    private func receive(_ event: OutputEvent, from serial: Int) {
        if event == .clockChanged, !center.clockChanged(of: serial) { return }
        let needsThread = news.withLock { news in
            news.waiting.append((event, serial))
            defer { news.hasThread = true }
            return !news.hasThread
        }
        if needsThread { WorkThread.startWhenPossible(named: "segue-outputs") { self.handleNews() } }
    }

    private func handleNews() {
        while true {
            let next = news.withLock { news -> (event: OutputEvent, serial: Int)? in
                guard news.waiting.isEmpty else { return news.waiting.removeFirst() }
                news.hasThread = false
                return nil
            }
            guard let next else { return }
            conduct { $0.handle(next.event, from: next.serial) }
        }
    }
}
