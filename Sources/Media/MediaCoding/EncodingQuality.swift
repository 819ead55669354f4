/// How much of the sound an encoder keeps, or how hard it works.
package enum EncodingQuality: Sendable, Hashable {
    /// Bits per second.
    case bitRate(Int)
    /// On the codec's own scale: Vorbis from -1 to 10 (best), MP3 from 9 to 0 (best), FLAC's compression from 0 to 12.
    case level(Double)
}
