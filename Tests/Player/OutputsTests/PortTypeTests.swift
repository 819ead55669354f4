import Testing

@testable import Outputs

/// Row 68: what a sink plays through, by its properties as PulseAudio 16 and PipeWire 0.3 give them.
@Suite struct PortTypeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: PortType
        let change: @Sendable (inout PulseSink) -> Void

        init(_ name: String, _ expected: PortType, _ change: @escaping @Sendable (inout PulseSink) -> Void) {
            (self.name, self.expected, self.change) = (name, expected, change)
        }

        var testDescription: String { name }
    }

    /// A sink with one port in use.
    private static func port(
        _ name: String,
        _ kind: PortType? = nil,
        bus: String = "pci"
    ) -> @Sendable (inout PulseSink) -> Void {
        { sink in
            sink.isHardware = true
            sink.bus = bus
            sink.ports = [.init(name: name, description: "", availability: .unknown, kind: kind)]
            sink.activePort = name
        }
    }

    private static func bluetooth(_ profile: String, _ formFactor: String) -> @Sendable (inout PulseSink) -> Void {
        { sink in
            sink.isHardware = true
            sink.bus = "bluetooth"
            sink.bluetoothProfile = profile
            sink.formFactor = formFactor
            sink.ports = [.init(name: "headphone-output", description: "", availability: .yes, kind: .headphones)]
            sink.activePort = "headphone-output"
        }
    }

    private static let cases = [
        Case("null sink", .virtual) { $0.driver = "module-null-sink.c" },
        Case("tunnel", .virtual) { $0.driver = "module-tunnel-sink-new.c" },
        Case("RAOP, PulseAudio", .airPlay) { $0.driver = "module-raop-sink.c" },
        Case("RAOP, PipeWire", .airPlay) { $0.name = "raop_sink.Kitchen.local" },
        Case("laptop, speaker", .builtInSpeaker, port("analog-output-speaker")),
        Case("laptop, headphones", .headphones, port("analog-output-headphones", .headphones)),
        Case("desktop, line out", .lineOut, port("analog-output-lineout")),
        Case("desktop, S/PDIF", .lineOut, port("iec958-stereo-output")),
        Case("television", .hdmi, port("hdmi-output-0")),
        Case("card without a word", .pci, port("analog-output")),
        Case("USB DAC", .usbAudio, port("analog-output", .lineOut, bus: "usb")),
        Case("USB headset", .headphones, port("analog-output-headphones", .headphones, bus: "usb")),
        Case("USB headset by its form", .headphones) { ($0.bus, $0.formFactor) = ("usb", "headset") },
        Case("FireWire", .fireWire) { $0.bus = "firewire" },
        Case("Bluetooth speaker", .bluetoothA2DP, bluetooth("a2dp_sink", "speaker")),
        Case("Bluetooth speaker, PipeWire", .bluetoothA2DP, bluetooth("a2dp-sink", "speaker")),
        Case("Bluetooth call", .bluetoothHFP, bluetooth("headset_head_unit", "headset")),
        Case("Bluetooth call, PulseAudio", .bluetoothHFP, bluetooth("handsfree_head_unit", "headset")),
        Case("LE Audio", .bluetoothLE, bluetooth("bap-sink", "headset")),
        Case("car", .carAudio, bluetooth("a2dp_sink", "car")),
    ]

    @Test(arguments: cases) func typesFollowFromProperties(_ case: Case) {
        var sink = PulseSink(index: 0, name: "sink")
        `case`.change(&sink)
        #expect(sink.portType == `case`.expected)
    }
}
