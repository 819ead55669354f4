/// Which moment of a film a picture is taken of.
package enum FilmMoment: Sendable, Hashable {
    /// 0 to 1.
    case part(Double)
    case seconds(Double)

    /// Where films usually have begun.
    package static let usual = part(0.1)

    /// In seconds, never behind the end.
    package func seconds(of duration: Double) -> Double {
        let seconds =
            switch self {
            case .part(let part): part * duration
            case .seconds(let seconds): seconds
            }
        return seconds.isFinite ? min(max(0, seconds), max(0, duration)) : 0
    }
}
