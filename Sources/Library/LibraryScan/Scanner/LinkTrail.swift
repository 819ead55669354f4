/// Protects a walk through a music directory against cycles and endless expansion of links.
///
/// A directory is listed at every place that links to it, but not within itself. Where linked directories contain
/// further links, the number of paths can grow beyond any bound; `mostPlaces` limits it.
package struct LinkTrail<Identity: Hashable> {
    /// Why a directory is left out.
    package enum Refusal {
        /// It lies within itself.
        case circle
        /// It is listed in enough places.
        case crowd
    }

    private struct Way: Hashable {
        let identity: Identity
        /// The number of links on the path.
        let links: Int
    }

    /// The directories on the current path.
    private var ancestors: Set<Identity>
    private var places: [Way: Int] = [:]

    /// - Parameter above: The directories that contain the first one.
    package init(within above: Set<Identity> = []) { ancestors = above }

    package func isCircle(_ identity: Identity) -> Bool { ancestors.contains(identity) }

    /// Why a directory is left out; `nil` when it may be entered.
    ///
    /// - Parameter links: The number of links on the path to it.
    package func refusal(of identity: Identity, behind links: Int) -> Refusal? {
        if isCircle(identity) { return .circle }
        if links == 0 { return nil }
        return places[Way(identity: identity, links: links), default: 0] < mostPlaces(behind: links) ? nil : .crowd
    }

    /// Enters a directory on the path to the requested one, without leaving it later.
    package mutating func pass(_ identity: Identity) { ancestors.insert(identity) }

    /// Enters a directory, unless it is left out.
    package mutating func enter(_ identity: Identity, behind links: Int) -> Refusal? {
        if let refusal = refusal(of: identity, behind: links) { return refusal }
        if links > 0 { places[Way(identity: identity, links: links), default: 0] += 1 }
        ancestors.insert(identity)
        return nil
    }

    package mutating func leave(_ identity: Identity) { ancestors.remove(identity) }
}

/// The number of places in which a directory is listed with a given number of links on the path: 32 with one, 16 with
/// two, none with seven.
///
/// A user who links albums and artists to each other thus sees everything nearby, and no tree of links lists a
/// directory in more than 63 places besides its own.
func mostPlaces(behind links: Int) -> Int { 32 >> (links - 1) }
