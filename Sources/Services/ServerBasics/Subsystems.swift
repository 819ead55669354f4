/// The subsystems whose changes clients can wait for with `idle`.
package struct Subsystems: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let database = Subsystems(rawValue: 1 << 0)
    package static let storedPlaylist = Subsystems(rawValue: 1 << 1)
    package static let playlist = Subsystems(rawValue: 1 << 2)
    package static let player = Subsystems(rawValue: 1 << 3)
    package static let mixer = Subsystems(rawValue: 1 << 4)
    package static let output = Subsystems(rawValue: 1 << 5)
    package static let options = Subsystems(rawValue: 1 << 6)
    package static let sticker = Subsystems(rawValue: 1 << 7)
    package static let update = Subsystems(rawValue: 1 << 8)
    package static let subscription = Subsystems(rawValue: 1 << 9)
    package static let message = Subsystems(rawValue: 1 << 10)
    package static let neighbor = Subsystems(rawValue: 1 << 11)
    package static let mount = Subsystems(rawValue: 1 << 12)
    package static let partition = Subsystems(rawValue: 1 << 13)

    /// Segue's own; reported only to clients that name it.
    package static let route = Subsystems(rawValue: 1 << 16)
    package static let session = Subsystems(rawValue: 1 << 17)
    package static let announcement = Subsystems(rawValue: 1 << 18)
    package static let artwork = Subsystems(rawValue: 1 << 19)
    package static let timer = Subsystems(rawValue: 1 << 20)

    /// The clients that ask to be known; reported to owners only.
    package static let pairing = Subsystems(rawValue: 1 << 25)

    /// Changes of rights, and refused commands; reported to owners only.
    package static let audit = Subsystems(rawValue: 1 << 26)

    /// The requests for pictures that the owner picks; reported to owners only.
    package static let picker = Subsystems(rawValue: 1 << 27)

    /// The client's own permissions.
    package static let permission = Subsystems(rawValue: 1 << 24)

    /// In the order in which `idle` reports them.
    package static let names: [(subsystem: Subsystems, name: String)] = [
        (.database, "database"), (.storedPlaylist, "stored_playlist"), (.playlist, "playlist"), (.player, "player"),
        (.mixer, "mixer"), (.output, "output"), (.options, "options"), (.sticker, "sticker"), (.update, "update"),
        (.subscription, "subscription"), (.message, "message"), (.neighbor, "neighbor"), (.mount, "mount"),
        (.partition, "partition"), (.route, "route"), (.session, "session"), (.announcement, "announcement"),
        (.artwork, "artwork"), (.timer, "timer"), (.permission, "permission"),
        (.pairing, "pairing"), (.picker, "picker"), (.audit, "audit"),
    ]

    /// The subsystems that `idle` without arguments waits for.
    package static let all = Subsystems(rawValue: (1 << 14) - 1)

    /// - Returns: `nil` for an unknown name; case is ignored.
    package init?(name: String) {
        guard let found = Self.names.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = found.subsystem
    }
}
