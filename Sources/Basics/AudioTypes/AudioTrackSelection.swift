/// Which of a medium's audio streams is played.
package enum AudioTrackSelection: Sendable, Hashable {
    /// The one the container marks as default, else the first.
    case automatic
    /// The n-th audio stream, from 1.
    case number(Int)
    /// The n-th audio stream, from 1; where there are fewer, as `automatic`.
    case preferred(Int)
    /// The first audio stream in a language (an ISO 639 code).
    case language(String)
    /// The first audio stream in the first of these languages that there is one in; else as `automatic`.
    case languages([LanguageCode])
}
