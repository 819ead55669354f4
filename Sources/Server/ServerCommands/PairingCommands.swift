internal import AudioTypes
internal import Authorization
internal import CivilTime
internal import Cryptography
internal import HTTP
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerNetwork
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Settings
internal import TextEncodings

/// How clients become known to the server's owner: what they say, and what the owner answers.
let pairingCommands: [Row<AccessServices>] = [
    Row(
        "pair",
        nil,
        library: .nothing,
        reply: .records(.pairing),
        .text("request|wait|status|nonce|prove|token|invitation|preview"),
        .rest("[NAME] [SECRET]")
    ) {
        request,
        verb,
        words in
        switch (verb, words.count) {
        case ("request", 1): try request.askToPair(words[0])
        case ("wait", 0): return try request.waitForPairing()
        case ("status", 0): request.tellPairing()
        case ("nonce", 0):
            request.reply.line("nonce", request.services.pairing.makeChallenge(for: request.client.id).hexadecimal)
        case ("prove", 2): return try request.logIn(words[0], proof: words[1])
        case ("token", 2): return try request.logIn(words[0], token: words[1])
        case ("invitation", 1): return try request.redeem(words[0])
        case ("preview", 1): return try request.preview(words[0])
        default:
            throw badParam(
                "pair request NAME, pair wait|status|nonce, pair prove|token NAME SECRET, or pair invitation|preview SECRET"
            )
        }
        return .done
    }
    .verbs(
        .verb("request", Parameter("name")),
        .verb("wait"),
        .verb("status"),
        .verb("nonce"),
        .verb("prove", Parameter("name"), Parameter("proof")),
        .verb("token", Parameter("name"), Parameter("token")),
        .verb("invitation", Parameter("invitation")),
        .verb("preview", Parameter("invitation"))
    ),
    Row(
        "pairing",
        .owner,
        library: .withheld,
        reply: .verbs(["list": .pairingRequests, "invite": .invitation]),
        .text("list|allow|deny|reset|invite"),
        .rest("[NAME [KEY VALUE...]]")
    ) {
        request,
        verb,
        words in
        switch (verb, words.count) {
        case ("list", 0): request.listPairing()
        case ("allow", 1...): try request.allowPairing(try clientName(words[0]), Array(words.dropFirst()))
        case ("deny", 1): try request.denyPairing(try clientName(words[0]))
        case ("reset", 1):
            guard let id = PrincipalID(words[0]), request.services.grants.askAgain(id, by: request.client.identity.name)
            else {
                throw AckError(.doesNotExist, "\(words[0]) was not denied")
            }
        case ("invite", 1...): return try request.invite(try clientName(words[0]), Array(words.dropFirst()))
        default: throw badParam("pairing list, or pairing allow|deny|reset|invite NAME [KEY VALUE...]")
        }
        return .done
    }
    .verbs(
        .verb("list"),
        RequestForm("allow", [Parameter("name"), .key("code")] + Parameter.grants),
        .verb("deny", Parameter("name")),
        .verb("reset", Parameter("client")),
        RequestForm("invite", [Parameter("name"), .key("page")] + Parameter.grants)
    ),
]

private func clientName(_ word: String) throws(AckError) -> ClientName {
    guard let name = ClientName(word) else {
        throw badParam("'\(word)' is not a client's name: 1 to 64 letters, digits, '-', '_' and '.'")
    }
    return name
}

// MARK: What a client says

extension Request<AccessServices> {
    /// Tokens travel only where others cannot read them.
    private func requireSecrecy() throws(AckError) {
        guard client.principal.isUnix || client.principal.listener.address.isEncrypted else {
            throw AckError(.permission, "pairing takes an encrypted connection (tls://) or a Unix socket")
        }
    }

    /// Invitations travel there as well, and by HTTP, where a browser has no other way.
    private func requireSecrecyOrHTTP() throws(AckError) { if !connection.comesByHTTP { try requireSecrecy() } }

    fileprivate func askToPair(_ word: String) throws(AckError) {
        try requireSecrecyOrHTTP()
        let name = try clientName(word)
        if let id = client.identity.id, services.grants.tokens.isDenied(id) {
            throw AckError(
                .permission,
                "the server's owner does not want this client; only 'segue clients reset \(id)' there changes that"
            )
        }
        // Classes of sessions may be granted to a name that no client has yet.
        let isNamed = services.grants.store[.named(name)].map { $0.isDecided || $0.password != nil } ?? false
        let isKnown = isNamed || services.grants.tokens[name] != nil
        let asker = PairingService.Asker(
            connection: client.id,
            place: client.place,
            id: client.identity.id,
            who: client.principal.name,
            takesInvitation: connection.comesByHTTP
        )
        let request = try services.pairing.ask(name, asker, isKnown: isKnown)
        reply.line("code", request.code)
        reply.line("expires", Int(saturating: PairingRequests.patience))
    }

