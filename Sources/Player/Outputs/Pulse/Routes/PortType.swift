/// The port that a sink plays through, with the names of AVAudioSession.Port.
package enum PortType: String, Sendable, Hashable, CaseIterable {
    case builtInSpeaker
    case builtInReceiver
    case headphones
    case lineOut
    case hdmi = "HDMI"
    case displayPort
    case usbAudio
    case fireWire
    case bluetoothA2DP
    case bluetoothHFP
    case bluetoothLE
    case airPlay
    case carAudio
    /// A sound card that does not tell what is connected to it.
    case pci = "PCI"
    /// No device of its own: null sinks, tunnels, filters.
    case virtual
}

extension PulseSink {
    /// Decided by the Bluetooth profile, else by the port in use, else by the device.
    package var portType: PortType {
        if bus == "bluetooth" || bluetoothProfile != nil { return bluetoothType }
        if let port = portInUse?.type, bus != "usb" || port == .headphones || port == .hdmi { return port }
        return formFactor.flatMap { Self.formFactors[$0] } ?? bus.flatMap { Self.buses[$0] } ?? typeWithoutDevice
    }

    private var bluetoothType: PortType {
        if formFactor == "car" { return .carAudio }
        let profile = bluetoothProfile ?? ""
        if ["head", "hands", "hfp", "hsp"].contains(where: profile.hasPrefix) { return .bluetoothHFP }
        return profile.hasPrefix("bap") ? .bluetoothLE : .bluetoothA2DP
    }

    private var typeWithoutDevice: PortType {
        if driver.contains("raop") || name.hasPrefix("raop") { return .airPlay }
        return isHardware ? .pci : .virtual
    }

    /// By PulseAudio's `device.form_factor`; `internal` and `computer` tell nothing of the connector.
    private static let formFactors: [String: PortType] = [
        "headphone": .headphones, "headset": .headphones, "handset": .builtInReceiver, "hands-free": .bluetoothHFP,
        "car": .carAudio, "tv": .hdmi, "portable": .headphones, "hifi": .lineOut,
    ]

    /// By PulseAudio's `device.bus`.
    private static let buses: [String: PortType] = ["usb": .usbAudio, "firewire": .fireWire]
}

extension PulseSink.Port {
    /// The device at the port, by the port's kind or, on servers before PulseAudio 14, its name.
    var type: PortType? {
        kind ?? Self.names.first { name.contains($0.part) }?.type
    }

    private static let names: [(part: String, type: PortType)] = [
        ("headphone", .headphones), ("headset", .headphones), ("earpiece", .builtInReceiver), ("hdmi", .hdmi),
        ("displayport", .displayPort), ("speaker", .builtInSpeaker), ("lineout", .lineOut), ("iec958", .lineOut),
    ]
}
