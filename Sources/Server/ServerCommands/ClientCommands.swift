internal import AudioTypes
internal import Authorization
internal import CivilTime
internal import Files
internal import LineProtocol
internal import NIOCore
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import Songs
internal import Zones

/// The server's users and their rights: for its owner.
let clientCommands: [Row<AccessServices>] = [
    Row(
        "clients",
        .owner,
        library: .withheld,
        reply: .verbs(["list": .clients, "show": .clients.single, "password": .password]),
        .text("list|show|set|revoke|password|forget"),
        .rest("[CLIENT [KEY VALUE...]]")
    ) {
        request,
        verb,
        words in
        let id = try words.first.map { word throws(AckError) in try PrincipalID(checking: word) }
        switch (verb, id, words.count) {
        case ("list", nil, 0): return try request.listClients { _ in true }
        case ("show", let id?, 1):
            guard
                request.services.grants.store[id] != nil
                    || request.services.connections.all.contains(where: { $0.client.identity.id == id })
            else { throw AckError(.doesNotExist, "no such client: \(id)") }
            return try request.listClients { $0 == id }
        case ("set", let id?, 3...): return try request.grant(Array(words.dropFirst()), to: id)
        case ("revoke", let id?, 1):
            try request.services.grants.change(id, by: request.client.identity.name) { $0.grants = .denied }
        case ("password", .named(let name)?, 1...):
            return try request.makePassword(of: name, Array(words.dropFirst()))
        case ("forget", let id?, 1):
            if case .named(let name) = id { request.services.pairing.forgetInvitation(of: name) }
            guard request.services.grants.forget(id, by: request.client.identity.name) else {
                throw AckError(.doesNotExist, "no such client: \(id)")
            }
        default: throw badParam("clients list, or clients show|set|revoke|password|forget CLIENT [KEY VALUE...]")
        }
        return .done
    }
    .verbs(
        .verb("list"),
        .verb("show", Parameter("client")),
        RequestForm("set", [Parameter("client")] + Parameter.grants),
        .verb("revoke", Parameter("client")),
        RequestForm("password", [Parameter("client")] + Parameter.grants),
        .verb("forget", Parameter("client"))
    )
]

extension PrincipalID {
    /// The client that a request's word names.
    init(checking word: String) throws(AckError) {
        guard let id = PrincipalID(word) else {
            throw badParam("'\(word)' is not a client: uid:NUMBER, an address or a name")
        }
        self = id
    }
}

extension Request<AccessServices> {
    fileprivate func grant(_ words: [String], to id: PrincipalID) throws -> Outcome {
        try checkingLibrary(words) {
            try set(words, of: id)
            return .done
        }
    }

    private func set(_ words: [String], of id: PrincipalID) throws {
        try services.grants.change(id, by: client.identity.name) { try apply(words, to: &$0.grants) }
    }

    private func apply(_ words: [String], to grants: inout Grants) throws(AckError) {
        let before = grants.namedZones
        do throws(GrantProblem) { try grants.change(words) } catch { throw badParam(error.text) }
        for zone in grants.namedZones.subtracting(before) { _ = try knownZone(zone) }
        try grants.limits.withheld.requireKnown()
    }

    /// Gives a named client another password, and what it may do with that.
    fileprivate func makePassword(of name: ClientName, _ words: [String]) throws -> Outcome {
        try checkingLibrary(words) {
            var grants = Grants()
            try apply(words, to: &grants)
            return try makePassword(of: name, granting: words)
        }
    }

    private func makePassword(of name: ClientName, granting words: [String]) throws(AckError) -> Outcome {
        let password = ClientPassword.random(for: name)
        return try perform(on: .passwords) {
            PasswordHash(hashing: password.secret)
        } then: { hash in
            guard let hash else { throw AckError(.system, "no memory to hash a password") }
            try services.grants.setPassword(of: name, to: hash, by: client.identity.name) { try apply(words, to: &$0) }
            reply.line("password", password.text)
            return .done
        }
    }

