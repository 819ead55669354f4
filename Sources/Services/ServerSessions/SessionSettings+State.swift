package import AudioSessions
internal import ServerRooms
package import StateStore
internal import Zones

/// Session settings made by clients, which survive a restart.
extension SessionService {
    /// Everything that differs from the configuration.
    package var records: [Record] {
        var records: [Record] = []
        if isSilent { records.append(Record("silence", "1")) }
        if isLocked { records.append(Record("lock", "1")) }
        for (zone, configuration) in categories.sorted(by: { $0.key < $1.key }) {
            records.append(Record(zone: zone, configuration))
        }
        return records
    }

    package func apply(_ record: Record) {
        let words = record.arguments
        switch (record.verb, words.count) {
        case ("silence", 1): setSilent(words[0] == "1")
        case ("lock", 1): setLocked(words[0] == "1")
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
    package init(zone: String, _ configuration: SessionConfiguration) {
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
