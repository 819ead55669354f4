package import AudioTypes
internal import CPulse

/// A sink of a sound server.
package struct PulseSink: Sendable, Hashable {
    /// A connector of a sink, such as a headphone jack; PulseAudio's port.
    package struct Port: Sendable, Hashable {
        /// Whether something is plugged in, as far as the hardware tells.
        package enum Availability: Sendable, Hashable {
            case unknown, no, yes
        }

        package var name: String
        package var description: String
        package var availability: Availability

        package init(name: String, description: String, availability: Availability) {
            self.name = name
            self.description = description
            self.availability = availability
        }
    }

    /// The server's number of the sink, which no later sink gets.
    package var index: UInt32
    package var name: String
    package var description: String
    package var isDefault = false
    /// `running`, `idle` or `suspended`.
    package var state = "unknown"
    /// The sink's own sample format in the server's words, such as `s16le 2ch 44100Hz`.
    package var sampleSpecification = ""
    /// The format that a player should render for it.
    package var format = AudioFormat.cd
    package var ports: [Port] = []
    /// The name of the port in use; `nil` for a sink without ports.
    package var activePort: String?
    /// How the device is connected: `pci`, `usb`, `bluetooth`; `nil` where the server does not tell.
    package var bus: String?
    /// What the device is: `headphone`, `speaker`, `tv`; `nil` where the server does not tell.
    package var formFactor: String?

    package init(index: UInt32, name: String, description: String = "") {
        self.index = index
        self.name = name
        self.description = description
    }

    /// The version of libpulse that is loaded.
    package static var libraryVersion: String {
        guard let version = unsafe pa_get_library_version() else { return "unknown" }
        return unsafe String(cString: version)
    }

    /// All sinks of a server.
    ///
    /// Blocks until it answers.
    package static func all(server: String? = nil) throws(PulseError) -> [PulseSink] {
        try PulseConnection(loop: try PulseLoop(), server: server).sinks()
    }

    /// What people call the sink: its description, or its name where it has none.
    package var title: String { description.isEmpty ? name : description }

    func port(named name: String) -> Port? { ports.first { $0.name == name } }

    var portInUse: Port? { activePort.flatMap(port(named:)) }

    /// Whether something is plugged into the port in use, as far as the server knows.
    var isPluggedIn: Bool { portInUse?.availability != .no }
}

extension PulseSink {
    /// Copies what the server tells about a sink.
    init(_ info: pa_sink_info) {
        unsafe index = info.index
        name = unsafe text(info.name) ?? ""
        description = unsafe text(info.description) ?? ""
        var buffer = [CChar](repeating: 0, count: 64)
        var spec = unsafe info.sample_spec
        unsafe pa_sample_spec_snprint(&buffer, buffer.count, &spec)
        sampleSpecification = unsafe buffer.withUnsafeBufferPointer { unsafe text($0.baseAddress) } ?? ""
        format = unsafe PulseFormat.native(to: info.sample_spec, info.channel_map)
        switch unsafe info.state {
        case PA_SINK_RUNNING: state = "running"
        case PA_SINK_IDLE: state = "idle"
        case PA_SINK_SUSPENDED: state = "suspended"
        default: break
        }
        for place in 0..<Int(unsafe min(info.n_ports, Self.portLimit)) {
            guard let port = unsafe info.ports?[place] else { continue }
            ports.append(unsafe Port(port.pointee))
        }
        activePort = unsafe info.active_port.flatMap { unsafe text($0.pointee.name) }
        bus = unsafe text(pa_proplist_gets(info.proplist, "device.bus"))
        formFactor = unsafe text(pa_proplist_gets(info.proplist, "device.form_factor"))
    }

    /// The greatest number of ports of a sink that are looked at.
    private static let portLimit: UInt32 = 256
}

extension PulseSink.Port {
    fileprivate init(_ info: pa_sink_port_info) {
        let availability: Availability =
            switch unsafe pa_port_available(rawValue: UInt32(bitPattern: info.available)) {
            case PA_PORT_AVAILABLE_NO: .no
            case PA_PORT_AVAILABLE_YES: .yes
            default: .unknown
            }
        unsafe self.init(
            name: text(info.name) ?? "",
            description: text(info.description) ?? "",
            availability: availability
        )
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }
