internal import AudioSessions
internal import StateStore
internal import Zones

/// Session settings made by clients, which survive a restart.
extension SessionDesk {
    /// Everything that differs from the configuration.
    var records: [Record] {
        var records: [Record] = []
        if isSilent { records.append(Record("silence", "1")) }
        if isLocked { records.append(Record("lock", "1")) }
        for (zone, configuration) in categories.sorted(by: { $0.key < $1.key }) {
            records.append(Record(zone: zone, configuration))
        }
        for (grant, isGranted) in grants.sorted(by: { $0.key < $1.key }) {
            records.append(Record("permission", grant.owner, grant.kind.rawValue, isGranted ? "grant" : "deny"))
        }
        return records
    }

    /// Grants or denies an owner sessions of a class.
    func decide(_ grant: Grant, isGranted: Bool) {
        grants[grant] = isGranted
        surroundings.keep(Record("permission", grant.owner, grant.kind.rawValue, isGranted ? "grant" : "deny"))
    }

    func apply(_ record: Record) {
        let words = record.arguments
        switch (record.verb, words.count) {
        case ("silence", 1): setSilent(words[0] == "1")
        case ("lock", 1): setLocked(words[0] == "1")
        case ("permission", 3):
            guard let kind = SessionClass(rawValue: words[1]) else { return }
            grants[Grant(owner: words[0], kind: kind)] = words[2] == "grant"
        case ("category", 5):
            let options = words[3].split(separator: ",").map(String.init)
            guard let zone = rooms.zone(named: words[0]),
                let known = try? SessionConfiguration(
                    named: words[1],
                    mode: words[2],
                    options: options,
                    policy: words[4]
                )
            else { return }
            _ = try? configure(zone, as: known)
        default: break
        }
    }
}

extension Record {
    /// The configuration of a zone's session.
    init(zone: String, _ configuration: SessionConfiguration) {
        self.init(
            "category",
            zone,
            configuration.category.rawValue,
            configuration.mode.rawValue,
            configuration.options.names.joined(separator: ","),
            configuration.policy.name
        )
    }
}

/// An owner and a class above the normal one, which the server's owner has granted or denied.
struct Grant: Hashable, Comparable {
    let owner: String
    let kind: SessionClass

    static func < (left: Self, right: Self) -> Bool { (left.owner, left.kind) < (right.owner, right.kind) }
}
