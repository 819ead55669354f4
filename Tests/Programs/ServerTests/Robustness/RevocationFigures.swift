import Foundation
import TestSupport
import TestThreads
import Testing

/// How soon a change of rights has its effect, with a thousand principals and fifty clients.
@Suite(.serialized, .blocking, .enabled(if: ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil))
struct RevocationFigures {
    private static let states: [(name: String, requests: String, told: String)] = [
        ("idle", "idle permission\n", "changed: permission"), ("idle for all", "idle\n", "<closed>"),
        ("streaming listallinfo", String(repeating: "listallinfo\n", count: 30), "<closed>"),
        ("subscribed", "subscribe news\nidle permission\n", "changed: permission"),
        ("announcing", "announce say hello\nidle permission\n", "changed: permission"),
        ("in a session", "session open Bell\nidle permission\n", "changed: permission"),
    ]

    @Test func effect() async throws {
        let server = try await LimitedServer(songs: 2_000)
        for number in 0..<900 { try server.owner.order("clients set client\(number) permissions read zone default") }
        let others = try (0..<25).map { _ in try server.server.connect() }
        for other in others { other.send("idle\n") }
        for (name, requests, told) in Self.states {
            var worst = Duration.zero
            for _ in 0..<10 {
                try server.owner.order("clients set \(LimitedServer.guest) permissions read,add,player,control")
                let guest = try LineClient(server.address)
                guest.send(requests)
                try await Task.sleep(for: .milliseconds(100))
                let start = ContinuousClock.now
                try server.owner.order("clients revoke \(LimitedServer.guest)")
                worst = max(worst, .now - start)
                while true {
                    let line = guest.line()
                    // Between two pieces of a reply, the rest is refused.
                    if line == told || line.hasPrefix("ACK [4@0]") { break }
                    try #require(line != "<silence>" && line != "<closed>", "\(name): \(line)")
                }
            }
            print("\(name): \(worst) until the owner's order is answered, after which nothing is permitted")
            #expect(worst < .milliseconds(50), "\(name)")
        }
    }
}
