internal import LineProtocol

/// The principals that the server's owner has decided on, with their grants and passwords.
package struct GrantStore: Sendable {
    package struct Entry: Sendable, Hashable {
        package var grants = Grants()
        /// `nil` for a principal that gives no password.
        package var password: PasswordHash?

        package init() {}

        /// Whether the owner has decided what the principal may do; a password and classes of sessions alone decide
        /// nothing.
        package var isDecided: Bool {
            var others = grants
            others.classes = ClassGrants()
            return others != Grants()
        }
    }

    /// A dictionary has room for twice as many values as it holds: entries lie outside of it.
    private final class Box: Sendable {
        let entry: Entry

        init(_ entry: Entry) { self.entry = entry }
    }

    private var boxes: [PrincipalID: Box] = [:]
    /// Those whose lines were written when a name gave permissions by itself, and which keep these.
    private var converted: Set<PrincipalID> = []

    package init() {}

    package subscript(id: PrincipalID) -> Entry? { boxes[id]?.entry }

    package var count: Int { boxes.count }

    package var ids: some Collection<PrincipalID> { boxes.keys }

    package var entries: [PrincipalID: Entry] { boxes.mapValues(\.entry) }

    /// - Returns: The line that keeps the change.
    package mutating func set(_ id: PrincipalID, _ entry: Entry) -> [String] {
        boxes[id] = Box(entry)
        return Self.words(id, entry)
    }

    /// - Returns: The line that keeps the change; `nil` when nothing is known of the principal.
    package mutating func forget(_ id: PrincipalID) -> [String]? {
        boxes.removeValue(forKey: id) == nil ? nil : ["forget", id.description]
    }

    /// The principals whose lines an earlier version has written, once; their lines are to be written again.
    package mutating func takeConverted() -> [PrincipalID] {
        defer { converted = [] }
        return converted.sorted()
    }

    /// All as lines for a journal.
    package var lines: [[String]] {
        boxes.sorted { $0.key < $1.key }.map { Self.words($0.key, $0.value.entry) }
    }

    private static func words(_ id: PrincipalID, _ entry: Entry) -> [String] {
        var words = ["client", id.description, entry.password?.text ?? ""]
        if id.isNamed, entry.grants.permissions == nil { words += markOfDefault }
        return words + entry.grants.words
    }

    /// Tells a named client's line in which permissions are not stated from one of the versions that gave them by the name.
    private static let markOfDefault = ["permissions", "default"]

    /// Applies a line of a journal.
    ///
    /// - Returns: Whether it was understood. A principal whose grants cannot be read is denied everything, so that
    ///   damage never gives more than was granted.
    package mutating func apply(_ line: [String]) -> Bool {
        guard line.count >= 2, let id = PrincipalID(line[1]) else { return false }
        converted.remove(id)
        switch line[0] {
        case "forget": boxes[id] = nil
        case "client":
            var entry = Entry()
            entry.password = line.count > 2 ? PasswordHash(line[2]) : nil
            do throws(GrantProblem) { try entry.grants.change(line.dropFirst(3)) } catch {
                boxes[id] = Box(Entry(denied: entry))
                return false
            }
            if id.isNamed, entry.grants.permissions == nil, line.dropFirst(3).prefix(2) != Self.markOfDefault[...] {
                entry.grants.permissions = .anonymous
                converted.insert(id)
            }
            boxes[id] = Box(entry)
        default: return false
        }
        return true
    }

    /// The next moment at which a principal's rights may differ, in seconds since 1970.
    package func nextChange(after moment: Moment) -> Double? {
        boxes.values.compactMap { $0.entry.grants.nextChange(after: moment) }.min()
    }

    /// How many megabytes principals are sent within an hour, where that is limited.
    package var hourlyMegabytes: [PrincipalID: Int] {
        boxes.compactMapValues { $0.entry.grants.limits.hourlyMegabytes }
    }
}

extension GrantStore.Entry {
    fileprivate init(denied other: Self) {
        self = other
        grants = .denied
    }
}

/// How much a principal may do, in the words of authorizations.
package enum AuthorizationStatus: String, Sendable {
    /// The owner has not decided, and the configuration gives nothing.
    case notDetermined
    case denied
    /// The owner permits it, but not at this time of day, or not before it may be sent more.
    case restricted
    /// The owner permits a part, for a time or in some zones.
    case limited
    case authorized

    package init(_ rights: Rights, isDecided: Bool) {
        if rights.isRestricted {
            self = .restricted
        } else if rights.isEmpty {
            self = isDecided ? .denied : .notDetermined
        } else if !rights.classes.denials.isEmpty
            || isDecided
                && (!rights.zones.isEmpty || rights.isTimed || !rights.permissions.isSuperset(of: .anonymous)
                    || rights.limits != GrantLimits())
        {
            self = .limited
        } else {
            self = .authorized
        }
    }
}