    fileprivate func waitForPairing() throws(AckError) -> Outcome {
        if let answer = services.pairing.takeAnswer(of: client.id) { return try adopt(answer) }
        guard services.pairing.isAsking(client.id) else {
            throw AckError(.doesNotExist, "this connection has not asked to be known")
        }
        return wait {
            try adopt(services.pairing.takeAnswer(of: client.id) ?? .expired)
        } until: { wake in
            services.pairing.wait(client.id, wake)
        }
    }

    private func adopt(_ answer: PairingService.Answer) throws(AckError) -> Outcome {
        switch answer {
        case .allowed(let name, let token):
            adopt(name, token.digest)
            reply.line("name", name.text)
            reply.line("token", token.text)
            reply.line("state", services.grants.status(of: client.identity).rawValue)
        case .invited(let name, let secret):
            reply.line("name", name.text)
            reply.line("invitation", secret)
        case .denied: reply.line("state", AuthorizationStatus.denied.rawValue)
        case .expired: reply.line("state", AuthorizationStatus.notDetermined.rawValue)
        }
        return .done
    }

    private func adopt(_ name: ClientName, _ token: Digest) {
        client.identity.logIn(as: Login(name: name, proof: .token(token)))
        client.enterPermittedZone(in: rooms)
    }

    fileprivate func tellPairing() {
        let isDenied = client.identity.id.map(services.grants.tokens.isDenied) ?? false
        let status = isDenied ? AuthorizationStatus.denied : services.grants.status(of: client.identity)
        reply.line("client", client.identity.name)
        reply.line("state", status.rawValue)
        switch client.identity.login?.proof {
        case .password: reply.line("proof", "password")
        case .token: reply.line("proof", "token")
        case .certificate: reply.line("proof", "certificate")
        case nil: break
        }
    }

    fileprivate func logIn(_ word: String, token text: String) throws -> Outcome {
        try requireSecrecy()
        let (name, token) = (try clientName(word), ClientToken(text))
        return try throttled { () throws(AckError) in
            guard let token, token.digest == services.grants.tokens[name] else { try refuseWrong() }
            services.passwords.succeed(client.place)
            adopt(name, token.digest)
            return .done
        }
    }

    fileprivate func logIn(_ word: String, proof text: String) throws -> Outcome {
        let (name, proof) = (try clientName(word), [UInt8](hexadecimal: text))
        guard let challenge = services.pairing.takeChallenge(of: client.id) else {
            throw AckError(.badArgument, "a proof is about the connection's last nonce, which counts once")
        }
        return try throttled { () throws(AckError) in
            guard let proof, let digest = services.grants.tokens[name],
                digest.isProved(by: proof, of: challenge + Array(name.text.utf8))
            else { try refuseWrong() }
            services.passwords.succeed(client.place)
            adopt(name, digest)
            return .done
        }
    }

    fileprivate func redeem(_ secret: String) throws -> Outcome {
        try requireSecrecy()
        guard let (name, token) = try services.redeem(secret) else { return try refuse(invitation: secret) }
        return try adopt(.allowed(name, token))
    }

    /// Refuses a secret that is not that of an invitation, delayed like a wrong password.
    ///
    /// One that is right, or was, is answered without delay: 128 bits cannot be guessed.
    private func refuse(invitation secret: String) throws -> Outcome {
        let text = "the invitation was used already, or is over; ask for another one"
        if services.pairing.hasEnded(invitation: secret) { throw AckError(.wrongPassword, text) }
        return try throttled { () throws(AckError) in try refuseWrong(text) }
    }

    /// Tells what an invitation grants, and leaves it as it is.
    fileprivate func preview(_ secret: String) throws -> Outcome {
        try requireSecrecyOrHTTP()
        guard let (name, seconds) = services.pairing.invitation(secret) else {
            return try refuse(invitation: secret)
        }
        reply.line("name", name.text)
        reply.line("expires", Int(saturating: seconds))
        let grants = services.grants.store[.named(name)]?.grants ?? Grants()
        reply.line("permissions", "\(grants.permissions ?? .anonymous)")
        for zone in grants.zones.keys.sorted() { reply.line("allowed", zone) }
        if let until = grants.validity.until { reply.line("until", utc(until)) }
        if let hours = grants.validity.hours { reply.line("hours", "\(hours)") }
        if let hours = grants.quietHours { reply.line("quiet-hours", "\(hours)") }
        if let songs = grants.songs { reply.line("songs", songs) }
        if let songs = grants.limits.hourlySongs { reply.line("songs-per-hour", songs) }
        if let megabytes = grants.limits.hourlyMegabytes { reply.line("megabytes-per-hour", megabytes) }
        if !grants.limits.withheld.isEmpty { reply.line("commands", "\(grants.limits.withheld)") }
        for (zone, percent) in grants.limits.volumes.sorted(by: { $0.key < $1.key }) {
            reply.line("volume", zone.isEmpty ? "\(percent)" : "\(zone)=\(percent)")
        }
        return .done
    }
}

