import AudioTypes
import Glibc
import LineProtocol
import Settings
import Testing

@testable import ServerRights

/// Who is let in beside those who are there.
@Suite struct CrowdTests {
    private var limits: Limits {
        var limits = Limits()
        limits.maxConnections = 20
        limits.maxConnectionsPerAddress = 3
        limits.maxLocalConnections = 10
        limits.maxConnectionsBeforePermission = 2
        limits.ownerConnections = 4
        return limits
    }

    private func client(_ address: String) throws -> Principal {
        Principal(try #require(IPAddress(address)), server: nil, at: Listener(.tcp(host: nil, port: 1)))
    }

    private func user(_ uid: UInt32) -> Principal {
        Principal(UnixPeer(uid: uid, process: 1), at: Listener(.abstract(name: "x")))
    }

    @Test func eachPlaceHasItsShare() throws {
        func limit(_ client: Principal, neighbours: Int) -> String? {
            Crowd(total: 15, neighbours: neighbours).limitReached(by: client, mayDoNothing: false, limits)
        }
        #expect(try limit(client("192.0.2.1"), neighbours: 2) == nil)
        #expect(try limit(client("192.0.2.1"), neighbours: 3) == "max-connections-per-address")
        #expect(try limit(client("127.0.0.9"), neighbours: 9) == nil)
        #expect(try limit(client("::1"), neighbours: 10) == "max-local-connections")
        #expect(limit(user(54_321), neighbours: 10) == "max-local-connections")
        #expect(try ClientPlace(client("127.0.0.9")) == ClientPlace(client("::1")))
        #expect(try ClientPlace(client("::ffff:192.0.2.1")) == ClientPlace(client("192.0.2.1")))
        #expect(ClientPlace(user(1)) != ClientPlace(user(2)))
    }

    @Test func theOwnerHasAWayIn() throws {
        let full = Crowd(total: 20)
        #expect(full.limitReached(by: user(54_321), mayDoNothing: false, limits) == "max-connections")
        #expect(full.limitReached(by: user(geteuid()), mayDoNothing: false, limits) == nil)
        #expect(Crowd(total: 24).limitReached(by: user(geteuid()), mayDoNothing: false, limits) == "max-connections")
    }

    @Test func whoMayDoNothingHasLittle() throws {
        let crowd = Crowd(total: 5, neighbours: 0, unpermitted: 2)
        #expect(
            try crowd.limitReached(by: client("192.0.2.1"), mayDoNothing: true, limits)
                == "max-connections-before-permission"
        )
        #expect(try crowd.limitReached(by: client("192.0.2.1"), mayDoNothing: false, limits) == nil)
    }
}
