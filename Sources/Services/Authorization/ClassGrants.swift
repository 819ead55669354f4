package import AudioSessions

/// The classes of sessions that are granted to a principal and those that are denied to it: `alarm,no-call`.
///
/// Of classes that are not decided, `normal` may be used by all, the others with the permission `control`.
package struct ClassGrants: Sendable, Hashable {
    private var decisions: [SessionClass: Bool] = [:]

    package init() {}

    /// Parses classes separated by commas, each named at most once; `no-` before a class denies it.
    package init?(parsing text: String) {
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let isGranted = !word.hasPrefix("no-")
            let name = isGranted ? word : word.dropFirst(3)
            guard let known = SessionClass(rawValue: String(name)), decisions[known] == nil else { return nil }
            decisions[known] = isGranted
        }
    }

    /// Whether a class is granted; `nil` for one that is not decided.
    package subscript(_ sessionClass: SessionClass) -> Bool? {
        get { decisions[sessionClass] }
        set { decisions[sessionClass] = newValue }
    }

    package var isEmpty: Bool { decisions.isEmpty }

    /// The classes that are decided, lowest first.
    package var classes: [SessionClass] { decisions.keys.sorted() }

    /// Without the classes that are granted.
    package var denials: ClassGrants {
        var denials = self
        denials.decisions = decisions.filter { !$0.value }
        return denials
    }

    /// These, and the decisions of others on further classes.
    package func merging(_ others: ClassGrants) -> ClassGrants {
        var merged = self
        merged.decisions.merge(others.decisions) { own, _ in own }
        return merged
    }
}

extension ClassGrants: CustomStringConvertible {
    package var description: String {
        classes.map { (decisions[$0] == true ? "" : "no-") + $0.rawValue }.joined(separator: ",")
    }
}