// MARK: What the owner says

extension Request<AccessServices> {
    fileprivate func listPairing() {
        let now = hostTime
        for request in services.pairing.requests.all where request.ends > now {
            reply.line("request", request.name.text)
            reply.line("code", request.code)
            reply.line("from", request.who)
            reply.line("expires", Int(saturating: request.ends - now))
        }
    }

    /// Lets a client have its name, and what it is granted with it.
    fileprivate func allowPairing(_ name: ClientName, _ words: [String]) throws {
        let (code, grants) = try Self.split(words, "code")
        try services.grants.requireRoomForToken()
        _ = try Grants(checking: grants, of: rooms)
        let request = try services.pairing.take(name, code: code)
        try setGrants(of: name, grants)
        try services.pairing.allow(request) {
            let token = ClientToken()
            try services.grants.setToken(of: name, to: token.digest, by: client.identity.name)
            return token
        }
    }

    fileprivate func denyPairing(_ name: ClientName) throws {
        try services.grants.requireRoomForToken()
        let request = try services.pairing.take(name, code: nil)
        // The owner's own user is asked about again.
        if let id = request.id, !id.isServerOwner { services.grants.deny(id, by: client.identity.name) }
        services.pairing.answer(request, .denied)
    }

    fileprivate func invite(_ name: ClientName, _ words: [String]) throws -> Outcome {
        let (word, grants) = try Self.split(words, "page")
        try services.grants.requireRoomForToken()
        _ = try Grants(checking: grants, of: rooms)
        let page = try pageAddress(word)
        try setGrants(of: name, grants)
        let secret = try services.pairing.invite(name)
        reply.line("name", name.text)
        reply.line("invitation", secret)
        reply.line("expires", Int(saturating: Invitations.patience))
        if let pin = services.encryption.identity?.pin { reply.line("pin", pin.description) }
        for listener in configuration.listeners {
            guard let (host, port) = listener.address.network else { continue }
            reply.line(listener.address.isEncrypted ? "tlsport" : "port", Int(port))
            if let host { reply.line("host", host) }
        }
        reply.line("hostname", hostName())
        guard let link = page?.link(to: secret) else { return .done }
        reply.line("page", link)
        return try perform(on: .codes) {
            QRCode(link)
        } then: { code in
            for row in code?.rows ?? [] { reply.line("qr", row) }
            return .done
        }
    }

    /// The page's address for a client that is invited: the owner's word, or one by which others reach it.
    private func pageAddress(_ word: String?) throws(AckError) -> PageAddress? {
        if let word {
            guard let address = PageAddress(word) else {
                throw badParam("'\(word)' is not the address of a page, such as http://music.lan:6680/")
            }
            return address
        }
        let machine =
            if case .network(_, let server?) = client.principal.origin, !server.isLoopback { "\(server)" } else {
                addressTowardsNetwork().map { "\($0)" } ?? hostName()
            }
        return PageAddress(
            configuration.web,
            machine: machine,
            hasCertificate: configuration.tls.certificate != nil
        )
    }

    /// A client that the owner lets in without a word about its permissions has those that unmodified clients use.
    private func setGrants(of name: ClientName, _ words: [String]) throws {
        try services.grants.change(.named(name), by: client.identity.name) { entry in
            do throws(GrantProblem) { try entry.grants.change(words) } catch { throw badParam(error.text) }
            let isStated = keysAndValues(words[...]).contains { $0.key == "permissions" }
            if !isStated { entry.grants.permissions = entry.grants.permissions ?? .anonymous }
        }
    }

    /// Takes a key and its value from the front of words.
    private static func split(
        _ words: [String],
        _ key: String
    ) throws(AckError) -> (value: String?, grants: [String]) {
        guard words.first == key else { return (nil, words) }
        guard words.count >= 2 else { throw badParam("\(key) needs a value") }
        return (words[1], Array(words.dropFirst(2)))
    }
}

extension Grants {
    /// Reads words, and looks whether the zones are there.
    fileprivate init(checking words: [String], of rooms: Rooms) throws {
        self.init()
        do throws(GrantProblem) { try change(words) } catch { throw badParam(error.text) }
        for zone in namedZones { _ = try rooms.known(zone) }
        try limits.withheld.requireKnown()
    }
}
