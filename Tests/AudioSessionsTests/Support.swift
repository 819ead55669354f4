import AudioSessions
import Testing

/// An arbiter on a clock of its own, which goes on by one second with every event.
struct Scene {
    var arbiter = SessionArbiter()
    var now = 0.0

    /// Hands an event over; a refusal fails the test.
    @discardableResult
    mutating func send(_ event: SessionEvent) throws -> [SessionEffect] {
        now += 1
        return try arbiter.handle(event, at: now)
    }

    /// Hands over an event that is to be refused; the code of the refusal.
    mutating func refuse(_ event: SessionEvent) -> SessionErrorCode? {
        now += 1
        let before = arbiter.sessions
        do {
            _ = try arbiter.handle(event, at: now)
            return nil
        } catch {
            #expect(arbiter.sessions == before, "a refusal changes nothing")
            #expect(error.description.hasPrefix("\(error.code.name): "))
            return error.code
        }
    }
}
