import Dispatch
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Broadcasting

@Suite struct SnapcastControlTests {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private func connect(to port: UInt16, on loop: any EventLoop) async throws -> any Channel {
        try await ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: Int(port)).get()
    }

    /// Nothing would close a connection that is made when its owner is gone.
    @Test(arguments: [true, false]) func oneThatIsClosedEarlyDoesNotConnect(_ isReleased: Bool) async throws {
        let accepted = Watched(0)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                accepted.withLock { $0 += 1 }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port.flatMap(UInt16.init(exactly:)))
        let clients = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = clients.next()
        // The loop begins to connect once the owner has closed it.
        let gate = DispatchSemaphore(value: 0)
        loop.execute { gate.wait() }
        var control: SnapcastControl? = SnapcastControl("127.0.0.1", port, on: loop)
        control?.connect()
        control?.close()
        let kept = isReleased ? nil : control
        control = nil
        gate.signal()
        // The same loop connects after that, so the other one would be accepted before.
        let later = try await connect(to: port, on: loop)
        #expect(await accepted.wait(within: .patience) { $0 > 0 })
        #expect(accepted.current == 1)
        withExtendedLifetime(kept) {}
        try await later.close()
        try await server.close()
        try await clients.shutdownGracefully()
        try await group.shutdownGracefully()
    }
}
