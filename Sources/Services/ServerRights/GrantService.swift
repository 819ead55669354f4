internal import AudioSessions
package import AudioTypes
package import Authorization
package import Cryptography
private import Glibc
package import LineProtocol
package import NIOCore
package import ServerBasics
internal import Settings
package import StateStore

/// The rights of each principal: the configuration's rules, and above them the grants that the server's owner has made
/// since.
///
/// Belongs to the server's event loop.
package final class GrantService {
    package private(set) var store = GrantStore()
    package private(set) var tokens = TokenStore()
    package var uses = LastUses()
    /// Counts the changes of rights, so that each client looks its own up once after each.
    package private(set) var generation = 0
    private let configuration: CurrentConfiguration
    private let loop: any EventLoop
    package let clock: any WallClock
    unowned let delegate: any GrantDelegate
    package private(set) lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var timer: Scheduled<Void>?
    private var byteQuotas = ByteQuotas()
    /// Whether there are principals that are sent only so much within an hour.
    package private(set) var limitsBytes = false
    private var byteTimer: Scheduled<Void>?
    /// In seconds since 1970: when rights were last looked at, and when they may differ.
    private var span = 0.0..<Double.greatestFiniteMagnitude
    /// Writes down when clients were last used.
    package var useTimer: Scheduled<Void>?
    /// The classes of sessions by their owners, as the journal of sessions has them from earlier versions.
    private var earlierClasses: [String: ClassGrants] = [:]

    package init(
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        clock: any WallClock,
        delegate: any GrantDelegate
    ) {
        self.configuration = configuration
        self.loop = loop
        self.clock = clock
        self.delegate = delegate
    }

    // MARK: Rights

    /// A client's rights now.
    package func rights(of client: ClientIdentity) -> Rights {
        guard let id = client.id else { return rightsWithoutGrants(of: client) }
        guard client.login.map(isValid) ?? true else { return Rights(permissions: []) }
        return rights(of: id, configured: configured(client))
    }

    /// The rights now of a principal, which need not be connected.
    ///
    /// - Parameter configured: The permissions that the configuration gives it.
    package func rights(of id: PrincipalID, configured: Permissions) -> Rights {
        guard let grants = store[id]?.grants else { return Rights(permissions: configured) }
        var rights = grants.rights(configured: configured, at: clock.moment)
        if byteQuotas.exhausted.contains(id) { rights.withholdReading() }
        return rights
    }

    /// The rights now of a client that need not be connected.
    ///
    /// - Returns: `nil` for a name that is not known, such as that of a client that was forgotten.
    package func rights(ofAbsent id: PrincipalID) -> Rights? {
        if case .named = id, store[id] == nil { return nil }
        return rights(of: id, configured: configured(id))
    }

    /// The rights of a client that gave a password of the configuration, or that the system does not identify.
    ///
    /// Its permissions are the configuration's, but it owns its sessions by the user or the address that it comes from, and so
    /// may use the classes that these may.
    private func rightsWithoutGrants(of client: ClientIdentity) -> Rights {
        var rights = Rights(permissions: configured(client))
        guard let entry = PrincipalID(client.name).flatMap({ store[$0] }), !entry.grants.classes.isEmpty else {
            return rights
        }
        let granted = entry.grants.rights(configured: [], at: clock.moment)
        (rights.classes, rights.isTimed) = (granted.classes, granted.isTimed)
        return rights
    }

    /// A login by a password or a token ends when that is changed, or its client forgotten.
    private func isValid(_ login: Login) -> Bool {
        switch login.proof {
        case .password(let password): password == store[.named(login.name)]?.password
        case .token(let token): token == tokens[login.name]
        case .certificate: true
        }
    }

    /// The rights that the configuration gives.
    ///
    /// It knows no named clients: these have what anybody has who comes from where they do.
    private func configured(_ client: ClientIdentity) -> Permissions {
        let permissions = configuration.value.access.permissions(of: client.principal, isNamed: client.login != nil)
        return client.login == nil ? permissions : permissions.subtracting(.owner)
    }

    /// The same for one that need not be connected: by the rules for all listeners, and for a name as for anybody.
    private func configured(_ id: PrincipalID) -> Permissions {
        let (access, listener) = (configuration.value.access, Listener(.abstract(name: "any")))
        return switch id {
        case .user(let uid): access.permissions(of: Principal(UnixPeer(uid: uid, process: 0), at: listener))
        case .address(let address): access.permissions(of: Principal(address, server: address, at: listener))
        case .named: access.anonymousPermissions
        }
    }

    /// The addresses whose clients the owner does not let see what plays in a zone now, and so not listen to it either.
    ///
    /// The configuration does not matter here: whoever listens at an output's port needs no right.
    package func addresses(withoutReadingIn zone: String) -> Set<IPAddress> {
        let moment = clock.moment
        return Set(
            store.ids.compactMap { id in
                guard case .address(let address) = id, let grants = store[id]?.grants else { return nil }
                let held = grants.rights(configured: .all, at: moment).permissions(in: zone)
                return held.contains(.read) ? nil : address
            }
        )
    }

    private func lasting(_ grants: Grants?, of id: PrincipalID) -> Rights {
        (grants ?? Grants()).rightsAtAnyTime(configured: configured(id))
    }

    /// Whether the owner has decided on a principal, or given it a password or a token.
    package func isKnown(_ id: PrincipalID) -> Bool {
        if store[id] != nil { return true }
        if case .named(let name) = id { return tokens[name] != nil }
        return false
    }

    package func status(of client: ClientIdentity) -> AuthorizationStatus {
        AuthorizationStatus(rights(of: client), isDecided: client.id.map { store[$0]?.isDecided == true } ?? false)
    }

    // MARK: Changes

    /// Changes what is known of a principal, and applies that to its clients before it returns.
    ///
    /// - Throws: The error of `body`, or one when there are too many principals, or when the server's owner would be limited
    ///   but in the classes of sessions.
    package func change(_ id: PrincipalID, by who: String, _ body: (inout GrantStore.Entry) throws -> Void) throws {
        let limit = configuration.value.limits.maxPrincipals
        guard store[id] != nil || store.count < limit else { throw exceeds("max-principals", limit, .system) }
        var entry = store[id] ?? GrantStore.Entry()
        let before = lasting(entry.grants, of: id)
        try body(&entry)
        if id.isServerOwner, entry.isDecided {
            throw AckError(.badArgument, "\(id) is the server's owner, who is limited by classes only")
        }
        keep(store.set(id, entry))
        let words = entry.grants.words.joined(separator: " ")
        tell(id, "\(who) set the grants of \(id): \(words.isEmpty ? "as configured" : words)")
        apply()
        delegate.rightsDecided(of: id, before: before, after: lasting(entry.grants, of: id))
    }

    /// Gives a named client a password, which ends the connections that gave an earlier one.
    ///
    /// - Parameter grant: Changes what the client may do in the same step.
    package func setPassword(
        of name: ClientName,
        to password: PasswordHash,
        by who: String,
        _ grant: (inout Grants) throws -> Void = { _ in }
    ) throws {
        try change(.named(name), by: who) { entry in
            try grant(&entry.grants)
            entry.password = password
        }
    }

    /// - Returns: Whether anything was known of the principal.
    package func forget(_ id: PrincipalID, by who: String) -> Bool {
        let before = lasting(store[id]?.grants, of: id)
        var lines = [store.forget(id)]
        if case .named(let name) = id { lines.append(tokens.forget(name)) }
        guard lines.contains(where: { $0 != nil }) else { return false }
        lines.append(uses.forget(id))
        for line in lines.compactMap(\.self) { keep(line) }
        tell(id, "\(who) had the grants of \(id) forgotten")
        apply()
        // A forgotten name has no clients any more, except those whose certificates carry it.
        let isNobody = id.isNamed && configuration.value.tls.clientAuthority == nil
        delegate.rightsDecided(
            of: id,
            before: before,
            after: isNobody ? Rights(permissions: []) : lasting(nil, of: id)
        )
        return true
    }

    // MARK: Pairing

    /// Throws unless there is room for another paired or denied client.
    package func requireRoomForToken() throws(AckError) {
        let limit = configuration.value.limits.maxPrincipals
        guard tokens.count < limit else { throw exceeds("max-principals", limit, .system) }
    }

    /// Gives a named client a token, which ends the connections that gave an earlier one.
    package func setToken(of name: ClientName, to token: Digest, by who: String) throws(AckError) {
        try requireRoomForToken()
        keep(tokens.set(name, to: token))
        tell(.named(name), "\(name.text) was paired by \(who)")
        apply()
    }

    /// Takes a named client's token, which ends the connections that gave it.
    package func endToken(of name: ClientName, by who: String) {
        guard let line = tokens.forget(name) else { return }
        keep(line)
        tell(.named(name), "\(who) ended the pairing of \(name.text)")
        apply()
    }

    /// Has a client not be asked about any more.
    package func deny(_ id: PrincipalID, by who: String) {
        keep(tokens.deny(id))
        tell(id, "\(who) denied \(id) to be paired")
    }

    /// - Returns: Whether the client was denied.
    package func askAgain(_ id: PrincipalID, by who: String) -> Bool {
        guard let line = tokens.reset(id) else { return false }
        keep(line)
        tell(id, "\(who) lets \(id) ask to be paired again")
        return true
    }

    /// Logs a change of rights.
    private func tell(_ id: PrincipalID, _ text: String) {
        delegate.log(.notice, text)
        delegate.rightsChanged(of: id.description, text)
    }

    package func keep(_ line: [String]) { delegate.grantSettingChanged(Record(line[0], Array(line.dropFirst()))) }

    /// Applies a record of the journal.
    package func restore(_ record: Record) {
        if TokenStore.verbs.contains(record.verb) {
            if !tokens.apply([record.verb] + record.arguments) {
                delegate.log(
                    .warning,
                    "the pairing '\(record.verb) \(record.arguments.first ?? "")' cannot be read"
                )
            }
        } else if LastUses.verbs.contains(record.verb) {
            if !uses.apply([record.verb] + record.arguments) {
                delegate.log(.warning, "the last use '\(record.text)' cannot be read")
            }
        } else if !store.apply([record.verb] + record.arguments) {
            delegate.log(.warning, "the grants '\(record.text)' cannot be read")
        }
    }

    /// Takes a decision on a class from the journal of sessions, where earlier versions kept them.
    package func restoreClass(_ record: Record) {
        let words = record.arguments
        guard words.count == 3, let kind = SessionClass(rawValue: words[1]) else {
            return delegate.log(.warning, "the session permission '\(record.text)' cannot be read")
        }
        earlierClasses[words[0], default: ClassGrants()][kind] = words[2] == "grant"
    }

    /// Takes up the rights that `restore` and `restoreClass` have read; called once, after these.
    package func begin() {
        // So that they are not taken for an earlier version's again.
        convertPermissions()
        convertClasses()
        renewByteQuotas()
        watchTime()
    }

    /// Makes grants of the classes that earlier versions kept by the owners of sessions.
    ///
    /// Only an owner whose name is spelt as sessions have it counts: another spelling has never given anything. What the
    /// grants say already was decided later.
    private func convertClasses() {
        for (owner, classes) in earlierClasses.sorted(by: { $0.key < $1.key }) {
            guard let id = PrincipalID(owner), id.description == owner else {
                let client = PrincipalID(owner) == nil ? "CLIENT" : owner
                delegate.log(
                    .warning,
                    "the session permissions of '\(owner)' (\(classes)) are dropped, because no sessions have that owner; to set them for a client: segue clients set \(client) --classes \(classes)"
                )
                continue
            }
            var entry = store[id] ?? GrantStore.Entry()
            entry.grants.classes = entry.grants.classes.merging(classes)
            keep(store.set(id, entry))
            delegate.log(
                .notice,
                "the session permissions of \(id) are grants of that client now: classes \(entry.grants.classes)"
            )
        }
        earlierClasses = [:]
    }

    private func convertPermissions() {
        for id in store.takeConverted() {
            guard let entry = store[id] else { continue }
            keep(store.set(id, entry))
            delegate.log(
                .notice,
                "\(id) keeps the permissions that a name used to give; for those of anybody who comes from where it does: segue clients set \(id) --permissions default"
            )
        }
    }

    /// Everything, for the journal.
    package var records: [Record] {
        (store.lines + tokens.lines + uses.lines).map { Record($0[0], Array($0.dropFirst())) }
    }

    /// The configuration's rules have changed: rights are looked up again.
    package func rulesChanged() { generation += 1 }

    private func apply() {
        renewByteQuotas()
        generation += 1
        watchTime()
        delegate.rightsChanged()
    }

    // MARK: Bytes

    /// Counts what a client was sent; one that was sent as much as it may be within an hour reads nothing more, from the next
    /// turn of the loop on.
    package func sent(_ bytes: Int, to client: ClientIdentity) {
        guard limitsBytes, let id = client.id, let most = store[id]?.grants.limits.hourlyMegabytes,
            byteQuotas.sent(bytes, to: id, of: most, at: loop.hostTime.seconds)
        else { return }
        tell(id, "\(id) was sent its \(most) MB within an hour, and reads nothing for a while")
        onLoop { $0.apply() }
    }

    private func renewByteQuotas() {
        byteTimer?.cancel()
        byteTimer = nil
        let quotas = store.hourlyMegabytes
        limitsBytes = !quotas.isEmpty
        guard let next = byteQuotas.renew(quotas, at: loop.hostTime.seconds) else { return }
        byteTimer = onLoop(in: next + 0.001) { $0.apply() }
    }

    // MARK: Time

    /// Looks at rights that depend on the time again, when the clock has passed where they change, or was set back.
    package func checkTime() {
        guard !span.contains(clock.now) else { return }
        apply()
    }

    /// Sets the timer to the next moment at which rights change; without one, no timer runs.
    private func watchTime() {
        timer?.cancel()
        timer = nil
        let now = clock.moment
        let next = store.nextChange(after: now)
        span = now.seconds..<max(now.seconds, next ?? .greatestFiniteMagnitude)
        guard let next else { return }
        // The clock of timers and the wall clock may differ by the fraction of a millisecond.
        timer = onLoop(in: min(next - now.seconds + 0.001, Self.longestTimer)) { $0.timePassed() }
    }

    private func timePassed() {
        timer = nil
        if span.contains(clock.now) { watchTime() } else { apply() }
    }

    /// In seconds: a day, far from the limits of timers.
    private static let longestTimer = 86_400.0
}

extension WallClock {
    /// This moment, as grants see it.
    package var moment: Moment { Moment(seconds: now, minute: minuteOfDay) }
}

extension PrincipalID {
    /// Whether it is the user who runs the server, or root.
    package var isServerOwner: Bool { self == .user(0) || self == .user(geteuid()) }
}
