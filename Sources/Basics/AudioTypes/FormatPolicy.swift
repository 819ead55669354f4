/// Whose sample format an output takes: its sink's, or that of what is played.
package enum FormatPolicy: Sendable, Hashable {
    /// The sink's, as it is.
    case sink
    /// That of what is played; the sink is asked for it, and where it does not follow, the sound server converts.
    case media
    /// That of what is played where the sink takes it at once, and the sink's elsewhere.
    case automatic
}
