/// Determines the sample format of an output: that of its sink, or that of each medium.
package enum FormatPolicy: Sendable, Hashable {
    /// The sink's format, which is not asked to change.
    case sink
    /// Each medium's format. The sink is asked for it; if the sink keeps its own, the sound server converts.
    case media
    /// Each medium's format if the sink changes to it, else the sink's.
    case automatic
}
