/// The choice of one of a medium's audio streams, or of its video streams.
package enum TrackSelection: Sendable, Hashable {
    /// The one that the container marks as default; else the first audio, or the best video.
    case automatic
    /// The n-th stream of its kind, from 1.
    case number(Int)
    /// The n-th stream of its kind, from 1; where there are fewer, as `automatic`.
    case preferred(Int)
    /// The first stream in a language (an ISO 639 code).
    case language(String)
    /// The first stream in the first of these languages that there is one in; else as `automatic`.
    case languages([LanguageCode])
}
