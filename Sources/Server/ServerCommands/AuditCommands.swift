internal import Authorization
internal import CivilTime
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import Songs

/// Changes of rights and refusals, for the server's owner.
let auditCommands: [Row<AccessServices>] = [
    .plain(
        "audit",
        .owner,
        library: .withheld,
        reply: .verbs(["list": .audit, "why": .audit, "doors": .doors]),
        .text("list|why|doors"),
        .rest("[CLIENT]")
    ) { request, verb, words in
        switch (verb, words.count) {
        case ("list", 0...1):
            for entry in request.services.audit.log.entries where words.isEmpty || entry.client == name(words[0]) {
                request.tell(entry)
            }
        case ("why", 0...1):
            if let entry = request.services.audit.log.lastRefusal(of: words.first.map(name)) { request.tell(entry) }
        case ("doors", 0):
            for door in request.services.doors { request.tell(door) }
        default: throw badParam("audit list|why [CLIENT], or audit doors")
        }
    }
    .verbs(
        .verb("list", .optional("client")),
        .verb("why", .optional("client")),
        .verb("doors")
    )
]

/// A client as it is named in the log: `uid 1000` for `uid:1000`.
private func name(_ word: String) -> String { PrincipalID(word)?.description ?? word }

extension Request<AccessServices> {
    fileprivate func tell(_ door: OpenDoor) {
        reply.line("door", door.text)
        reply.line("advice", door.advice)
        reply.line("state", door.isClosed ? "closed" : "open")
        reply.line("reason", door.word)
        for (key, value) in door.values { reply.line(key, value) }
    }

    fileprivate func tell(_ entry: AuditLog.Entry) {
        reply.line("entry", entry.kind.rawValue)
        reply.line("number", entry.number)
        reply.line("time", utc(entry.time))
        reply.line("client", entry.client)
        reply.line("text", entry.text)
        if entry.count > 1 { reply.line("count", entry.count) }
    }
}
