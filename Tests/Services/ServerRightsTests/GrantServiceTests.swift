import AudioSessions
import AudioTypes
import Authorization
import Cryptography
import Glibc
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

/// Grants whose hours and ends the test lets come.
@Suite actor GrantServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let configuration = CurrentConfiguration(Configuration(defaultsFor: .process))
        let seen = Seen()
        let grants: GrantService
        let guest: ClientIdentity
        let id: PrincipalID

        final class Seen: GrantDelegate {
            var changes = 0
            var kept: [Record] = []
            private let lines = Watched<[String]>([])
            var audited: [String] = []
            /// By principal: its rights before the last change, and after it.
            var decided: [String: [Rights]] = [:]
            var lastUses: [(id: PrincipalID, time: Double)] = []

            var logged: [String] { lines.current }
            var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

            func rightsChanged() { changes += 1 }
            func grantSettingChanged(_ record: Record) { kept.append(record) }
            func rightsDecided(of id: PrincipalID, before: Rights, after: Rights) {
                decided["\(id)"] = [before, after]
            }
            func rightsChanged(of client: String, _ text: String) { audited.append("\(client): \(text)") }
        }

        init() throws {
            let address = try #require(IPAddress("192.0.2.7"))
            id = .address(address)
            let listener = Listener(.tcp(host: nil, port: 1), permissions: [.read, .add])
            guest = ClientIdentity(Principal(address, server: nil, at: listener))
            grants = GrantService(
                configuration,
                loop: loop,
                clock: loop.clock,
                delegate: seen
            )
        }

        var now: Int { Int(loop.clock.now) }
        var permissions: Permissions { grants.rights(of: guest).permissions }

        func grant(_ words: String, to id: PrincipalID? = nil) throws {
            try grants.change(id ?? self.id, by: "the owner") { entry in
                try entry.grants.change(words.split(separator: " ").map(String.init))
            }
        }

        /// A client with a name, which has proved it.
        func named(_ name: String, _ proof: Login.Proof) throws -> ClientIdentity {
            var client = guest
            client.logIn(as: Login(name: try #require(ClientName(name)), proof: proof))
            return client
        }
    }

    // MARK: Changes

    /// A client looks its rights up once after each change of them.
    @Test func rightsAreLookedUpAfterEachChange() throws {
        let stage = try Stage()
        let address = try #require(IPAddress("192.0.2.8"))
        stage.configuration.value.access.allowAnonymous = .any
        stage.configuration.value.access.anonymousPermissions = .read
        var client = ClientIdentity(Principal(address, server: nil, at: Listener(.tcp(host: nil, port: 1))))
        #expect(client.rights(from: stage.grants).permissions == .read)
        stage.configuration.value.access.anonymousPermissions = [.read, .add]
        #expect(client.rights(from: stage.grants).permissions == .read)
        stage.grants.rulesChanged()
        #expect(client.rights(from: stage.grants).permissions == [.read, .add])
        try stage.grant("permissions player", to: .address(address))
        #expect(client.rights(from: stage.grants).permissions == .player)
    }

    /// Only classes of sessions are denied to the server's owner.
    @Test func theServersOwnerIsNotLimited() throws {
        let stage = try Stage()
        for owner in [PrincipalID.user(0), .user(geteuid())] {
            let refusal = AckError(.badArgument, "\(owner) is the server's owner, who is limited by classes only")
            #expect(throws: refusal) { try stage.grant("permissions read", to: owner) }
            #expect(stage.grants.store[owner] == nil)
            try stage.grants.change(owner, by: "the owner") { $0.grants.classes[.call] = false }
            #expect(stage.grants.store[owner]?.grants.classes[.call] == false)
            #expect(stage.grants.forget(owner, by: "the owner"))
        }
    }

    // MARK: Time

    @Test func itLastsUntilAMoment() throws {
        let stage = try Stage()
        try stage.grant("permissions read until \(stage.now + 600)")
        #expect(stage.permissions == [.read] && stage.seen.changes == 1)
        stage.loop.pass(599)
        #expect(stage.permissions == [.read] && stage.seen.changes == 1)
        stage.loop.pass(1.01)
        #expect(stage.permissions == [] && stage.seen.changes == 2, "those who wait are told")
        #expect(stage.grants.status(of: stage.guest) == .denied && stage.loop.waitingCount == 0)
        try stage.grant("until never")
        #expect(stage.permissions == [.read] && stage.loop.waitingCount == 0)
    }

    /// A client that was sent as much as it may be reads nothing more, until the hour has gone on.
    @Test func bytesRunOut() throws {
        let stage = try Stage()
        try stage.grant("permissions read,player")
        stage.grants.sent(5_000_000, to: stage.guest)
        #expect(!stage.grants.limitsBytes)
        try stage.grant("megabytes-per-hour 2")
        #expect(stage.grants.limitsBytes)
        #expect(stage.permissions == [.read, .player], "only what is sent from now on counts")
        stage.grants.sent(1_500_000, to: stage.guest)
        stage.loop.pass(600)
        stage.grants.sent(499_999, to: stage.guest)
        let changes = stage.seen.changes
        #expect(stage.permissions == [.read, .player])
        stage.grants.sent(1, to: stage.guest)
        #expect(stage.seen.changes == changes, "it is told in the next turn of the loop")
        stage.loop.pass(0)
        #expect(stage.permissions == .player && stage.seen.changes == changes + 1)
        #expect(stage.grants.status(of: stage.guest) == .restricted)
        stage.grants.sent(100, to: stage.guest)
        // The first part was sent an hour ago.
        stage.loop.pass(2_939)
        #expect(stage.permissions == .player)
        stage.loop.pass(61)
        #expect(stage.permissions == [.read, .player] && stage.seen.changes == changes + 2)
        stage.grants.sent(1_500_000, to: stage.guest)
        stage.loop.pass(0)
        #expect(stage.permissions == .player)
        try stage.grant("megabytes-per-hour 3")
        #expect(stage.permissions == [.read, .player], "the owner grants more")
        try stage.grant("megabytes-per-hour 2")
        #expect(stage.permissions == .player, "and less than it was sent, which holds at once")
        #expect(stage.seen.audited.contains { $0.contains("was sent its 2 MB within an hour") })
        try stage.grant("megabytes-per-hour any")
        #expect(!stage.grants.limitsBytes && stage.loop.waitingCount == 0)
    }

    /// From ten in the evening to seven in the morning; the test begins at noon.
    @Test func hoursGoAcrossMidnight() throws {
        let stage = try Stage()
        try stage.grant("permissions read hours 22:00-07:00")
        #expect(stage.permissions == [])
        stage.loop.pass(10 * 3_600 - 1)
        #expect(stage.permissions == [])
        let before = stage.seen.changes
        stage.loop.pass(1.01)
        #expect(stage.permissions == [.read] && stage.seen.changes == before + 1)
        stage.loop.pass(9 * 3_600 - 2)
        #expect(stage.permissions == [.read])
        let early = stage.seen.changes
        stage.loop.pass(2)
        #expect(stage.permissions == [] && stage.seen.changes == early + 1)
    }

    /// Once for each time that the clock is set, however many clients then look.
    @Test func aClockThatIsSetForwardEndsIt() throws {
        let stage = try Stage()
        try stage.grant("permissions read until \(stage.now + 600)")
        stage.loop.setTimeOfDay(stage.loop.clock.now + 700)
        #expect(stage.permissions == [])
        stage.grants.checkTime()
        stage.grants.checkTime()
        #expect(stage.seen.changes == 2)
    }

    @Test func aClockThatIsSetBackRevivesIt() throws {
        let stage = try Stage()
        try stage.grant("permissions read until \(stage.now + 600)")
        stage.loop.pass(601)
        #expect(stage.permissions == [] && stage.seen.changes == 2)
        stage.loop.setTimeOfDay(stage.loop.clock.now - 7_200)
        stage.grants.checkTime()
        #expect(stage.permissions == [.read] && stage.seen.changes == 3)
        stage.loop.pass(7_198)
        #expect(stage.permissions == [.read] && stage.seen.changes == 3)
        stage.loop.pass(2)
        #expect(stage.permissions == [] && stage.seen.changes == 4)
    }

    /// When the clock is set back, the running timer rings too early; the service then sets it again.
    @Test func aTimerThatRingsTooEarlyIsSetAgain() throws {
        let stage = try Stage()
        try stage.grant("permissions read until \(stage.now + 600)")
        stage.loop.pass(100)
        stage.loop.setTimeOfDay(stage.loop.clock.now - 50)
        stage.loop.pass(501)
        #expect(stage.permissions == [.read])
        stage.loop.pass(50)
        #expect(stage.permissions == [] && stage.seen.changes == 2)
    }

    /// The last of the timers, each of a day, may ring at the very moment.
    @Test func itMayLastForDays() throws {
        let stage = try Stage()
        try stage.grant("permissions read until \(stage.now + 3 * 86_400)")
        for _ in 0..<3 {
            #expect(stage.permissions == [.read] && stage.loop.waitingCount == 1 && stage.seen.changes == 1)
            stage.loop.pass(86_399)
        }
        stage.loop.pass(4)
        #expect(stage.permissions == [] && stage.seen.changes == 2 && stage.loop.waitingCount == 0)
    }

    /// Also for one that gave a password of the configuration: it owns its sessions by its address.
    @Test func classesEndWithTheGrants() throws {
        let stage = try Stage()
        var other = stage.guest
        let password = Password("secret", permissions: [.read, .player])
        stage.configuration.value.access.passwords = [password]
        other.logIn(with: password)
        func classes(_ client: ClientIdentity) -> String { "\(stage.grants.rights(of: client).classes)" }
        try stage.grant("classes alarm,no-call until \(stage.now + 600)")
        #expect(classes(stage.guest) == "alarm,no-call" && classes(other) == "alarm,no-call")
        #expect(
            stage.grants.rights(of: other).permissions == [.read, .player] && stage.grants.rights(of: other).isTimed
        )
        stage.loop.pass(601)
        #expect(classes(stage.guest) == "no-call" && classes(other) == "no-call" && stage.seen.changes == 2)
        #expect(stage.seen.audited.last?.contains("set the grants of 192.0.2.7: classes alarm,no-call until ") == true)
        #expect(stage.grants.forget(stage.id, by: "the owner"))
        #expect(classes(stage.guest) == "" && classes(other) == "")
    }

    // MARK: Last use

    /// However much is used, it is written once an hour, and only what has changed.
    @Test func usesAreWrittenOnceAnHour() throws {
        let stage = try Stage()
        try stage.grant("permissions read")
        let written = { stage.seen.kept.filter { $0.verb == "used" }.map { $0.arguments[1] } }
        for _ in 0..<100 {
            stage.loop.pass(60)
            stage.seen.lastUses = [(stage.id, stage.loop.clock.now), (.user(77), stage.loop.clock.now)]
            stage.grants.writeUsesLater()
        }
        #expect(written().count == 1 && stage.grants.uses[.user(77)] == nil, "those who have no grants are not kept")
        stage.loop.pass(3_600)
        #expect(written().count == 2 && stage.loop.waitingCount == 0, "no timer runs while nothing is asked")
        // The connection ends, and with it the server.
        stage.seen.lastUses = []
        stage.grants.used(stage.id, at: stage.loop.clock.now)
        stage.grants.writeUses()
        #expect(written().last == "\(stage.now)" && written().count == 3 && stage.loop.waitingCount == 0)
        let next = try Stage()
        for record in stage.grants.records { next.grants.restore(record) }
        #expect(next.grants.uses[stage.id] == stage.now && next.seen.logged.isEmpty)
        #expect(next.grants.forget(stage.id, by: "the owner") && next.grants.records == [])
        #expect(next.seen.kept.map(\.verb) == ["forget", "unused"])
    }

    // MARK: Journal

    @Test func itIsRestoredWithItsEnd() throws {
        let first = try Stage()
        try first.grant("permissions read megabytes-per-hour 2 until \(first.now + 600)")
        let second = try Stage()
        for record in first.grants.records { second.grants.restore(record) }
        second.grants.begin()
        #expect(second.seen.logged.isEmpty && second.seen.kept.isEmpty && first.grants.records == first.seen.kept)
        #expect(second.permissions == [.read] && second.grants.limitsBytes)
        second.loop.pass(601)
        #expect(second.permissions == [] && second.seen.changes == 1)
    }

    /// Damage never gives more than was granted.
    @Test func aLineThatCannotBeReadDenies() throws {
        let stage = try Stage()
        stage.grants.restore(Record("client", "192.0.2.7", "", "permissions", "nonsense"))
        #expect(stage.permissions == [] && stage.seen.logged.count == 1)
        #expect(
            stage.seen.logged[0].contains("permissions nonsense") && stage.seen.logged[0].contains("cannot be read")
        )
        stage.grants.restore(Record("token", "tablet", "5ec2e7"))
        #expect(stage.seen.logged.last == "the pairing 'token tablet' cannot be read", "the token itself is not shown")
        stage.grants.restore(Record("forget", "192.0.2.7"))
        #expect(stage.permissions == [.read, .add] && stage.seen.logged.count == 2)
    }

    @Test func whatIsForgottenIsAsConfigured() throws {
        let stage = try Stage()
        try stage.grant("permissions none until \(stage.now + 600)")
        #expect(stage.permissions == [] && stage.grants.status(of: stage.guest) == .denied)
        #expect(stage.grants.forget(stage.id, by: "the owner"))
        #expect(stage.permissions == [.read, .add] && stage.seen.kept.last == Record("forget", "192.0.2.7"))
        #expect(stage.seen.changes == 2 && stage.seen.audited.count == 2 && stage.loop.waitingCount == 0)
        #expect(!stage.grants.forget(stage.id, by: "the owner"))
        #expect(stage.seen.changes == 2 && stage.seen.kept.count == 2)
    }

    /// Both what is granted and what is paired goes.
    @Test func aNamedClientIsForgottenWithItsToken() throws {
        let stage = try Stage()
        let token = ClientToken().digest
        let name = try #require(ClientName("tablet"))
        try stage.grants.setToken(of: name, to: token, by: "the owner")
        try stage.grant("permissions read", to: .named(name))
        let tablet = try stage.named("tablet", .token(token))
        #expect(stage.grants.rights(of: tablet).permissions == [.read])
        #expect(stage.grants.forget(.named(name), by: "the owner"))
        #expect(stage.seen.kept.suffix(2) == [Record("forget", "tablet"), Record("untoken", "tablet")])
        #expect(stage.grants.rights(of: tablet).permissions == [])
    }

    // MARK: Named clients

    @Test func anotherPasswordEndsEarlierLogins() throws {
        let stage = try Stage()
        let name = try #require(ClientName("tablet"))
        let (first, second) = (try #require(PasswordHash(hashing: "a")), try #require(PasswordHash(hashing: "b")))
        try stage.grants.setPassword(of: name, to: first, by: "the owner")
        let before = try stage.named("tablet", .password(first))
        #expect(stage.grants.rights(of: before).permissions == [.read, .add])
        try stage.grants.setPassword(of: name, to: second, by: "the owner")
        #expect(stage.grants.rights(of: before).permissions == [])
        #expect(stage.grants.rights(of: try stage.named("tablet", .password(second))).permissions == [.read, .add])
        #expect(stage.seen.logged.allSatisfy { !$0.contains(second.text) })
    }

    @Test func anotherTokenEndsEarlierLogins() throws {
        let stage = try Stage()
        let name = try #require(ClientName("tablet"))
        let tokens = [ClientToken().digest, ClientToken().digest]
        try stage.grants.setToken(of: name, to: tokens[0], by: "the owner")
        let before = try stage.named("tablet", .token(tokens[0]))
        #expect(stage.grants.rights(of: before).permissions == [.read, .add])
        try stage.grants.setToken(of: name, to: tokens[1], by: "the owner")
        #expect(stage.grants.rights(of: before).permissions == [])
        #expect(stage.grants.rights(of: try stage.named("tablet", .token(tokens[1]))).permissions == [.read, .add])
    }

    /// A named client without a grant has what the configuration gives where it comes from, whatever its address is granted.
    @Test func aNamedClientHasWhatAnonymousHas() throws {
        let stage = try Stage()
        try stage.grant("permissions none")
        let tablet = try stage.named("tablet", .certificate)
        #expect(stage.permissions == [] && stage.grants.rights(of: tablet).permissions == [.read, .add])
        // Not what is the owner's, wherever that would come from.
        let listener = Listener(.tcp(host: nil, port: 2), permissions: .all)
        var other = ClientIdentity(Principal(try #require(IPAddress("192.0.2.8")), server: nil, at: listener))
        #expect(stage.grants.rights(of: other).permissions == .all)
        other.logIn(as: try #require(tablet.login))
        #expect(stage.grants.rights(of: other).permissions == .anonymous)
        try stage.grant("permissions read,player", to: .named(try #require(ClientName("tablet"))))
        #expect(stage.grants.rights(of: tablet).permissions == [.read, .player])
    }

    /// Neither a password nor the socket of the server's owner gives anything by itself.
    @Test func aNameGivesNothing() throws {
        let stage = try Stage()
        stage.configuration.value.access.anonymousPermissions = []
        let (name, password) = (try #require(ClientName("anna")), try #require(PasswordHash(hashing: "a")))
        try stage.grants.setPassword(of: name, to: password, by: "the owner")
        var anna = ClientIdentity(
            Principal(UnixPeer(uid: geteuid(), process: 1), at: Listener(.unix(path: "/s", mode: 0o600)))
        )
        #expect(stage.grants.rights(of: anna).permissions == .all)
        anna.logIn(as: Login(name: name, proof: .password(password)))
        #expect(stage.grants.rights(of: anna).permissions == [] && stage.grants.status(of: anna) == .notDetermined)
        // A password and what it is to give, in one step.
        try stage.grants.setPassword(of: name, to: password, by: "the owner") {
            try $0.change(["permissions", "read"])
        }
        #expect(stage.grants.rights(of: anna).permissions == [.read] && stage.seen.kept.count == 2)
        // Another password alone changes nothing else.
        let other = try #require(PasswordHash(hashing: "b"))
        try stage.grants.setPassword(of: name, to: other, by: "the owner")
        anna.logIn(as: Login(name: name, proof: .password(other)))
        #expect(stage.grants.rights(of: anna).permissions == [.read])
    }

    /// The reported rights do not depend on the time; a forgotten name has none.
    @Test func whatIsDecidedIsTold() throws {
        let stage = try Stage()
        let name = PrincipalID.named(try #require(ClientName("tablet")))
        func decided(_ id: String, in zone: String = "kitchen") -> [Permissions]? {
            stage.seen.decided[id]?.map { $0.permissions(in: zone) }
        }
        try stage.grant("permissions read,player zone kitchen until 1", to: name)
        #expect(decided("tablet") == [.anonymous, [.read, .player]])
        #expect(decided("tablet", in: "bath") == [.anonymous, []])
        try stage.grant("songs 3", to: name)
        #expect(decided("tablet") == [[.read, .player], [.read, .player]])
        #expect(stage.grants.forget(name, by: "the owner"))
        #expect(decided("tablet") == [[.read, .player], []])
        // Its certificate may still say that it is this one.
        stage.configuration.value.tls.clientAuthority = "/ca.pem"
        try stage.grant("permissions read", to: name)
        #expect(stage.grants.forget(name, by: "the owner"))
        #expect(decided("tablet") == [.read, .anonymous])
        // The configuration gives this address nothing, but for the listener's own permissions.
        try stage.grant("permissions read,player")
        #expect(stage.grants.forget(stage.id, by: "the owner"))
        #expect(decided("192.0.2.7") == [[.read, .player], []])
    }

    /// Names that a version before this rule stored keep what they had, and are told of once.
    @Test func namesOfBeforeKeepTheirPermissions() throws {
        let stage = try Stage()
        stage.grants.restore(Record("client", "old", "", "zone", "kitchen"))
        stage.grants.restore(Record("client", "new", "", "permissions", "default", "zone", "kitchen"))
        stage.grants.restore(Record("client", "192.0.2.7", "", "zone", "kitchen"))
        stage.grants.begin()
        let (old, new) = (try stage.named("old", .certificate), try stage.named("new", .certificate))
        #expect(stage.grants.rights(of: old).permissions(in: "kitchen") == .anonymous)
        #expect(stage.grants.rights(of: new).permissions(in: "kitchen") == [.read, .add])
        #expect(stage.grants.rights(of: stage.guest).permissions(in: "kitchen") == [.read, .add])
        #expect(stage.seen.logged.count == 1 && stage.seen.logged[0].hasPrefix("old keeps "))
        let explicit = Record("client", "old", "", "permissions", "\(Permissions.anonymous)", "zone", "kitchen")
        #expect(stage.seen.kept == [explicit])
        // The next start reads what this one has written.
        let next = try Stage()
        for record in stage.grants.records { next.grants.restore(record) }
        next.grants.begin()
        #expect(next.seen.logged.isEmpty && next.seen.kept.isEmpty)
        #expect(next.grants.rights(of: old).permissions(in: "kitchen") == .anonymous)
        #expect(next.grants.rights(of: new).permissions(in: "kitchen") == [.read, .add])
    }

    /// Classes that earlier versions kept by the owners of sessions; what the grants say already was decided later.
    @Test func classesOfBeforeAreGrants() throws {
        let stage = try Stage()
        stage.grants.restore(Record("client", "192.0.2.7", "", "permissions", "read", "classes", "no-alarm"))
        for (owner, kind, state) in [
            ("192.0.2.7", "alarm", "grant"), ("192.0.2.7", "call", "deny"), ("192.0.2.7", "call", "grant"),
            ("tablet", "call", "grant"), ("tablet", "call", "deny"), ("uid:7", "call", "grant"),
            ("a local client", "call", "deny"), ("tablet", "boss", "grant"),
        ] { stage.grants.restoreClass(Record("permission", owner, kind, state)) }
        stage.grants.begin()
        #expect(
            stage.seen.kept == [
                Record("client", "192.0.2.7", "", "permissions", "read", "classes", "no-alarm,call"),
                Record("client", "tablet", "", "permissions", "default", "classes", "no-call"),
            ]
        )
        let log = stage.seen.logged
        try #require(log.count == 5)
        #expect(log[0] == "the session permission 'permission tablet boss grant' cannot be read")
        #expect(log[2].hasPrefix("the session permissions of 'a local client' (no-call) are dropped"))
        #expect(log[4].contains("'uid:7' (call)") && log[4].hasSuffix("segue clients set uid:7 --classes call"))
        #expect(stage.permissions == [.read] && stage.grants.store[.user(7)] == nil)
        stage.grants.begin()
        #expect(stage.seen.kept.count == 2, "once")
    }

    // MARK: Limits

    @Test func principalsAreLimited() throws {
        let stage = try Stage()
        stage.configuration.value.limits.maxPrincipals = 2
        for uid in 1...2 { try stage.grant("permissions read", to: .user(UInt32(uid))) }
        #expect {
            try stage.grant("permissions read")
        } throws: { ($0 as? AckError)?.text == "more than limits.max-principals = 2" }
        #expect(stage.seen.kept.count == 2 && stage.seen.changes == 2)
        try stage.grant("permissions none", to: .user(2))
        #expect(stage.grants.forget(.user(1), by: "the owner"))
        try stage.grant("permissions read")
    }

    @Test func pairedAndDeniedClientsAreLimited() throws {
        let stage = try Stage()
        stage.configuration.value.limits.maxPrincipals = 1
        stage.grants.deny(stage.id, by: "the owner")
        #expect(stage.grants.tokens.isDenied(stage.id))
        #expect(throws: AckError.self) {
            try stage.grants.setToken(of: try #require(ClientName("a")), to: ClientToken().digest, by: "x")
        }
        #expect(stage.grants.askAgain(stage.id, by: "the owner") && !stage.grants.askAgain(stage.id, by: "the owner"))
        try stage.grants.setToken(of: try #require(ClientName("a")), to: ClientToken().digest, by: "x")
        #expect(stage.seen.kept.map(\.verb) == ["unasked", "asked", "token"])
    }

    /// A change that is bad changes nothing.
    @Test func aBadWordChangesNothing() throws {
        let stage = try Stage()
        #expect(throws: GrantProblem.self) { try stage.grant("permissions read until soon") }
        #expect(stage.permissions == [.read, .add] && stage.seen.kept.isEmpty && stage.seen.changes == 0)
    }
}
