import AudioTypes
package import Dispatch
package import NIOCore
import NIOPosix
package import ServerBasics
import TestSupport

/// The event loop of suites that test what belongs to one; they are actors on it, as the server is.
package let testLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

/// The event loop of services whose time a test lets pass.
///
/// It executes on `testLoop`, but its clock and its time of day stand still: timers run within ``pass(_:)``.
package final class TestLoop: EventLoop {
    private struct Timer {
        let id: Int
        let deadline: NIODeadline
        let run: @Sendable () -> Void
        /// Ends it without a run, as its promise wants.
        let giveUp: @Sendable () -> Void
    }

    private struct DayTimer {
        var moment: Int64?
        let ring: @Sendable () -> Void
    }

    private struct State {
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        /// Seconds from the loop's time to the time of day; it begins at noon of a Monday, in UTC.
        var offset = 1_780_315_200.0 - 1_000
        var timers: [Timer] = []
        var dayTimers: [Int: DayTimer] = [:]
        var nextID = 0
        var ready: [@Sendable () -> Void] = []
        /// How many of those have run.
        var runs = 0

        mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }

        var waitingCount: Int { timers.count + dayTimers.values.count { $0.moment != nil } }

        var timeOfDay: Double { Double(now.uptimeNanoseconds) / 1e9 + offset }

        /// The next moment before `end` at which a timer is due.
        func nextDeadline(until end: NIODeadline) -> NIODeadline? {
            let days = dayTimers.values.compactMap(\.moment).map { moment in
                // A microsecond later, because seconds since 1970 are not exact.
                NIODeadline.uptimeNanoseconds(UInt64(max(0, (Double(moment) - offset) * 1e9) + 1_000))
            }
            return (timers.map(\.deadline) + days).filter { $0 < end }.min()
        }

        /// Takes out the timer that is due first.
        mutating func takeTimer(until moment: NIODeadline) -> (@Sendable () -> Void)? {
            let first = timers.indices.min {
                (timers[$0].deadline, timers[$0].id) < (timers[$1].deadline, timers[$1].id)
            }
            guard let first, timers[first].deadline <= moment else { return nil }
            return timers.remove(at: first).run
        }

        /// Takes out the timers of the day that are due; each rings once for its moment.
        mutating func takeRings() -> [@Sendable () -> Void] {
            let due = dayTimers.filter { $0.value.moment.map { Double($0) <= timeOfDay } ?? false }
            for id in due.keys { dayTimers[id]?.moment = nil }
            return due.sorted { $0.key < $1.key }.map(\.value.ring)
        }
    }

    private let state = Watched(State())

    package init() {}

    deinit {
        for timer in state.withLock(\.timers) { timer.giveUp() }
    }

    // MARK: The test's part

    /// Lets time pass, on the loop: timers run in the order of their deadlines, each at its own.
    package func pass(_ seconds: Double) {
        runReady()
        let end = now + .nanoseconds(Int64(seconds * 1e9))
        while let next = state.withLock({ $0.nextDeadline(until: end) }) { go(to: next) }
        go(to: end)
    }

    /// Sets the time of day, as a person or a time server does; timers that go by it ring.
    package func setTimeOfDay(_ seconds: Double) {
        let rings = state.withLock { state in
            state.offset += seconds - state.timeOfDay
            return state.dayTimers.values.map(\.ring)
        }
        for ring in rings { ring() }
        runReady()
    }

    /// Runs what was put onto the loop.
    package func runReady() {
        while let body = state.withLock({ $0.ready.isEmpty ? nil : $0.ready.removeFirst() }) {
            body()
            state.withLock { $0.runs += 1 }
        }
    }

    /// Waits until something is so, which other threads cause by what they put onto the loop.
    ///
    /// - Returns: Whether it came to be so.
    package func wait(isolation: isolated (any Actor)? = #isolation, until isSo: () -> Bool) async -> Bool {
        while !isSo() {
            let seen = state.withLock { $0.runs }
            guard await state.wait(within: .patience, until: { $0.runs != seen }) else { return false }
        }
        return true
    }

    /// How many timers wait, those of the time of day included.
    package var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Waits until so many timers wait, which other threads cause.
    package func wait(forTimers count: Int) async -> Bool {
        await state.wait(within: .patience) { $0.waitingCount == count }
    }

    package var clock: any WallClock { Clock(loop: self) }

    private func go(to moment: NIODeadline) {
        state.withLock { $0.now = max($0.now, moment) }
        // One by one, because a timer may cancel others.
        while let run = state.withLock({ $0.takeTimer(until: moment) }) {
            run()
            runReady()
        }
        for ring in state.withLock({ $0.takeRings() }) { ring() }
        runReady()
    }

    // MARK: EventLoop

    package var now: NIODeadline { state.withLock { $0.now } }
    package var inEventLoop: Bool { testLoop.inEventLoop }

    package func execute(_ task: @escaping @Sendable () -> Void) {
        state.withLock { $0.ready.append(task) }
        testLoop.execute { self.runReady() }
    }

    package func scheduleTask<T>(deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        let promise = testLoop.makePromise(of: T.self)
        let id = state.withLock { state in
            let id = state.makeID()
            state.timers.append(
                Timer(
                    id: id,
                    deadline: deadline,
                    run: { promise.assumeIsolated().completeWith(Result { try task() }) },
                    giveUp: { promise.fail(EventLoopError.shutdown) }
                )
            )
            return id
        }
        return Scheduled(promise: promise) {
            self.state.withLock { $0.timers.removeAll { $0.id == id } }
        }
    }

    package func scheduleTask<T>(in time: TimeAmount, _ task: @escaping @Sendable () throws -> T) -> Scheduled<T> {
        scheduleTask(deadline: now + time, task)
    }

    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async { callback(nil) }
    }

    // MARK: WallClock

    private struct Clock: WallClock {
        let loop: TestLoop

        var now: Double { loop.state.withLock { $0.timeOfDay } }
        var minuteOfDay: Int { Int(now) % 86_400 / 60 }

        func makeTimer(_ ring: @escaping @Sendable () -> Void) -> (any WallTimer)? {
            let id = loop.state.withLock { state in
                let id = state.makeID()
                state.dayTimers[id] = DayTimer(ring: ring)
                return id
            }
            return TimerOfDay(id: id, loop: loop)
        }
    }

    private struct TimerOfDay: WallTimer {
        let id: Int
        let loop: TestLoop

        func set(_ moment: Int64?) {
            let rings = loop.state.withLock { state in
                state.dayTimers[id]?.moment = moment
                return state.takeRings()
            }
            for ring in rings { ring() }
        }

        func close() { loop.state.withLock { $0.dayTimers[id] = nil } }
    }
}
