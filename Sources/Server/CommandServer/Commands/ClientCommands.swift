internal import AudioTypes
internal import Authorization
internal import CivilTime
internal import Files
private import Glibc
internal import LineProtocol
internal import NIOCore
internal import ServerBasics
internal import ServerRights
internal import Settings
internal import Songs
internal import Zones

/// The server's users and their rights: for its owner.
let clientCommands: [Command] = [
    Command(
        "clients",
        .owner,
        library: .withheld,
        .text("list|show|set|revoke|password|forget"),
        .rest("[CLIENT [KEY VALUE...]]")
    ) {
        client,
        verb,
        words in
        let id = try words.first.map { word throws(AckError) in try PrincipalID(checking: word) }
        switch (verb, id, words.count) {
        case ("list", nil, 0): return try client.listClients { _ in true }
        case ("show", let id?, 1):
            guard
                client.server.grants.book[id] != nil
                    || client.server.clients.all.contains(where: { $0.identity.id == id })
            else { throw AckError(.doesNotExist, "no such client: \(id)") }
            return try client.listClients { $0 == id }
        case ("set", let id?, 3...): return try client.grant(Array(words.dropFirst()), to: id)
        case ("revoke", let id?, 1): try client.changeGrants(of: id) { $0.grants = .denied }
        case ("password", .named(let name)?, 1...):
            return try client.makePassword(of: name, Array(words.dropFirst()))
        case ("forget", let id?, 1):
            guard client.server.grants.forget(id, by: client.identity.name) else {
                throw AckError(.doesNotExist, "no such client: \(id)")
            }
        default: throw badParam("clients list, or clients show|set|revoke|password|forget CLIENT [KEY VALUE...]")
        }
        return .done
    }
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

extension Client {
    fileprivate func grant(_ words: [String], to id: PrincipalID) throws -> Outcome {
        try checkingLibrary(words) { [unowned self] in
            try set(words, of: id)
            return .done
        }
    }

    private func set(_ words: [String], of id: PrincipalID) throws {
        try changeGrants(of: id) { try apply(words, to: &$0.grants) }
    }

    private func apply(_ words: [String], to grants: inout Grants) throws(AckError) {
        let before = Set(grants.zones.keys)
        do throws(GrantProblem) { try grants.change(words) } catch { throw badParam(error.text) }
        for zone in Set(grants.zones.keys).subtracting(before) { _ = try knownZone(zone) }
    }

    /// Changes what is known of a principal; the server's owner cannot be limited but in the classes of sessions.
    func changeGrants(of id: PrincipalID, _ body: (inout GrantBook.Entry) throws -> Void) throws {
        let isOwner = id == .user(0) || id == .user(geteuid())
        try server.grants.change(id, by: identity.name) { entry in
            try body(&entry)
            guard !isOwner || !entry.isDecided else {
                throw AckError(.badArgument, "\(id) is the server's owner, who is limited by classes only")
            }
        }
    }

    /// Gives a named client another password, and what it may do with that.
    fileprivate func makePassword(of name: ClientName, _ words: [String]) throws -> Outcome {
        try checkingLibrary(words) { [unowned self] in
            var grants = Grants()
            try apply(words, to: &grants)
            return try makePassword(of: name, granting: words)
        }
    }

    private func makePassword(of name: ClientName, granting words: [String]) throws(AckError) -> Outcome {
        let password = ClientPassword.random(for: name)
        return try server.jobs.perform(for: self, on: .passwords) {
            PasswordHash(hashing: password.secret)
        } then: { [unowned self] hash in
            guard let hash else { throw AckError(.system, "no memory to hash a password") }
            try server.grants.setPassword(of: name, to: hash, by: identity.name) { try apply(words, to: &$0) }
            reply.line("password", password.text)
            return .done
        }
    }

    /// Lists principals with their grants and connections.
    fileprivate func listClients(_ isMeant: (PrincipalID?) -> Bool) throws(AckError) -> Outcome {
        let connections = server.clients.all.filter { isMeant($0.identity.id) }.sorted { $0.id < $1.id }
        var groups = Dictionary(grouping: connections) { $0.identity.name }
        for id in server.grants.book.ids where isMeant(id) && groups[id.description] == nil {
            groups[id.description] = []
        }
        let processes = Set(connections.compactMap { $0.principal.peer?.process })
        return try server.jobs.perform(for: self, on: .files("/proc/")) {
            Dictionary(uniqueKeysWithValues: processes.map { ($0, programName(of: $0)) })
        } then: { [unowned self] programs in
            for (name, connections) in groups.sorted(by: { $0.key < $1.key }) {
                describe(name, connections)
                for one in connections where !one.isClosing { describe(one, programs) }
            }
            return .done
        }
    }

    private func describe(_ name: String, _ connections: [Client]) {
        let entry = PrincipalID(name).flatMap { server.grants.book[$0] }
        // Without grants, the permissions of a named client depend on the address that it connects from.
        let configured: Permissions = PrincipalID(name)?.isNamed == true ? [] : .anonymous
        let rights =
            connections.first?.rights
            ?? (entry?.grants ?? Grants()).rights(configured: configured, at: server.clock.moment)
        reply.line("client", name)
        reply.line("status", AuthorizationStatus(rights, isDecided: entry?.isDecided == true).rawValue)
        reply.line("permissions", "\(rights.permissions)")
        if let classes = entry?.grants.classes, !classes.isEmpty { reply.line("classes", "\(classes)") }
        for (zone, kept) in rights.zones.sorted(by: { $0.key < $1.key }) {
            reply.line("allowed", kept == .all ? zone : "\(zone)=\(kept)")
        }
        if let until = entry?.grants.until { reply.line("until", utc(until)) }
        if let songs = rights.songs { reply.line("songs", songs) }
        describe(rights.limits)
        if entry?.password != nil { reply.line("password", true) }
        if let hours = entry?.grants.hours { reply.line("hours", "\(hours)") }
        let known = PrincipalID(name).flatMap { server.grants.uses[$0] }.map { [Double($0)] } ?? []
        if let last = (connections.map(\.lastUse) + known).max() { reply.line("used", utc(last.rounded(.down))) }
    }

    private func describe(_ client: Client, _ programs: [Int32: String?]) {
        reply.line("connection", client.id)
        reply.line("since", utc(client.connectedAt))
        reply.line("from", client.principal.isUnix ? "unix" : client.principal.name)
        if let process = client.principal.peer?.process {
            reply.line("process", Int(process))
            if let program = programs[process] ?? nil { reply.line("program", program) }
        }
        reply.line("partition", client.zone.name)
        reply.line("idle", Int((server.loop.now - client.lastHeard).nanoseconds / 1_000_000_000))
    }
}

/// The name of a process's program (proc(5)); blocks.
@Sendable private func programName(of process: Int32) -> String? {
    guard let bytes = try? fileContents("/proc/\(process)/comm", atMost: 64) else { return nil }
    let name = String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
    return name.isEmpty ? nil : name
}
