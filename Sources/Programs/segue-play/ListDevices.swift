import Foreground
import Outputs
import Threads

/// The sound server's sinks; an error's description is one line that says what to do.
func listDevices(server: String?) async throws -> [OutputDevice] {
    try await WorkThread.run(named: "segue-devices") {
        try PulseSink.all(server: server).map { sink in
            OutputDevice(
                name: sink.name,
                description: sink.description,
                isDefault: sink.isDefault,
                state: OutputDevice.State(rawValue: sink.state) ?? .unknown,
                format: sink.sampleSpecification
            )
        }
    }
}
