internal import AudioTypes
internal import CPulse

/// Converts between our formats and PulseAudio's.
enum PulseFormat {
    /// The format that a player should render for a sink to avoid conversion.
    static func native(to spec: pa_sample_spec, _ map: pa_channel_map) -> AudioFormat {
        let sampleFormat: SampleFormat =
            switch spec.format {
            case PA_SAMPLE_S16LE, PA_SAMPLE_S16BE, PA_SAMPLE_U8, PA_SAMPLE_ALAW, PA_SAMPLE_ULAW: .s16
            case PA_SAMPLE_FLOAT32LE, PA_SAMPLE_FLOAT32BE: .f32
            default: .s32
            }
        let rate = min(max(Int(spec.rate), 8_000), 768_000)
        return AudioFormat(sampleFormat: sampleFormat, sampleRate: rate, channels: layout(map))
    }

    static func spec(_ format: AudioFormat) -> pa_sample_spec {
        let sampleFormat =
            switch format.sampleFormat {
            case .s16: PA_SAMPLE_S16LE
            case .s32: PA_SAMPLE_S32LE
            case .f32: PA_SAMPLE_FLOAT32LE
            }
        return pa_sample_spec(
            format: sampleFormat,
            rate: UInt32(format.sampleRate),
            channels: UInt8(format.channels.count)
        )
    }

    /// The channel positions for the bits of a channel mask, lowest bit first.
    private static let positions: [pa_channel_position_t] = [
        PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_CENTER,
        PA_CHANNEL_POSITION_LFE, PA_CHANNEL_POSITION_REAR_LEFT, PA_CHANNEL_POSITION_REAR_RIGHT,
        PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER,
        PA_CHANNEL_POSITION_REAR_CENTER, PA_CHANNEL_POSITION_SIDE_LEFT, PA_CHANNEL_POSITION_SIDE_RIGHT,
    ]

    /// Mono, or the map's speakers; stereo when a channel mask cannot express them.
    private static func layout(_ map: pa_channel_map) -> ChannelLayout {
        let count = Int(map.channels)
        if count == 1 { return .mono }
        // PipeWire describes a node that has no format yet with no channels.
        guard (2...32).contains(count) else { return .stereo }
        var map = map
        var mask: UInt64 = 0
        unsafe withUnsafeBytes(of: &map.map) { bytes in
            let places = unsafe bytes.bindMemory(to: pa_channel_position_t.self)
            for index in 0..<count {
                if let bit = unsafe positions.firstIndex(of: places[index]) { mask |= 1 << UInt64(bit) }
            }
        }
        return mask.nonzeroBitCount == count ? ChannelLayout(mask: mask) : .stereo
    }

    static func map(_ channels: ChannelLayout) -> pa_channel_map {
        var map = pa_channel_map()
        if channels == .mono {
            unsafe pa_channel_map_init_mono(&map)
            return map
        }
        let places = positions.indices.filter { channels.mask & (1 << UInt64($0)) != 0 }
        guard places.count == channels.count else {
            unsafe pa_channel_map_init_extend(&map, UInt32(channels.count), PA_CHANNEL_MAP_DEFAULT)
            return map
        }
        unsafe pa_channel_map_init(&map)
        map.channels = UInt8(channels.count)
        unsafe withUnsafeMutableBytes(of: &map.map) { bytes in
            let target = unsafe bytes.bindMemory(to: pa_channel_position_t.self)
            for (index, place) in places.enumerated() { unsafe target[index] = positions[place] }
        }
        return map
    }

    /// Converts our volume to PulseAudio's; both scales are cubic.
    static func volume(_ volume: Volume, channels: Int) -> pa_cvolume {
        var result = pa_cvolume()
        unsafe pa_cvolume_set(&result, UInt32(channels), Self.volume(volume))
        return result
    }

    /// The same of one channel.
    static func volume(_ volume: Volume) -> pa_volume_t {
        // PA_VOLUME_NORM (65536) is a cast that Swift does not import.
        pa_volume_t(saturating: (volume.percent / 100 * 65_536).rounded())
    }

    /// Converts PulseAudio's volume, which may be above its norm, to ours.
    static func volume(_ volume: pa_volume_t) -> Volume { Volume(percent: Double(volume) / 65_536 * 100) }
}
