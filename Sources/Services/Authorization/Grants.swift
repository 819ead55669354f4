package import Announcements
package import AudioSessions
package import LineProtocol

/// The grants of the server's owner to a principal; the configuration decides all that is not stated.
package struct Grants: Sendable, Hashable {
    /// In place of the permissions that the configuration gives.
    package var permissions: Permissions?
    /// The classes of sessions that it may use whatever its permissions, and those that it may not use.
    package var classes = ClassGrants()
    /// The only zones that the principal may use, each with the permissions that it keeps there; empty for all zones.
    package var zones: [String: Permissions] = [:]
    /// When the principal has its permissions.
    package var validity = Validity()
    /// The times of day at which the principal only looks on: it keeps the permission to read.
    package var quietHours: QuietHours?
    /// How many songs the principal may have in a zone's queue; `nil` for as many as there is room for.
    package var songs: Int?
    package var limits = GrantLimits()

    package init() {}

    /// Denies everything.
    package static let denied: Grants = {
        var grants = Grants()
        grants.permissions = []
        return grants
    }()

    /// The rights that follow at a moment.
    ///
    /// - Parameter configured: The permissions that the configuration gives.
    package func rights(configured: Permissions, at moment: Moment) -> Rights {
        let held = permissions ?? configured
        let (isValid, isOver) = (validity.contains(moment), validity.isOver(at: moment))
        let isQuiet = quietHours?.contains(minute: moment.minute) == true
        let heldNow = !isValid ? [] : isQuiet ? held.intersection(.read) : held
        let classesNow = isValid && !isQuiet ? classes : classes.denials
        return Rights(
            permissions: heldNow,
            classes: classesNow,
            zones: zones,
            isTimed: !validity.isAlways || quietHours != nil,
            withheld: isOver ? [] : held.subtracting(heldNow),
            withholdsClasses: !isOver && classesNow != classes,
            songs: songs,
            limits: limits
        )
    }

    /// The zones that are named in them.
    package var namedZones: Set<String> { Set(zones.keys).union(limits.volumes.keys.filter { !$0.isEmpty }) }

    /// The next moment at which the rights may differ, in seconds since 1970.
    func nextChange(after moment: Moment) -> Double? {
        [validity.nextChange(after: moment), quietHours?.nextChange(after: moment)].compactMap(\.self).min()
    }

    /// The rights without regard to the time.
    ///
    /// - Parameter configured: The permissions that the configuration gives.
    package func rightsAtAnyTime(configured: Permissions) -> Rights {
        Rights(permissions: permissions ?? configured, zones: zones)
    }
}

/// A moment as grants depend on it.
package struct Moment: Sendable, Hashable {
    /// Since 1970.
    package let seconds: Double
    /// Of the day in local time, 0 to 1439.
    package let minute: Int

    package init(seconds: Double, minute: Int) {
        self.seconds = seconds
        self.minute = minute
    }

    /// Time zones differ from UTC by whole minutes.
    var secondOfMinute: Double { seconds.truncatingRemainder(dividingBy: 60) }

    static let minutesPerDay = 24 * 60
}

/// A client's rights now.
package struct Rights: Sendable, Hashable {
    /// Where no zone narrows them.
    package var permissions: Permissions
    package var classes: ClassGrants
    /// The only zones that may be used, each with the permissions that are kept there; empty for all zones.
    package var zones: [String: Permissions]
    /// Whether they end by themselves.
    package var isTimed: Bool
    /// The permissions that the principal has again at another time of day, or when it may be sent more.
    package var withheld: Permissions
    /// Whether there are classes that it may use again at another time of day.
    package var withholdsClasses: Bool
    /// The most songs in a zone's queue; `nil` for as many as there is room for.
    package var songs: Int?
    package var limits: GrantLimits

    package init(
        permissions: Permissions,
        classes: ClassGrants = ClassGrants(),
        zones: [String: Permissions] = [:],
        isTimed: Bool = false,
        withheld: Permissions = [],
        withholdsClasses: Bool = false,
        songs: Int? = nil,
        limits: GrantLimits = GrantLimits()
    ) {
        self.permissions = permissions
        self.classes = classes
        self.zones = zones
        self.isTimed = isTimed
        self.withheld = withheld
        self.withholdsClasses = withholdsClasses
        self.songs = songs
        self.limits = limits
    }

    /// Withholds reading, for a principal that was sent as much as it may be.
    package mutating func withholdReading() {
        guard permissions.remove(.read) != nil else { return }
        withheld.insert(.read)
    }

    /// Whether the principal lacks rights that come back by themselves.
    package var isRestricted: Bool { !withheld.isEmpty || withholdsClasses }

    package func permissions(in zone: String) -> Permissions { permissions.narrowed(to: zone, of: zones) }

    /// The permissions in a zone, once those are back that are withheld for a while.
    package func permissionsLater(in zone: String) -> Permissions {
        permissions.union(withheld).narrowed(to: zone, of: zones)
    }

    /// Whether permissions are held in each of some zones.
    package func permit(_ needed: Permissions, in zones: [String]) -> Bool {
        zones.allSatisfy { permissions(in: $0).isSuperset(of: needed) }
    }

    /// Whether a class of sessions may be used where some permissions are held.
    package func permit(_ sessionClass: SessionClass, holding permissions: Permissions) -> Bool {
        classes[sessionClass] ?? (sessionClass == .normal || permissions.contains(.control))
    }

    /// Whether there is any zone where something is permitted.
    package var isEmpty: Bool {
        permissions.isEmpty || !zones.isEmpty && zones.keys.allSatisfy { permissions(in: $0).isEmpty }
    }
}

extension Permissions {
    /// Those that are kept in a zone, where only some zones may be used.
    fileprivate func narrowed(to zone: String, of zones: [String: Permissions]) -> Permissions {
        guard !zones.isEmpty else { return self }
        guard let kept = zones[zone] else { return [] }
        return intersection(kept.contains(.add) ? kept.union(.addOnly) : kept)
    }
}
