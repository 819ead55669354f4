/// The moment of a film that a picture is taken of.
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

    /// The moment as two words.
    package var text: String {
        switch self {
        case .part(let part): "part \(part)"
        case .seconds(let seconds): "second \(seconds)"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ words: some RandomAccessCollection<Substring>) {
        guard words.count == 2, let place = words.last.flatMap({ Double($0) }), place.isFinite, place >= 0 else {
            return nil
        }
        switch words.first {
        case "part": self = .part(place)
        case "second": self = .seconds(place)
        default: return nil
        }
    }
}
