/// What a walk through a music directory remembers, so that links never lead it in a circle, and never without end.
///
/// A directory is shown wherever a link leads to it, but not in itself. Where links lead to directories with more links
/// there may be more ways to a directory than can ever be gone; see `mostPlaces`.
package struct LinkTrail<Identity: Hashable> {
    /// Why a directory is left out.
    package enum Refusal {
        /// It lies in itself.
        case circle
        /// It is shown in enough places.
        case crowd
    }

    private struct Way: Hashable {
        let identity: Identity
        /// So many links are on it.
        let links: Int
    }

    /// The directories that are being walked.
    private var ancestors: Set<Identity>
    private var places: [Way: Int] = [:]

    /// - Parameter above: The directories that the first one lies in.
    package init(within above: Set<Identity> = []) { ancestors = above }

    package func isCircle(_ identity: Identity) -> Bool { ancestors.contains(identity) }

    /// Why a directory is left out; `nil` when it may be gone into.
    ///
    /// - Parameter links: How many links are on the way to it.
    package func refusal(of identity: Identity, behind links: Int) -> Refusal? {
        if isCircle(identity) { return .circle }
        if links == 0 { return nil }
        return places[Way(identity: identity, links: links), default: 0] < mostPlaces(behind: links) ? nil : .crowd
    }

    /// Goes into a directory on the way to the one that is wanted, not to come back.
    package mutating func pass(_ identity: Identity) { ancestors.insert(identity) }

    /// Goes into a directory, unless it is to be left out.
    package mutating func enter(_ identity: Identity, behind links: Int) -> Refusal? {
        if let refusal = refusal(of: identity, behind: links) { return refusal }
        if links > 0 { places[Way(identity: identity, links: links), default: 0] += 1 }
        ancestors.insert(identity)
        return nil
    }

    package mutating func leave(_ identity: Identity) { ancestors.remove(identity) }
}

/// In how many places a directory is shown with so many links on the way to it: 32 with one, 16 with two, none with seven.
///
/// So whoever links albums and artists to each other sees all that is near, and no tree of links shows any directory in
/// more than 63 places beside its own.
func mostPlaces(behind links: Int) -> Int { 32 >> (links - 1) }
