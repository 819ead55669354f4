/// Why a regular expression cannot be used, in MPD's words.
package enum PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A syntax error at a byte offset.
    case malformed(place: Int, reason: String)
    /// A limit was exceeded, most often because of nested repetition.
    case takesTooLong

    package var description: String {
        switch self {
        case .malformed(let place, let reason): "Error in regex at offset \(place): \(reason)"
        case .takesTooLong: "Error in regex: it takes too long"
        }
    }
}
