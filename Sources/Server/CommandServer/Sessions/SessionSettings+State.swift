internal import AudioSessions
internal import StateStore
internal import Zones

/// What clients have set about sessions, and a restart keeps.
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
            guard let zone = server.zone(named: words[0]),
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
    /// What a zone's session is.
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

/// Who may open sessions of a class above the normal one, as the owner of the server has decided.
struct Grant: Hashable, Comparable {
    let owner: String
    let kind: SessionClass

    static func < (left: Self, right: Self) -> Bool { (left.owner, left.kind) < (right.owner, right.kind) }
}
