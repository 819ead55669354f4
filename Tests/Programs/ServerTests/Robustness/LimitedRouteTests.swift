import TestSupport
import TestThreads
import Testing

/// Routes of zones that their owner has limited at run time.
@Suite(.blocking, .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty })
struct LimitedRouteTests {
    @Test("The loudspeaker of a limited zone stays there, unless an owner routes it elsewhere")
    func routes() async throws {
        let (near, far, spare) = (NullSink("near"), NullSink("far"), NullSink("spare"))
        let pulse = try await PulseServer.start(near, far, spare)
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        func output(_ sink: NullSink) -> String {
            "name = \"\(sink.name)\"\ntype = \"pulse\"\nserver = \"\(pulse.address)\"\ndevice = \"\(sink.name)\"\n"
        }
        let configuration = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            [[output]]
            \(output(near))
            [[zone]]
            name = "kitchen"
            [[zone.output]]
            \(output(far))
            """
        let server = try await Segued.start(.toml(configuration), in: folder)
        let owner = try server.connect()
        try owner.order("clients set 127.0.0.1 permissions read,add,player,control,outputs")
        let guest = try LineClient(.ipv4(port))
        func sink(_ client: LineClient) throws -> String? { try client.values("route outputs")["wanted"] }
        try owner.order("ceiling set kitchen volume 30 hours 20:00-20:01")
        let refusal =
            "ACK [4@0] {route} a loudspeaker of zone kitchen would escape its limit: only its owner changes that"
        #expect(guest.ask("route set far").last == refusal, "another zone would be louder there")
        try guest.order("route set spare")
        #expect(try sink(guest) == "spare")
        try guest.order("partition kitchen")
        #expect(guest.ask("route set spare").last == refusal, "another zone could be routed to what it leaves")
        try guest.order("route set far")
        #expect(try sink(guest) == "far")
        try owner.order("partition kitchen")
        try owner.order("route set spare")
        try owner.order("ceiling clear kitchen")
        try guest.order("route set far")
        #expect(try sink(guest) == "far")
    }
}