    /// Lists principals with their grants and connections.
    fileprivate func listClients(_ isMeant: (PrincipalID?) -> Bool) throws(AckError) -> Outcome {
        let connections = services.connections.all.filter { isMeant($0.client.identity.id) }.sorted { $0.id < $1.id }
        var groups = Dictionary(grouping: connections) { $0.client.identity.name }
        for id in services.grants.store.ids where isMeant(id) && groups[id.description] == nil {
            groups[id.description] = []
        }
        let processes = Set(connections.compactMap { $0.principal.peer?.process })
        return try perform(on: .files("/proc/")) {
            Dictionary(uniqueKeysWithValues: processes.map { ($0, programName(of: $0)) })
        } then: { programs in
            for (name, connections) in groups.sorted(by: { $0.key < $1.key }) {
                describe(name, connections)
                for one in connections where !one.isClosing { describe(one, programs) }
            }
            return .done
        }
    }

    private func describe(_ name: String, _ connections: [any ClientConnection]) {
        let id = PrincipalID(name)
        let entry = id.flatMap { services.grants.store[$0] }
        // Without grants, the permissions of a named client depend on the address that it connects from.
        let configured: Permissions = id?.isNamed == true ? [] : .anonymous
        let rights =
            connections.first?.client.rights ?? id.map { services.grants.rights(of: $0, configured: configured) }
            ?? Rights(permissions: configured)
        reply.line("client", name)
        reply.line("status", AuthorizationStatus(rights, isDecided: entry?.isDecided == true).rawValue)
        reply.line("permissions", "\(rights.permissions)")
        if let granted = entry?.grants.permissions { reply.line("granted", "\(granted)") }
        if let classes = entry?.grants.classes, !classes.isEmpty { reply.line("classes", "\(classes)") }
        for (zone, kept) in rights.zones.sorted(by: { $0.key < $1.key }) {
            reply.line("allowed", kept == .all ? zone : "\(zone)=\(kept)")
        }
        if let until = entry?.grants.validity.until { reply.line("until", utc(until)) }
        if let songs = rights.songs { reply.line("songs", songs) }
        describe(rights.limits)
        if entry?.password != nil { reply.line("password", true) }
        if let hours = entry?.grants.validity.hours { reply.line("hours", "\(hours)") }
        if let hours = entry?.grants.quietHours { reply.line("quiet-hours", "\(hours)") }
        let known = id.flatMap { services.grants.uses[$0] }.map { [Double($0)] } ?? []
        if let last = (connections.map(\.lastUse) + known).max() { reply.line("used", utc(last.rounded(.down))) }
    }

    private func describe(_ connection: any ClientConnection, _ programs: [Int32: String?]) {
        reply.line("connection", connection.id)
        reply.line("since", utc(connection.connectedAt))
        reply.line("from", connection.principal.isUnix ? "unix" : connection.principal.name)
        if let process = connection.principal.peer?.process {
            reply.line("process", Int(process))
            if let program = programs[process] ?? nil { reply.line("program", program) }
        }
        reply.line("partition", connection.zone.name)
        reply.line("idle", Int((services.common.loop.now - connection.lastHeard).nanoseconds / 1_000_000_000))
    }
}

/// The name of a process's program (proc(5)); blocks.
@Sendable private func programName(of process: Int32) -> String? {
    guard let bytes = try? fileContents("/proc/\(process)/comm", atMost: 64) else { return nil }
    let name = String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
    return name.isEmpty ? nil : name
}

extension WithheldCommands {
    /// Throws unless there are commands of all its names.
    func requireKnown() throws(AckError) {
        for name in names.sorted() where CommandTable.standard[name] == nil {
            throw badParam("there is no command '\(name)'")
        }
    }
}

extension Parameter {
    /// The keys of grants.
    static let grants: [Parameter] = [
        .key("permissions", .commas), .key("classes", .commas), .key("zone", .words), .key("until", .scalar),
        .key("hours"), .key("quiet_hours"), .key("songs", .scalar), .key("volume", .words), .key("speed", .scalar),
        .key("songs_per_hour", .scalar), .key("announcements_per_minute", .scalar), .key("megabytes_per_hour", .scalar),
        .key("order", .oneOf(["fair", "end"])), .key("commands", .commas), .key("library", .oneOf(["all", "none"])),
        .key("folder", .words),
        .key("playlist", .words), .key("filter", .words), .key("item", .words),
    ]
}
