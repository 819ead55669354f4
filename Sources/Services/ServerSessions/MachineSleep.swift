internal import AudioSessions
package import DBus
package import Logind
package import NIOCore
internal import Outputs
internal import ServerBasics
package import ServerRooms
internal import Zones

/// Interrupts all zones with a fade while the machine sleeps; they resume at the same sample when it is awake.
///
/// Belongs to the server's event loop.
package final class MachineSleep {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var watch: (any SleepWatch)?
    private var interruption: SessionID?

    package init(_ rooms: Rooms, _ audioSessions: SessionService, loop: any EventLoop) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.loop = loop
    }

    package func open(_ bus: BusAddress, _ thread: BusThread) {
        open { SleepGuard(bus, thread, name: "segued", handler: $0) }
    }

    /// - Parameter makeWatch: Makes the watch, which may tell its events on any thread.
    package func open(_ makeWatch: (@escaping @Sendable (SleepGuard.Event) -> Void) -> any SleepWatch) {
        let onLoop = onLoop
        watch = makeWatch { event in onLoop { $0.handle(event) } }
    }

    package func close() {
        watch?.close()
        watch = nil
    }

    /// Something began to play or stopped: time to look for a bus that was not there yet.
    package func played() { watch?.lookAgain() }

    private func handle(_ event: SleepGuard.Event) {
        switch event {
        case .goingToSleep:
            let sleep = SystemInterruption(.alarm, name: "the machine's sleep", owner: "segued")
            // During a call nothing of ours is to be heard.
            let began = try? audioSessions.begin(sleep, in: rooms.zones)
            interruption = began?.0
            _ = onLoop(in: began?.wait ?? 0) { $0.watch?.ready() }
        case .awake:
            for zone in rooms.zones { recordWake(of: zone) }
            if let id = interruption.take() { _ = audioSessions.endInterruption(id, resume: true) }
        }
    }

    private func recordWake(of zone: Zone) {
        let sink = rooms.sink(at: rooms.place(of: zone))?.name ?? ""
        audioSessions.recordRoute(of: zone, .wakeFromSleep, from: sink, to: sink)
    }
}

/// Watches the machine's sleep, and delays it.
package protocol SleepWatch {
    /// Lets the machine go to sleep now.
    func ready()
    /// Looks for a bus that has started since.
    func lookAgain()
    func close()
}

extension SleepGuard: SleepWatch {}
