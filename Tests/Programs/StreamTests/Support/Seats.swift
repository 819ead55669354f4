import TestSupport

/// A sink to play to: so many tests play at the same time as the machine carries without being late.
final class Seat: Sendable {
    let server: PulseServer
    let sink: NullSink

    fileprivate init(_ server: PulseServer, _ sink: NullSink) { (self.server, self.sink) = (server, sink) }

    deinit {
        let sink = sink
        Task { await Seats.shared.release(sink) }
    }

    /// Waits until one is free.
    static func take() async throws -> Seat { try await Seats.shared.take() }
}

private actor Seats {
    static let shared = Seats()
    private static let count = 12

    private let places = Places(Seats.count)
    private var server: Task<PulseServer, any Error>?
    private var free = (0..<count).map { NullSink("seat\($0)") }

    func take() async throws -> Seat {
        let sinks = free
        let starting = server ?? Task { try await PulseServer.start(sinks) }
        server = starting
        let server = try await starting.value
        await places.take()
        return Seat(server, free.removeLast())
    }

    func release(_ sink: NullSink) async {
        free.append(sink)
        await places.release()
    }
}

/// So many may do something at the same time; the others wait for their turn.
actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func release() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
