import AudioTypes
import Broadcasting
import CommandServer
import Encoding
import Glibc
import OutputGroups
import Outputs
import ServerRooms
import Settings
import StateStore
import ValueText

extension MadeFiles: FIFORecord {}

/// Creates a zone's configured outputs, without opening them.
func makeOutputs(
    of zone: ZoneSettings,
    _ fifos: MadeFiles,
    _ changed: @escaping @Sendable (String) -> Void
) -> OutputGroup {
    let format = zone.outputs.first.map { $0.format?.applied(to: $0.usualFormat) ?? $0.usualFormat } ?? .cd
    let group = OutputGroup(format: format, onChange: changed)
    for output in zone.outputs { group.add(describe(output, in: zone.name, fifos)) }
    return group
}

/// The description for opening an output.
///
/// - Parameters:
///   - zone: A zone's name.
///   - fifos: The record of FIFOs that segued has created.
func describe(_ output: Output, in zone: String, _ fifos: MadeFiles) -> OutputDescription {
    OutputDescription(
        name: output.name,
        plugin: output.kind.groupPlugin,
        mixer: MixerKind(rawValue: output.mixer.rawValue) ?? .none,
        isEnabled: output.isEnabled,
        server: output.server,
        device: output.device,
        pausesWhenLost: output.kind.hasSinks && output.lossPolicy == .pause,
        formatPolicy: output.formatPolicy,
        rendered: { native in output.format?.applied(to: native) ?? native },
        open: { preferred in
            let format = output.format?.applied(to: preferred) ?? preferred
            return try open(output, format: format, zone: zone, fifos)
        }
    )
}

private func open(
    _ output: Output,
    format: AudioFormat,
    zone: String,
    _ fifos: MadeFiles
) throws -> any AudioOutput {
    switch output.kind {
    case .pulse:
        var options = PulseOutput.Options()
        options.server = output.server
        options.sink = output.device
        options.whenLost = LossPolicy(rawValue: output.lossPolicy.rawValue)
        options.isMovable = output.isMovable
        options.formatPolicy = output.formatPolicy
        options.formatWithoutSink = format
        options.name = zone == ZoneSettings.defaultName ? "Segue" : "Segue (\(zone))"
        return try PulseOutput.open(options)
    case .alsa:
        var options = ALSAOutput.Options()
        if let device = output.device { options.device = device }
        options.whenLost = LossPolicy(rawValue: output.lossPolicy.rawValue)
        options.formatWithoutDevice = output.device == nil ? nil : format
        options.mixerControl = output.mixerControl
        return try ALSAOutput(options)
    case .null: return NullOutput(format: format)
    case .nullFast: return SinkOutput(format: format, sink: FastNullSink())
    case .file(let path):
        let path = freePath(path)
        let format = try EncodingSink.format(for: path, wanted: format)
        let sink = try EncodingSink(path: path, format: format, depth: output.format?.depth)
        return SinkOutput(format: format, sink: sink)
    case .pipe(let path): return SinkOutput(format: format, sink: try PipeSink(path: path))
    case .fifo(let path): return try FIFOOutput(path: path, format: format, record: fifos)
    case .httpd: return try StreamOutput.httpd(HTTPStreamSettings(output), format: format)
    case .hls: return try StreamOutput.hls(HLSSettings(output), format: format)
    case .snapcast:
        let format = output.format?.applied(to: StreamOutput.snapcastFormat) ?? StreamOutput.snapcastFormat
        return try StreamOutput.snapcast(SnapcastSettings(output), format: format)
    case .icecast: return try StreamOutput.icecast(IcecastSettings(output), format: format)
    }
}

/// A path of a file that does not exist yet: `NAME-2.ext`, and so on, where others do.
private func freePath(_ path: String) -> String {
    func isTaken(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
    guard isTaken(path) else { return path }
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let dot = path.lastIndex(of: ".").flatMap { $0 > slash ? $0 : nil } ?? path.endIndex
    var number = 2
    while isTaken("\(path[..<dot])-\(number)\(path[dot...])") { number += 1 }
    return "\(path[..<dot])-\(number)\(path[dot...])"
}

extension Output.Kind {
    fileprivate var groupPlugin: OutputPlugin {
        switch self {
        case .pulse: .pulse
        case .alsa: .alsa
        case .null, .nullFast: .null
        case .file: .recorder
        case .pipe: .pipe
        case .fifo: .fifo
        case .httpd: .httpd
        case .icecast: .icecast
        case .snapcast: .snapcast
        case .hls: .hls
        }
    }
}

/// The sinks of the configured sound server, or of the default one.
///
/// Blocks.
func listSinks(of configuration: Configuration) throws -> [Sink] {
    let server = configuration.zones.flatMap(\.outputs).compactMap(\.server).first
    return try PulseSink.all(server: server).map(Sink.init)
}

/// Watches the sinks of all configured sound servers, on the connections that their outputs use too.
///
/// - Returns: Ends the watch when it is released.
func watchSinks(
    of configuration: Configuration,
    _ changed: @escaping @Sendable (String, [Sink], Bool) -> Void
) -> any Sendable {
    let tell = { @Sendable (server: String?, map: SinkMap) in
        // A server that does not answer may have one.
        changed(server ?? "", map.sinks.map(Sink.init), map.hasSource || map.sinks.isEmpty)
    }
    let outputs = configuration.zones.flatMap(\.outputs).filter { $0.kind == .pulse }
    return Set(outputs.map(\.server)).compactMap { server -> PulseMonitor.Observation? in
        let observation = try? PulseMonitor.observe(server) { tell(server, $0) }
        if let known = observation?.map, !known.sinks.isEmpty { tell(server, known) }
        return observation
    }
}

/// Watches the streams of other programs at all configured sound servers, on the connections that their outputs use too.
///
/// - Returns: The watches by the servers' addresses, which end when they are released.
func watchStreams(
    of configuration: Configuration,
    atMost limit: Int,
    _ changed: @escaping @Sendable (String, PulseStreamNews) -> Void
) -> [String: StreamObservation] {
    let outputs = configuration.zones.flatMap(\.outputs).filter { $0.kind == .pulse }
    let servers = Set(outputs.map(\.server))
    let watches = servers.compactMap { server -> (String, StreamObservation)? in
        guard let monitor = try? PulseMonitor.observe(server, { _ in }) else { return nil }
        let address = server ?? ""
        return (address, monitor.observeStreams(atMost: limit) { changed(address, $0) })
    }
    return Dictionary(watches) { first, _ in first }
}

extension Sink {
    fileprivate init(_ sink: PulseSink) {
        self.init(name: sink.name, description: sink.description, isDefault: sink.isDefault)
        portType = sink.portType.rawValue
        volume = sink.volume
        isMuted = sink.isMuted
    }
}
