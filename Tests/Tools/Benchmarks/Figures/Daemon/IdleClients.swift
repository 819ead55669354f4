private import Foundation
import TestSupport

extension Measurement {
    /// Clients that wait: what they cost, and how fast they are told.
    static let idleClients = Measurement(
        figures: ["idle_client_kb", "last_told_ms", "idle_daemon"],
        summary: "1,000 connections: memory of each, the last one told of a change; segued without clients"
    ) { bench, report in
        var memory = Figure("idle_client_kb")
        var told = Figure("last_told_ms")
        var idle = Figure("idle_daemon")
        for kind in LineDaemon.Kind.installed {
            let daemon = try await LineDaemon(kind)
            try await Moments.sleep(1)
            let alone = daemon.process.privateDirty
            let (switches, spent) = (daemon.process.voluntarySwitches, daemon.process.cpuSeconds)
            try await Moments.sleep(bench.isQuick ? 10 : 60)
            idle.set("\(kind.rawValue)_switches", daemon.process.voluntarySwitches - switches)
            idle.set("\(kind.rawValue)_cpu_s", daemon.process.cpuSeconds - spent)
            idle.set("\(kind.rawValue)_private_dirty_mb", alone)
            if kind == .segued { idle.setLimit(14, for: alone) }

            let speaker = try daemon.client()
            try speaker.command("status")
            let before = daemon.process.privateDirty
            let clients = try (0..<1_000).map { _ in try daemon.client() }
            for client in clients { try client.command("status") }
            let each = daemon.process.privateDirty.flatMap { after in before.map { (after - $0) * 1024 / 1_000 } }
            memory.set(kind.rawValue, each)
            if kind == .segued { memory.setLimit(16, for: each) }

            var times: [Double] = []
            for round in 0..<bench.repetitions {
                for client in clients { try client.send(Array("idle options\n".utf8)) }
                // Answered behind them, so they wait by now.
                try await Moments.sleep(0.05)
                let start = ContinuousClock.now
                try speaker.command("repeat \((round + 1) % 2)")
                for client in clients { try client.readReply() }
                times.append(ContinuousClock.now.seconds(since: start) * 1000)
            }
            told.set(kind.rawValue, times.median)
            told.set("\(kind.rawValue)_worst", times.max())
            if kind == .segued { told.setLimit(10, for: times.median) }
        }
        report(idle)
        report(memory)
        report(told)
    }
}
