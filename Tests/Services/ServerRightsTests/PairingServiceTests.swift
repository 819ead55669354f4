import Authorization
import LineProtocol
import NIOCore
import ServerBasics
import ServerSessions
import ServiceTestSupport
import Settings
import StateStore
import TestSupport
import Testing

@testable import ServerRights

/// Requests and invitations, by minutes and days that the test lets pass.
@Suite actor PairingServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let pairing: PairingService
        let seen = Seen()

        final class Seen: PairingDelegate {
            private let lines = Watched<[String]>([])
            var changes = 0
            /// The connections whose waiting has ended.
            var woken: [Int] = []

            var logged: [String] { lines.current }
            var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

            var kept: [Record] = []
            var asked: [String] = []
            func pairingAsked(_ name: ClientName) { asked.append(name.text) }
            func pairingRequestsChanged() { changes += 1 }
            func grantSettingChanged(_ record: Record) { kept.append(record) }
        }

        init() {
            pairing = PairingService(loop: loop, clock: loop.clock, delegate: seen)
        }

        /// A client of an address of its own asks, and waits for the answer.
        @discardableResult
        func ask(
            _ text: String,
            _ connection: Int,
            isKnown: Bool = false,
            takesInvitation: Bool = false
        ) throws -> PairingRequest {
            let asker = PairingService.Asker(
                connection: connection,
                place: .network([10, 0, 0, UInt8(connection)]),
                id: nil,
                who: "10.0.0.\(connection)",
                takesInvitation: takesInvitation
            )
            let request = try pairing.ask(try name(text), asker, isKnown: isKnown)
            pairing.wait(connection) { [seen] in seen.woken.append(connection) }
            return request
        }

        func name(_ text: String) throws -> ClientName { try #require(ClientName(text)) }
    }

    // MARK: Requests

    @Test func aRequestRunsOut() throws {
        let stage = Stage()
        try stage.ask("tablet", 1)
        #expect(stage.seen.changes == 1 && stage.loop.waitingCount == 1)
        stage.loop.pass(299)
        #expect(stage.pairing.isAsking(1) && stage.seen.woken.isEmpty && stage.pairing.takeAnswer(of: 1) == nil)
        let changes = stage.seen.changes
        stage.loop.pass(1.01)
        #expect(!stage.pairing.isAsking(1) && stage.seen.woken == [1] && stage.seen.changes > changes)
        #expect(stage.pairing.takeAnswer(of: 1) == .expired && stage.pairing.takeAnswer(of: 1) == nil)
        #expect(stage.loop.waitingCount == 0)
        #expect(throws: AckError.self) { try stage.pairing.take(try stage.name("tablet"), code: nil) }
    }

    /// However many ask, the house is told once in the time in which the first can be answered.
    @Test func theHouseIsToldOnce() throws {
        let stage = Stage()
        for connection in 1...10 { try stage.ask("tablet\(connection)", connection) }
        #expect(stage.seen.asked == ["tablet1"])
        stage.loop.pass(299)
        for connection in 11...14 { try stage.ask("tablet\(connection)", connection) }
        stage.loop.pass(2)
        try stage.ask("phone", 15)
        #expect(stage.seen.asked == ["tablet1", "phone"])
    }

    @Test func eachHasItsOwnTime() throws {
        let stage = Stage()
        try stage.ask("tablet", 1)
        stage.loop.pass(200)
        try stage.ask("phone", 2)
        stage.loop.pass(100.01)
        #expect(stage.seen.woken == [1] && stage.pairing.isAsking(2))
        stage.loop.pass(200)
        #expect(stage.seen.woken == [1, 2] && stage.loop.waitingCount == 0)
    }

    @Test func anAnswerIsInTime() throws {
        let stage = Stage()
        let code = try stage.ask("tablet", 1).code
        stage.loop.pass(299)
        let request = try stage.pairing.take(try stage.name("tablet"), code: code)
        stage.pairing.answer(request, .denied)
        #expect(stage.seen.woken == [1] && stage.pairing.takeAnswer(of: 1) == .denied)
        // Nothing is left to run out.
        #expect(stage.loop.waitingCount == 0)
        stage.loop.pass(300)
        #expect(stage.seen.woken == [1] && stage.pairing.takeAnswer(of: 1) == nil)
    }

    @Test func threeWrongCodesEndIt() throws {
        let stage = Stage()
        let code = try stage.ask("tablet", 1).code
        let name = try stage.name("tablet")
        for _ in 0..<2 {
            #expect(throws: AckError.self) { try stage.pairing.take(name, code: code == "000000" ? "1" : "000000") }
            #expect(stage.pairing.isAsking(1))
        }
        #expect(throws: AckError.self) { try stage.pairing.take(name, code: code == "000000" ? "1" : "000000") }
        #expect(!stage.pairing.isAsking(1) && stage.pairing.takeAnswer(of: 1) == .expired && stage.seen.woken == [1])
    }

    @Test func oneThatGoesTakesItsRequestAlong() throws {
        let stage = Stage()
        try stage.ask("tablet", 1)
        stage.pairing.disconnected(1)
        #expect(!stage.pairing.isAsking(1) && stage.loop.waitingCount == 0 && stage.seen.woken.isEmpty)
        try stage.ask("phone", 2)
        stage.pairing.inputEnded(of: 2)
        #expect(!stage.pairing.isAsking(2) && stage.seen.woken == [2])
    }

    /// The wait doubles, and those who come too early do not wait longer for it.
    @Test func thoseWhoAskAgainAndAgainWait() throws {
        let stage = Stage()
        try stage.ask("a", 1)
        #expect(throws: AckError.self) { try stage.ask("b", 1) }
        #expect(throws: AckError.self) { try stage.ask("b", 1) }
        stage.loop.pass(0.5)
        try stage.ask("b", 1)
        stage.loop.pass(0.9)
        #expect(throws: AckError.self) { try stage.ask("c", 1) }
        stage.loop.pass(0.1)
        // Whether a name is known is not for those who come too early.
        #expect { try stage.ask("c", 1, isKnown: true) } throws: { ($0 as? AckError)?.code == .alreadyExists }
        #expect { try stage.ask("c", 1, isKnown: true) } throws: { ($0 as? AckError)?.code == .system }
    }

    @Test func theLogHasOneLineAMinute() throws {
        let stage = Stage()
        for connection in 1...3 { try stage.ask("n\(connection)", connection) }
        #expect(stage.seen.logged.count == 1 && stage.seen.logged[0].hasPrefix("10.0.0.1 asks to be known as n1;"))
        stage.loop.pass(60)
        try stage.ask("n4", 4)
        #expect(stage.seen.logged.count == 2 && stage.seen.logged[1].contains("(and 2 others since the last line)"))
    }

    // MARK: Invitations

    @Test func anInvitationLastsForADay() throws {
        let stage = Stage()
        let secret = try stage.pairing.invite(try stage.name("tablet"))
        let late = try stage.pairing.invite(try stage.name("phone"))
        stage.loop.pass(86_399)
        #expect(stage.pairing.takeInvitation(secret)?.text == "tablet" && stage.pairing.takeInvitation(secret) == nil)
        stage.loop.pass(1)
        #expect(stage.pairing.takeInvitation(late) == nil)
    }

    /// A link that was given out is good after a restart, also where the clock was set meanwhile.
    @Test func anInvitationOutlivesTheServer() throws {
        let stage = Stage()
        let (open, used) = (
            try stage.pairing.invite(try stage.name("tablet")), try stage.pairing.invite(try stage.name("phone"))
        )
        let gone = try stage.pairing.invite(try stage.name("gone"))
        #expect(stage.pairing.takeInvitation(used)?.text == "phone")
        stage.pairing.forgetInvitation(of: try stage.name("gone"))
        stage.pairing.forgetInvitation(of: try stage.name("nobody"))
        #expect(stage.seen.kept.map(\.arguments.count) == [3, 3, 3, 1, 1])
        #expect(!stage.seen.kept.contains { $0.text.contains(open) }, "the secret itself is not stored")
        for (records, passed) in [
            (stage.seen.kept, 400.0), (stage.pairing.records, 400), (stage.pairing.records, -400),
        ] {
            let next = Stage()
            next.loop.setTimeOfDay(stage.loop.clock.now + passed)
            for record in records { next.pairing.restore(record) }
            #expect(next.pairing.openInvitations.map(\.name.text) == ["tablet"])
            let seconds = try #require(next.pairing.invitation(open)?.seconds)
            #expect(seconds <= Invitations.patience && seconds > Invitations.patience - 402)
            #expect(next.pairing.takeInvitation(used) == nil && next.pairing.takeInvitation(gone) == nil)
            #expect(next.pairing.takeInvitation(open)?.text == "tablet" && next.pairing.records.isEmpty)
        }
        let late = Stage()
        late.loop.setTimeOfDay(stage.loop.clock.now + Invitations.patience + 1)
        for record in stage.pairing.records { late.pairing.restore(record) }
        #expect(late.pairing.openInvitations.isEmpty)
        for words in [[], ["a b"], ["tablet", "x", "1"], ["tablet", String(repeating: "0", count: 64), "nan"]] {
            late.pairing.restore(Record(PairingService.verb, words))
        }
        #expect(late.pairing.openInvitations.isEmpty && late.seen.logged.count == 2)
    }

    @Test func anInvitationCanBeLookedAt() throws {
        let stage = Stage()
        let secret = try stage.pairing.invite(try stage.name("tablet"))
        stage.loop.pass(86_000)
        let told = try #require(stage.pairing.invitation(secret))
        #expect(told.name.text == "tablet" && told.seconds == 400)
        #expect(stage.pairing.invitation(String(secret.reversed())) == nil && stage.pairing.invitation("") == nil)
        stage.loop.pass(400)
        #expect(stage.pairing.invitation(secret) == nil && stage.pairing.takeInvitation(secret) == nil)
    }

    /// A browser is given no token, which its scripts would see, but an invitation for a moment.
    @Test func aBrowserIsInvited() throws {
        let stage = Stage()
        try stage.ask("tablet", 1, takesInvitation: true)
        let request = try stage.pairing.take(try stage.name("tablet"), code: nil)
        try stage.pairing.allow(request) { throw AckError(.system, "a token was made") }
        guard case .invited(let name, let secret)? = stage.pairing.takeAnswer(of: 1) else {
            Issue.record("it is not invited")
            return
        }
        #expect(name.text == "tablet" && stage.seen.woken == [1])
        #expect(stage.pairing.invitation(secret)?.seconds == 120)
        stage.loop.pass(120)
        #expect(stage.pairing.takeInvitation(secret) == nil)
    }

    @Test func withoutRoomForAnInvitationARequestIsOver() throws {
        let stage = Stage()
        for number in 0..<Invitations.capacity { _ = try stage.pairing.invite(try stage.name("n\(number)")) }
        try stage.ask("tablet", 1, takesInvitation: true)
        let request = try stage.pairing.take(try stage.name("tablet"), code: nil)
        #expect(throws: AckError.self) { try stage.pairing.allow(request) { ClientToken() } }
        #expect(stage.pairing.takeAnswer(of: 1) == .expired)
        // One without a browser needs none.
        try stage.ask("phone", 2)
        try stage.pairing.allow(try stage.pairing.take(try stage.name("phone"), code: nil)) { ClientToken() }
        guard case .allowed? = stage.pairing.takeAnswer(of: 2) else {
            Issue.record("it is not allowed")
            return
        }
    }

    @Test func aChallengeIsUsedOnce() {
        let stage = Stage()
        let challenge = stage.pairing.makeChallenge(for: 1)
        #expect(challenge.count == 32 && stage.pairing.takeChallenge(of: 1) == challenge)
        #expect(stage.pairing.takeChallenge(of: 1) == nil)
        _ = stage.pairing.makeChallenge(for: 2)
        stage.pairing.disconnected(2)
        #expect(stage.pairing.takeChallenge(of: 2) == nil)
    }
}
