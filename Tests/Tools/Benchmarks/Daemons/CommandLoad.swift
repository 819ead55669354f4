import TestSupport

/// One command at a time on each of many connections, as fast as they are answered.
///
/// The connections are served in turn by one thread that reads the reply where it is due next and sends the next command
/// there: no polling, so that the load costs as little as it can.
final class CommandLoad {
    private let clients: [RawClient]

    init(_ path: String, connections: Int) throws {
        clients = try (0..<connections).map { _ in try RawClient(path) }
    }

    /// What the server used and how long it took.
    struct Result {
        /// Microseconds of processor time for each command.
        var processorTime: Double
        /// Commands in a second.
        var rate: Double
    }

    /// Sends about `count` commands in all.
    func run(_ command: String, count: Int, to server: ChildProcess) throws -> Result {
        let line = Array((command + "\n").utf8)
        let rounds = max(1, count / clients.count)
        let (start, spent) = (ContinuousClock.now, server.cpuSeconds)
        for client in clients { try client.send(line) }
        for _ in 1..<rounds {
            for client in clients {
                try client.readReply()
                try client.send(line)
            }
        }
        for client in clients { try client.readReply() }
        let seconds = ContinuousClock.now.seconds(since: start)
        let commands = Double(rounds * clients.count)
        return Result(processorTime: (server.cpuSeconds - spent) / commands * 1e6, rate: commands / seconds)
    }

    /// How long one command after the other takes on the first connection, in microseconds.
    func roundTrips(_ command: String, count: Int) throws -> [Double] {
        let line = Array((command + "\n").utf8)
        return try (0..<count).map { _ in
            let start = ContinuousClock.now
            try clients[0].send(line)
            try clients[0].readReply()
            return ContinuousClock.now.seconds(since: start) * 1e6
        }
    }
}
