/// The codecs of subtitles that are text, by FFmpeg's short names.
package enum SubtitleCodec: String, Sendable, Hashable {
    case subRip = "subrip"
    /// The same with times in its packets, as old files have it.
    case timedSubRip = "srt"
    case webVTT = "webvtt"
    case ass
    case ssa
    case movText = "mov_text"
    case text

    /// The text of a packet without markup; `nil` when there is none.
    package func text(of packet: ArraySlice<UInt8>) -> String? {
        switch self {
        case .subRip, .timedSubRip: SubRip.text(SampleText.decode(packet))
        case .webVTT: WebVTT.text(SampleText.decode(packet))
        case .ass, .ssa: ASS.text(event: packet.prefix { $0 != 0 })
        case .movText: TX3G.text(sample: packet)
        case .text: SampleText.decode(packet)
        }
    }
}
