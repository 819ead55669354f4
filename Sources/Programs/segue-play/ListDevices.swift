import Foreground
import Outputs
import Threads

/// The sound server's sinks, and after them ALSA's devices; an error's description is one line that says what to do.
///
/// A sound server that does not answer is an error only where ALSA has nothing to play to either.
func listDevices(server: String?) async throws -> [OutputDevice] {
    try await WorkThread.run(named: "segue-devices") {
        let cards = ALSACard.all().map(OutputDevice.init)
        do throws(PulseError) {
            return try PulseSink.all(server: server).map(OutputDevice.init) + cards
        } catch {
            guard server == nil, !cards.isEmpty else { throw error }
            return cards
        }
    }
}

/// All sinks after each change of them; none while the sound server is away.
func deviceChanges(server: String?) throws -> AsyncStream<[OutputDevice]> {
    let (changes, change) = AsyncStream.makeStream(of: [OutputDevice].self, bufferingPolicy: .bufferingNewest(1))
    let observation = try PulseMonitor.observe(server) { map in change.yield(map.sinks.map(OutputDevice.init)) }
    change.onTermination = { _ in observation.cancel() }
    return changes
}

extension OutputDevice {
    fileprivate init(_ card: ALSACard) {
        self.init(
            name: "alsa:\(card.device)",
            description: card.description,
            isDefault: false,
            state: card.holder == nil ? .idle : .running,
            format: card.holder.map { "in use by \($0)" } ?? card.formats,
            portType: card.portType
        )
    }

    fileprivate init(_ sink: PulseSink) {
        self.init(
            name: sink.name,
            description: sink.description,
            isDefault: sink.isDefault,
            state: State(rawValue: sink.state) ?? .unknown,
            format: sink.sampleSpecification,
            portType: sink.portType.rawValue
        )
    }
}
