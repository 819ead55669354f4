package import AudioTypes
internal import MediaCoding

/// How a stream is encoded.
package struct StreamEncoding: Sendable, Hashable {
    package enum Codec: String, Sendable, Hashable, CaseIterable {
        case opus, vorbis, flac, mp3, aac, wav
        /// Samples of 16 bits without a header.
        case pcm
    }

    package var codec: Codec
    /// Bits per second.
    package var bitRate: Int?
    /// On the codec's own scale: Vorbis from -1 to 10 (best), MP3 from 9 to 0 (best), FLAC's compression from 0 to 12.
    package var level: Double?

    package init(_ codec: Codec, bitRate: Int? = nil, level: Double? = nil) {
        self.codec = codec
        self.bitRate = bitRate
        self.level = level
    }

    /// The best format in which to pass frames to the encoder: as close to `wanted` as the codec allows.
    package func format(for wanted: AudioFormat) throws -> AudioFormat {
        var wanted = wanted
        // Floats would double a stream without losses for what lossy codecs gave.
        if codec == .pcm || wanted.sampleFormat == .f32 && (codec == .wav || codec == .flac) {
            wanted.sampleFormat = .s16
        }
        return try file.format(for: wanted)
    }

    var file: FileFormat {
        get throws { try FileFormat(path: "stream." + codec.fileExtension) }
    }

    var quality: EncodingQuality? {
        if let bitRate { return .bitRate(bitRate) }
        if let level { return .level(level) }
        return switch codec {
        case .opus: .bitRate(128_000)
        case .aac: .bitRate(160_000)
        case .mp3: .bitRate(192_000)
        case .vorbis: .level(5)
        case .flac, .wav, .pcm: nil
        }
    }

    /// Bits per second, if that is known before.
    var nominalBitRate: Int? {
        if case .bitRate(let rate) = quality { rate } else { nil }
    }
}

extension StreamEncoding.Codec {
    package var fileExtension: String {
        switch self {
        case .vorbis: "ogg"
        case .pcm: "sw"
        case .opus, .flac, .mp3, .aac, .wav: rawValue
        }
    }

    package var contentType: String {
        switch self {
        case .opus, .vorbis: "audio/ogg"
        case .flac: "audio/flac"
        case .mp3: "audio/mpeg"
        case .aac: "audio/aac"
        case .wav: "audio/wav"
        case .pcm: "application/octet-stream"
        }
    }

    /// Whether the stream itself can carry titles.
    var carriesTitles: Bool { self == .opus || self == .vorbis }
}
