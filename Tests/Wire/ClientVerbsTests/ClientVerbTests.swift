import TestSupport
import TestThreads
import Testing

/// `segue clients` against a server that speaks the extensions.
@Suite(.blocking, .serialized) struct ClientVerbTests {
    private static let list = [
        "client: phone", "status: authorized", "permissions: read,add,player,control,outputs",
        "used: 2026-11-21T08:15:30.000Z", "client: tablet", "status: limited", "permissions: read,player",
        "classes: alarm,no-call", "allowed: kitchen", "hours: 07:00-20:00", "used: 2026-11-22T09:00:00.000Z",
        "connection: 3", "since: 2026-11-22T08:00:00.000Z", "from: 192.0.2.9", "partition: kitchen", "idle: 12",
    ]

    @Test func listing() async throws {
        let server = try FakeSegued(["clients list": .lines(Self.list), "pairing list": .lines([])])
        #expect(
            try await server.segue("clients").outputText == """
                phone\tauthorized\tread,add,player,control,outputs\t0\t2026-11-21T08:15:30.000Z
                tablet\tlimited\tread,player class alarm,no-call in kitchen at 07:00-20:00\t1\t\
                2026-11-22T09:00:00.000Z

                """
        )
        #expect(
            try await server.segue("clients", "--json").outputText.split(separator: "\n").last
                == #"{"client":"tablet","status":"limited","permissions":"read,player","classes":"alarm,no-call","#
                + #""zones":["kitchen"],"hours":"07:00-20:00","used":"2026-11-22T09:00:00.000Z","#
                + #""connections":[{"connection":3,"since":"2026-11-22T08:00:00.000Z","from":"192.0.2.9","#
                + #""zone":"kitchen","idle":12}]}"#
        )
    }

    /// A script reads one client as it reads all of them.
    @Test func one() async throws {
        let server = try FakeSegued([
            "clients list": .lines(Self.list), "pairing list": .lines([]),
            "clients show tablet": .lines(Array(Self.list.dropFirst(4))),
        ])
        let all = try await server.segue("clients", "--json").outputText.split(separator: "\n")
        #expect(try await server.segue("clients", "show", "tablet", "--json").outputText == "\(all[1])\n")
    }

    @Test func setting() async throws {
        let server = try FakeSegued(["clients": .lines([])])
        let result = try await server.segue(
            "clients",
            "set",
            "tablet",
            "--classes",
            "alarm,no-call",
            "--permissions",
            "read,player",
            "--until",
            "never"
        )
        #expect(result.status == .code(0), "\(result.errorText)")
        #expect(
            server.state.current.requests.last
                == "clients set tablet permissions read,player classes alarm,no-call until never"
        )
    }
}
