import AudioTypes
import Configuration
import Encoding
import Glibc
import OutputGroups
import Outputs
import Verbs

/// Makes a zone's outputs as they are configured; none is opened yet.
func makeOutputs(
    of zone: ZoneSettings,
    _ log: Log,
    _ changed: @escaping @Sendable (String) -> Void
) -> OutputGroup {
    let format = zone.outputs.first?.format?.applied(to: .cd) ?? .cd
    let group = OutputGroup(format: format, onChange: changed)
    for output in zone.outputs { group.add(description(of: output, in: zone)) }
    return group
}

private func description(of output: Output, in zone: ZoneSettings) -> OutputDescription {
    OutputDescription(
        name: output.name,
        plugin: output.kind.groupPlugin,
        mixer: MixerKind(rawValue: output.mixer.rawValue) ?? .none,
        isEnabled: output.isEnabled,
        open: { preferred in
            let format = output.format?.applied(to: preferred) ?? preferred
            return try open(output, format: format, preferred: preferred, zone: zone.name)
        }
    )
}

private func open(
    _ output: Output,
    format: AudioFormat,
    preferred: AudioFormat,
    zone: String
) throws -> any AudioOutput {
    switch output.kind {
    case .pulse:
        var options = PulseOutput.Options()
        options.server = output.server
        options.sink = output.device
        options.name = zone == ZoneSettings.defaultName ? "Segue" : "Segue (\(zone))"
        return try PulseOutput.open(options)
    case .null: return NullOutput(format: format)
    case .nullFast: return SinkOutput(format: format, sink: FastNullSink())
    case .file(let path):
        let format = try EncodingSink.format(for: path, wanted: format)
        return SinkOutput(format: format, sink: try EncodingSink(path: path, format: format))
    case .pipe(let path): return SinkOutput(format: format, sink: try PipeSink(path: path))
    case .fifo(let path):
        unsafe mkfifo(path, 0o666)
        return try FIFOOutput(path: path, format: format)
    }
}

extension Output.Kind {
    fileprivate var groupPlugin: OutputPlugin {
        switch self {
        case .pulse: .pulse
        case .null, .nullFast: .null
        case .file: .recorder
        case .pipe: .pipe
        case .fifo: .fifo
        }
    }
}
