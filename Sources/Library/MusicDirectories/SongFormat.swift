package import AudioTypes

/// A stream's sample rate, bits and channels as MPD prints them, such as `44100:16:2`; `nil` when they are not known.
///
/// The bits are those of MPD's own decoders, which clients show: `f` where samples are floats, 24 for MP3 (libmad), 16 for
/// Opus, and 32 for what FFmpeg and libsndfile unpack into 32 bits. DSD is `dsd64:2`, by its multiple of 44.1 kHz.
package func songFormat(_ stream: StreamInfo, container: String) -> String? {
    guard let rate = stream.sampleRate, let channels = stream.channels?.count else { return nil }
    if stream.codec.hasPrefix("dsd_") { return "dsd\(rate * 8 / 44_100):\(channels)" }
    guard let bits = sampleBits(stream, container: container) else { return nil }
    return "\(rate):\(bits):\(channels)"
}

private func sampleBits(_ stream: StreamInfo, container: String) -> String? {
    switch stream.codec {
    case "mp3", "mp2", "mp1", "mp3float", "mp2float": return "24"
    case "opus", "gsm", "gsm_ms", "amr_nb_": return "16"
    case "flac" where container != "flac" && container != "ogg": break
    case "flac", "wavpack": return stream.bitsPerSample.map(String.init) ?? "f"
    default: break
    }
    if stream.codec.hasPrefix("pcm_f") { return "f" }
    guard let bits = stream.bitsPerSample else { return "f" }
    // Codecs such as ADPCM and G.722 have fewer bits in the file than in the samples that come out.
    return bits <= 16 ? "16" : "32"
}
