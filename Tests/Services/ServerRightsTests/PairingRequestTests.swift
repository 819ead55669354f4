import AudioTypes
import Authorization
import Cryptography
import Settings
import Testing

@testable import ServerRights

/// The rules of pairing, without sockets or clocks.
@Suite struct PairingRequestTests {
    private func name(_ text: String) -> ClientName {
        guard let name = ClientName(text) else { preconditionFailure(text) }
        return name
    }

    private func place(_ number: Int) -> ClientPlace {
        .network([10, 0, UInt8(number >> 8 & 255), UInt8(number & 255)])
    }

    @discardableResult
    private func ask(
        _ requests: inout PairingRequests,
        _ text: String,
        _ number: Int,
        at now: Double = 0
    ) throws(PairingRequests.Refusal) -> PairingRequest {
        try requests.add(name(text), as: nil, "10.0.0.\(number)", from: place(number), connection: number, at: now)
    }

    @Test func codesHaveSixDigits() throws {
        var codes: Set<String> = []
        for number in 0..<200 {
            var requests = PairingRequests()
            let code = try ask(&requests, "a", number).code
            #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) })
            codes.insert(code)
        }
        #expect(codes.count > 190)
    }

    @Test func oneRequestForEachNameAndPlace() throws {
        var requests = PairingRequests()
        try ask(&requests, "a", 1)
        #expect(throws: PairingRequests.Refusal.nameIsTaken) { try ask(&requests, "a", 2) }
        #expect(throws: PairingRequests.Refusal.placeAsks) {
            try requests.add(name("b"), as: nil, "x", from: place(1), connection: 9, at: 0)
        }
        // Another request of the same connection replaces its first.
        try ask(&requests, "b", 1)
        #expect(requests.all.map(\.name.text) == ["b"])
        try ask(&requests, "a", 2, at: PairingRequests.patience + 1)
        #expect(requests.all.map(\.name.text) == ["a"])
    }

    @Test func thereAreFewOfThem() throws {
        var (requests, refused) = (PairingRequests(), 0)
        for number in 0..<10_000 {
            do { try ask(&requests, "n\(number)", number) } catch { refused += 1 }
            #expect(requests.all.count <= PairingRequests.capacity)
        }
        #expect(refused == 10_000 - PairingRequests.capacity)
        #expect(requests.takeEnded(at: PairingRequests.patience).count == PairingRequests.capacity)
        #expect(requests.all.isEmpty)
    }

    @Test func threeWrongCodesEndARequest() throws {
        var requests = PairingRequests()
        let request = try ask(&requests, "a", 1)
        let wrong = request.code == "000000" ? "000001" : "000000"
        for _ in 0..<2 {
            #expect(throws: PairingRequests.AnswerRefusal.wrongCode) {
                try requests.take(name("a"), code: wrong, at: 1)
            }
        }
        #expect(throws: PairingRequests.AnswerRefusal.tooManyWrongCodes) {
            try requests.take(name("a"), code: wrong, at: 1)
        }
        #expect(requests.takeEnded(at: 1).map(\.connection) == [1])
        #expect(throws: PairingRequests.AnswerRefusal.noSuchRequest) {
            try requests.take(name("a"), code: request.code, at: 1)
        }
    }

    @Test func aCodeCountsOnceAndInTime() throws {
        var requests = PairingRequests()
        let request = try ask(&requests, "a", 1)
        #expect(throws: PairingRequests.AnswerRefusal.noSuchRequest) {
            try requests.take(name("a"), code: request.code, at: PairingRequests.patience)
        }
        #expect(try requests.take(name("a"), code: request.code, at: 299) == request)
        #expect(throws: PairingRequests.AnswerRefusal.noSuchRequest) {
            try requests.take(name("a"), code: request.code, at: 299)
        }
    }

    @Test func invitationsCountOnceAndInTime() throws {
        var invitations = Invitations()
        func add(_ text: String) -> String { invitations.add(name(text), at: 0) ?? "" }
        func take(_ secret: String, at now: Double) -> String? { invitations.take(secret, at: now)?.text }
        let secret = add("a")
        #expect(secret.utf8.count == 32)
        #expect(take(String(secret.reversed()), at: 1) == nil)
        #expect(take(secret, at: 1) == "a")
        #expect(take(secret, at: 1) == nil)
        #expect(take(add("a"), at: Invitations.patience) == nil)
        let (old, new) = (add("b"), add("b"))
        #expect(take(old, at: 0) == nil)
        #expect(take(new, at: 0) == "b")
        for number in 0..<Invitations.capacity { #expect(add("n\(number)") != "") }
        #expect(add("c") == "")
    }

    /// A secret that was one is not a guess, however it has ended.
    @Test func invitationsThatHaveEndedAreKnown() throws {
        var invitations = Invitations()
        func add(_ text: String) -> String { invitations.add(name(text), at: 0) ?? "" }
        func hasEnded(_ secret: String, at now: Double = 1) -> Bool { invitations.hasEnded(secret, at: now) }
        let (used, forgotten, over) = (add("a"), add("b"), add("c"))
        #expect(!hasEnded(used) && !hasEnded(String(repeating: "0", count: 32)) && !hasEnded(""))
        _ = invitations.take(used, at: 1)
        invitations.forget(name("b"))
        #expect(hasEnded(used) && hasEnded(forgotten) && !hasEnded(over))
        #expect(hasEnded(over, at: Invitations.patience))
        let replaced = add("d")
        #expect(!hasEnded(replaced))
        _ = add("d")
        #expect(hasEnded(replaced))
        for _ in 0..<300 { _ = add("e") }
        #expect(!hasEnded(used), "they are few")
    }

    @Test func theAuditIsBounded() {
        var audit = AuditLog()
        var logged = 0
        for number in 0..<10_000 where audit.refused("c\(number % 5_000)", "no", at: Double(number) / 1e6) {
            logged += 1
        }
        #expect(audit.entries.count == AuditLog.capacity && logged == AuditLog.mostReported)
        audit = AuditLog()
        func refused(at time: Double) -> Bool { audit.refused("a", "no", at: time) }
        #expect((0..<5).map { _ in refused(at: 1) } == [true, false, false, false, false])
        #expect(audit.entries.map(\.count) == [5])
        #expect(refused(at: 62))
        // A clock that was set back.
        #expect(refused(at: -1_000))
        audit.changed("b", "granted", at: 2)
        #expect(audit.entries.map(\.number) == [1, 2])
        #expect(audit.lastRefusal(of: "b") == nil && audit.lastRefusal(of: nil)?.client == "a")
    }
}
