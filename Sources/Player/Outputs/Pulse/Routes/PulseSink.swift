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
        /// The server's name for the port; `nil` where it does not tell.
        package var kind: PortType?
        /// The higher, the more useful the port is as a default.
        package var priority: UInt32

        package init(
            name: String,
            description: String,
            availability: Availability,
            kind: PortType? = nil,
            priority: UInt32 = 0
        ) {
            self.name = name
            self.description = description
            self.availability = availability
            self.kind = kind
            self.priority = priority
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
    /// The kind of device: `headphone`, `speaker`, `tv`; `nil` where the server does not tell.
    package var formFactor: String?
    /// The profile in use, such as `a2dp_sink`; `nil` for what is not connected by Bluetooth.
    package var bluetoothProfile: String?
    /// The server's module that made the sink.
    package var driver = ""
    /// Whether it stands for a device, not for a program.
    package var isHardware = false
    /// The sink's own volume in thousandths, 1 for no change; the scale is cubic.
    package var volume = 1.0
    package var isMuted = false

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

    /// The sink's name for people: its description, or its name where it has none.
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
        // PulseAudio's name, and PipeWire's.
        bluetoothProfile = unsafe text(
            pa_proplist_gets(info.proplist, "bluetooth.protocol")
                ?? pa_proplist_gets(info.proplist, "api.bluez5.profile")
        )
        driver = unsafe text(info.driver) ?? ""
        isHardware = unsafe info.flags.rawValue & PA_SINK_HARDWARE.rawValue != 0
        var levels = unsafe info.volume
        volume = (Double(unsafe pa_cvolume_avg(&levels)) / 65.536).rounded() / 1_000
        isMuted = unsafe info.mute != 0
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
            availability: availability,
            kind: Self.kind(pa_device_port_type(rawValue: info.type)),
            priority: info.priority
        )
    }

    private static func kind(_ type: pa_device_port_type) -> PortType? {
        switch type {
        case PA_DEVICE_PORT_TYPE_SPEAKER: .builtInSpeaker
        case PA_DEVICE_PORT_TYPE_HEADPHONES, PA_DEVICE_PORT_TYPE_HEADSET: .headphones
        case PA_DEVICE_PORT_TYPE_HANDSET, PA_DEVICE_PORT_TYPE_EARPIECE: .builtInReceiver
        case PA_DEVICE_PORT_TYPE_AUX, PA_DEVICE_PORT_TYPE_LINE, PA_DEVICE_PORT_TYPE_SPDIF, PA_DEVICE_PORT_TYPE_ANALOG,
            PA_DEVICE_PORT_TYPE_HIFI:
            .lineOut
        case PA_DEVICE_PORT_TYPE_HDMI, PA_DEVICE_PORT_TYPE_TV: .hdmi
        case PA_DEVICE_PORT_TYPE_USB: .usbAudio
        case PA_DEVICE_PORT_TYPE_CAR: .carAudio
        default: nil
        }
    }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }
