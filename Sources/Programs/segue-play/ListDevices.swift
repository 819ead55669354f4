import Foreground
import Outputs
import Threads

/// The sound server's sinks; an error's description is one line that says what to do.
func listDevices(server: String?) async throws -> [OutputDevice] {
    try await WorkThread.run(named: "segue-devices") { try PulseSink.all(server: server).map(OutputDevice.init) }
}

/// All sinks after each change of them; none while the sound server is away.
func deviceChanges(server: String?) throws -> AsyncStream<[OutputDevice]> {
    let (changes, change) = AsyncStream.makeStream(of: [OutputDevice].self, bufferingPolicy: .bufferingNewest(1))
    let observation = try PulseMonitor.observe(server) { map in change.yield(map.sinks.map(OutputDevice.init)) }
    change.onTermination = { _ in observation.cancel() }
    return changes
}

extension OutputDevice {
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
