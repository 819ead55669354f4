import Foundation
import Glibc
import Playback
import Synchronization
import TestSupport
import TestThreads
import Testing
import Threads

@testable import Broadcasting

/// Connections that are there to do harm.
@Suite(.blocking, .serialized)
struct AttackTests {
    /// A listener hears every sample whatever others do, and whoever comes is answered.
    ///
    /// `SEGUE_SOAK=1` lets it take two minutes.
    @Test func attackersDisturbNobody() async throws {
        let seconds = ProcessInfo.processInfo.environment["SEGUE_SOAK"] == nil ? 5 : 120
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav)) {
            $0.maxListeners = 50
            $0.keptTime = 10
        }
        let reader = try StreamReader(settings.port)
        try stage.waitForListeners(1)
        let signal = Signal.noise(frames: 44_100 * seconds)
        try await stage.play(signal)
        let attacks = Attack.Kind.allCases.map { Attack($0, settings.port) }
        defer { for attack in attacks { attack.end() } }
        var samples = pcm(reader.read(44_100))
        // A busy machine may take seconds to begin; until then there is silence.
        while samples.allSatisfy({ $0 == 0 }), samples.count < 44_100 * 60 { samples += pcm(reader.read(44_100 * 4)) }
        samples += pcm(reader.read(signal.count * 4))
        for _ in 0..<10 { #expect(["200", "503"].contains(try StreamReader(settings.port).status)) }
        for attack in attacks { #expect(attack.rounds > 0, "\(attack.kind)") }
        let played = Signal.integers(signal)
        let (start, silence) = (samples.firstIndex { $0 != 0 } ?? 0, played.firstIndex { $0 != 0 } ?? 0)
        let heard = samples.dropFirst(start - silence)
        #expect(heard.count >= played.count, "\(samples.count) samples came, the first sound at \(start)")
        #expect(zip(heard, played).allSatisfy { $0 == $1 })
        await stage.player.close()
    }
}

/// A thread that attacks a stream until it is told to end.
private final class Attack: Sendable {
    enum Kind: Sendable, CaseIterable {
        /// A hundred requests, of each a byte now and then.
        case slowHeads
        /// Requests that never end, as fast as they are taken.
        case endlessHeads
        /// Two hundred listeners of one address, again and again.
        case crowd
        /// Listeners that read nothing.
        case deaf
    }

    let kind: Kind
    private let port: UInt16
    private let state = Mutex((rounds: 0, isOver: false))

    init(_ kind: Kind, _ port: UInt16) {
        (self.kind, self.port) = (kind, port)
        WorkThread.startWhenPossible(named: "attack") { [self] in
            while !state.withLock({ $0.isOver }) {
                attack()
                state.withLock { $0.rounds += 1 }
            }
        }
    }

    var rounds: Int { state.withLock { $0.rounds } }

    func end() { state.withLock { $0.isOver = true } }

    private func connect(sending text: String) -> LineClient? {
        guard let descriptor = try? SocketAddress.ipv4(port).connect() else { return nil }
        let client = LineClient(descriptor: descriptor)
        client.send(text)
        return client
    }

    private func attack() {
        let request = "GET / HTTP/1.1\r\nHost: x\r\n"
        switch kind {
        case .slowHeads:
            let clients = (0..<100).compactMap { _ in connect(sending: request) }
            for _ in 0..<5 {
                for client in clients { client.send("X") }
                usleep(50_000)
            }
        case .endlessHeads:
            let field = "X: " + String(repeating: "x", count: 1_000) + "\r\n"
            guard let client = connect(sending: request) else { return }
            for _ in 0..<10_000 where !client.send(Array(field.utf8)) { return }
        case .crowd:
            let clients = (0..<200).compactMap { _ in connect(sending: request + "\r\n") }
            for client in clients.suffix(10) { _ = client.line() }
        case .deaf:
            let clients = (0..<20).compactMap { _ in connect(sending: request + "\r\n") }
            usleep(500_000)
            withExtendedLifetime(clients) {}
        }
    }
}
