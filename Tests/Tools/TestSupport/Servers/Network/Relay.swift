private import Foundation
private import Glibc

/// What stands between a client and a real server: it passes everything on until the network is to fail.
package final class Relay: Sendable {
    package struct State: Sendable {
        /// Connections accepted so far.
        package internal(set) var accepted = 0
        /// Bytes that went to clients so far.
        package internal(set) var bytes = 0
        /// Connections that live.
        package var open: Int { pairs.count }
        /// How many of `cutting`'s have happened.
        package internal(set) var cuts = 0
        fileprivate var cutting: Cutting?
        fileprivate var isStalled = false
        fileprivate var pairs: [Int: (client: Int32, server: Int32)] = [:]
    }

    /// How a connection is lost.
    package enum Loss: Sendable {
        /// As when a server ends it: with what looks like the end of the body.
        case end
        /// As when a server or a router has forgotten it.
        case reset
    }

    /// Connections that are lost by themselves.
    package struct Cutting: Sendable {
        /// How each of them is lost; drawn again for each.
        package var losses: [Loss]
        /// After how many bytes to the client.
        package var bytes: ClosedRange<Int>
        /// How many; all others live.
        package var count: Int
        package var generator: SplitMix

        package init(_ losses: Loss..., after bytes: ClosedRange<Int>, count: Int, seed: UInt64 = 1) {
            (self.losses, self.bytes, self.count) = (losses, bytes, count)
            generator = SplitMix(state: seed)
        }
    }

    package let state = Watched(State())
    package let target: UInt16
    private let listener: Listener
    package var port: UInt16 { listener.port }

    /// - Parameter target: The real server's port.
    package init(to target: UInt16) throws {
        self.target = target
        let state = state
        listener = try Listener { client in Self.serve(client, target, state) }
    }

    deinit {
        listener.stop()
        release()
        cut(.end)
    }

    /// A URL of the real server, by way of this.
    package func url(_ url: String) -> String {
        url.replacingOccurrences(of: ":\(target)/", with: ":\(port)/")
    }

    // MARK: Faults

    /// Loses each connection after some bytes, until so many were lost.
    package func cut(_ cutting: Cutting?) { state.withLock { $0.cutting = cutting } }

    /// Loses all connections.
    package func cut(_ loss: Loss) {
        state.withLock { state in
            for (client, server) in state.pairs.values {
                if loss == .reset { Connections.reset(client) }
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }
        }
    }

    /// Passes nothing on, and keeps all connections: silence.
    package func stall() { state.withLock { $0.isStalled = true } }

    package func release() { state.withLock { $0.isStalled = false } }

    /// Refuses new connections.
    package func close() { listener.stop() }

    package func reopen() throws { try listener.listen() }

    // MARK: Passing on

    private static func serve(_ client: Int32, _ target: UInt16, _ state: Watched<State>) {
        guard let server = try? SocketAddress.ipv4(target).connect() else {
            Connections.reset(client)
            Glibc.close(client)
            return
        }
        var yes: Int32 = 1
        for descriptor in [client, server] {
            unsafe setsockopt(
                descriptor,
                Int32(IPPROTO_TCP),
                TCP_NODELAY,
                &yes,
                socklen_t(MemoryLayout<Int32>.size)
            )
        }
        let number = state.withLock { state in
            state.accepted += 1
            state.pairs[state.accepted] = (client, server)
            return state.accepted
        }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: client, to: server, upTo: nil, state)
            done.signal()
        }
        let budget = state.withLock { state in
            guard var cutting = state.cutting else { return Int.max }
            defer { state.cutting = cutting }
            return Int.random(in: cutting.bytes, using: &cutting.generator)
        }
        pass(from: server, to: client, upTo: budget, state)
        done.wait()
        // Forgotten first: numbers of closed descriptors are soon used again.
        state.withLock { $0.pairs[number] = nil }
        Glibc.close(client)
        Glibc.close(server)
    }

    /// - Parameter budget: After how many bytes to the client it may be lost; `nil` for bytes from the client.
    private static func pass(from source: Int32, to target: Int32, upTo budget: Int?, _ state: Watched<State>) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var passed = 0
        while true {
            let count = unsafe recv(source, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            _ = state.waitBlocking(within: .seconds(600)) { !$0.isStalled }
            let isLost = budget.map { passed + count >= $0 && state.withLock { $0.takeCut() } } ?? false
            let end = isLost ? max(0, (budget ?? 0) - passed) : count
            guard Connections.send(buffer[..<end], to: target) else { break }
            passed += end
            if budget != nil { state.withLock { $0.bytes += end } }
            if isLost {
                if state.withLock({ $0.drawLoss() }) == .reset { Connections.reset(target) }
                break
            }
        }
        // The end of one side is the end of both: HTTP needs no more.
        shutdown(target, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
    }
}

extension Relay.State {
    /// Whether one more connection is to be lost, which then counts.
    fileprivate mutating func takeCut() -> Bool {
        guard let count = cutting?.count, count > 0 else { return false }
        cutting?.count -= 1
        cuts += 1
        return true
    }

    fileprivate mutating func drawLoss() -> Relay.Loss? {
        guard var cutting else { return nil }
        defer { self.cutting = cutting }
        return cutting.losses.randomElement(using: &cutting.generator)
    }
}
