import AudioTypes
import CPulse
import Testing

@testable import Outputs

/// The formats that sound servers tell of.
struct PulseFormatTests {
    /// Those that no sink has: PipeWire tells of nodes that have no format yet.
    @Test(arguments: [(0, 0), (0, 2), (44_100, 0), (UInt32.max, 255)] as [(UInt32, UInt8)])
    func anUnfinishedSinkHasAFormat(_ rate: UInt32, _ channels: UInt8) {
        var map = pa_channel_map()
        map.channels = channels
        let format = PulseFormat.native(
            to: pa_sample_spec(format: PA_SAMPLE_INVALID, rate: rate, channels: channels),
            map
        )
        #expect((8_000...768_000).contains(format.sampleRate))
        #expect(format.channels == .stereo)
    }
}
