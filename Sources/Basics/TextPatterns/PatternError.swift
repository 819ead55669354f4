/// Why a regular expression cannot be used, in the words that MPD has for it.
package enum PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It makes no sense, from a byte on.
    case malformed(place: Int, reason: String)
    /// It was given up: most often because it repeats what repeats.
    case takesTooLong

    package var description: String {
        switch self {
        case .malformed(let place, let reason): "Error in regex at offset \(place): \(reason)"
        case .takesTooLong: "Error in regex: it takes too long"
        }
    }
}
