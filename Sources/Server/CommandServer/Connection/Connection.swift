internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import NIOCore
internal import NIOWebSocket
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import Songs
internal import Zones

/// A client's connection: has the requests of its dialogue carried out, and sends the replies.
///
/// It begins in MPD's line protocol, which the command `json` changes to JSON; clients who come by HTTP speak JSON at once, in
/// requests or in a WebSocket.
///
/// Belongs to the server's event loop, where all of its requests are carried out one after another. A reply that is long
/// or that waits for a disk holds up this client's later requests, and no other client's.
final class Connection: ClientConnection, Guest {
    let client: Client
    let context: RequestContext
    let channel: any Channel

    let owner: ConnectionOwner
    let writer: ReplyWriter
    /// The side of it that speaks HTTP; `nil` for a connection that began in lines.
    let web: WebSide?
    private var dialogue: Language
    /// Bytes of requests that are not carried out yet, as far as the registry knows of them.
    private(set) var requestBytes = 0
    /// The rest of the running command's reply.
    private var rest: ReplyRest?
    private var changes = PendingChanges()
    private var isSuspended = false
    /// Whether the command that is being carried out has changed rights, so that its reply waits for the disk.
    private var mustStoreRights = false
    /// Whether the client is sent values whenever they change.
    private var isWatching = false
    /// Whether the zone's player has too much to do before the next command is carried out.
    private var waitsForPlayer = false
    private var isHeld = false
    private var isPumping = false
    /// Whether the client will ask nothing more.
    private var inputHasEnded = false
    private(set) var hasSaidAll = false
    private(set) var isClosing = false
    private(set) var lastHeard: NIODeadline
    let connectedAt: Double
    /// When the client connected, or last asked something.
    private var lastAsked: NIODeadline

    /// - Parameter web: The side of it that speaks HTTP; `nil` for a connection that begins in lines.
    init(_ client: Client, _ channel: any Channel, _ owner: ConnectionOwner, web: WebSide? = nil) {
        self.client = client
        context = RequestContext(client)
        self.channel = channel
        self.owner = owner
        self.web = web
        let isEncrypted = client.principal.listener.address.isEncrypted
        writer = ReplyWriter(channel, isEncrypted: isEncrypted, web == nil ? .lines : .http(nil))
        dialogue = web == nil ? .lines(LineDialogue()) : .json(JSONDialogue(client, owner, answersAll: true))
        lastAsked = owner.common.loop.now
        (lastHeard, connectedAt) = (owner.common.loop.now, owner.common.clock.now)
        context.connection = self
        if web != nil { reply.longestValue = .max }
    }

    var comesByHTTP: Bool { web != nil }

    /// When the client connected, or last asked something, in seconds since 1970.
    var lastUse: Double {
        let common = owner.common
        return common.clock.now - Double((common.loop.now - lastAsked).nanoseconds) / 1e9
    }

    private var limits: Limits { owner.common.configuration.value.limits }

    var reply: Reply {
        get { context.reply }
        _modify { yield &context.reply }
    }

    // MARK: What comes in

    /// Receives bytes as they come.
    func receive(_ bytes: ByteBuffer) {
        guard !isClosing else { return }
        wasHeard()
        lastAsked = lastHeard
        owner.delegate.wasUsed()
        dialogue.current.append(bytes)
        pump()
    }

    /// Carries out what is there to be carried out, as far as the client reads the replies.
    func pump() {
        // A write that the socket takes at once says from within that there is room again.
        guard !isClosing, !isPumping else { return }
        takeTurns()
        if isWatching, !isClosing { owner.delegate.watchHub.hasRoom(id) }
    }

    private func takeTurns() {
        isPumping = true
        defer { isPumping = false }
        swap(&reply.bytes, &owner.spareBytes)
        let stopsEarly = takeTurn()
        flush()
        if reply.bytes.capacity <= Self.mostSpareBytes { swap(&reply.bytes, &owner.spareBytes) }
        reply.bytes = []
        account()
        if isClosing { return finish() }
        if stopsEarly, channel.isWritable { owner.connections.pumpLater(id) }
        hold(isSuspended && !readsOn || waitsForPlayer || stopsEarly)
        if inputHasEnded, !isHeld { finish() }
    }

    /// Whether a WebSocket is read while its request waits, so that its end and its pings are noticed: up to its next message,
    /// which waits as well.
    private var readsOn: Bool {
        guard case .socket? = web?.stay, case .json(let dialogue) = dialogue else { return false }
        return dialogue.waitingBytes == 0
    }

    /// Takes steps until there are none, or it is others' turn, or the client has to read first.
    ///
    /// - Returns: Whether there may be more of them.
    private func takeTurn() -> Bool {
        // It goes on when there is room.
        guard channel.isWritable else { return true }
        var produced = 0
        let loop = owner.common.loop
        let end = loop.now + Self.turnTime
        for number in 1...Self.turnSteps {
            guard step() else { return false }
            if reply.bytes.count >= pieceSize {
                produced += reply.bytes.count
                flush()
                if isClosing || !channel.isWritable || produced >= Self.turnSize || loop.now >= end { return true }
            } else if number.isMultiple(of: dialogue.stepsPerLook), loop.now >= end {
                return true
            }
        }
        return true
    }

    /// Bytes that are written at once, and in one turn of the loop before others have theirs.
    private var pieceSize: Int { min(dialogue.pieceSize, max(1_024, limits.maxOutputBufferBytes / 4)) }
    private static let turnSize = 256 * 1024
    /// The same in time, for replies that take long to make.
    private static let turnTime = TimeAmount.milliseconds(2)
    /// A longer buffer is given back.
    private static let mostSpareBytes = 128 * 1024
    /// Steps, commands for the most part, of one turn.
    private static let turnSteps = 1_000

    /// The client has closed its side: what it asked for before is still answered.
    func endInput() {
        inputHasEnded = true
        saidAll()
        pump()
    }

    /// The client will ask nothing more, which may be because it is gone: so it asks nothing of the owner, either.
    func saidAll() {
        hasSaidAll = true
        owner.delegate.inputEnded(of: client)
    }

    /// Takes the next small step; says whether there was one.
    private func step() -> Bool {
        if isSuspended || isClosing { return false }
        if rest != nil {
            if rest?.source.fill(&reply, upTo: pieceSize) == true { sourceEnded() }
            return true
        }
        if dialogue.hasRequest {
            if mustWaitForPlayer() { return false }
            runRequest()
            return true
        }
        let limits = RequestLimits(limits, mayDoNothing: client.permissions.isEmpty)
        guard let event = dialogue.read(limits, isIdle: changes.isIdle, &reply) else { return false }
        switch event {
        case .request, .read: break
        // One that comes too late finds nothing to cancel, and gets no reply.
        case .noIdle: if changes.cancel() { tell([]) }
        case .noRequest: isClosing = true
        case .exceeded(let what, let limit): end(what, exceeding: limit)
        }
        return true
    }

    /// Whether the zone's player has as many orders as may wait; then the client goes on when there is room.
    ///
    /// A client that asks faster than the player can follow fills its own buffers then, not the server's memory.
    private func mustWaitForPlayer() -> Bool {
        if waitsForPlayer { return true }
        guard client.zone.isBusy else { return false }
        waitsForPlayer = true
        client.zone.whenNotBusy(owner.connections.resumption(of: id))
        return true
    }

    func playerHasRoom() {
        waitsForPlayer = false
        wasHeard()
        pump()
    }

    /// Ends the connection because something is longer than a limit, which the client and the log are told.
    private func end(_ what: String, exceeding limit: RequestLimits.Limit) {
        let text = "\(what) too long: more than limits.\(limit.name) = \(limit.value)"
        dialogue.current.refuse(AckError(.badArgument, text), &reply)
        owner.connections.logDisconnection(of: self, for: limit.name)
        isClosing = true
    }

    /// Tells the server how much memory the client's requests take.
    private func account() {
        let bytes = dialogue.current.size
        guard bytes != requestBytes else { return }
        owner.connections.requestBytesChanged(by: bytes - requestBytes)
        requestBytes = bytes
    }

    // MARK: Carrying out

    private func runRequest() {
        guard let request = dialogue.request else { return }
        do {
            switch request {
            case .failure(let line):
                fail(line.error)
                isClosing = line.isNoRequest
            case .success(let request):
                if owner.table[request.command] != nil { owner.commandCounts.began(request.command) }
                carryOut(try owner.delegate.run(request, for: self))
            }
        } catch {
            fail(error)
        }
    }

    private func carryOut(_ outcome: Outcome) {
        if owner.delegate.takeRightsChange() { mustStoreRights = true }
        switch outcome {
        case .done where mustStoreRights:
            mustStoreRights = false
            carryOut(owner.delegate.storeRights(for: self))
        case .done: commandEnded()
        case .stream(let source): rest = ReplyRest(source: source)
        case .streamThen(let source, let sequel): rest = ReplyRest(source: source, sequel: sequel)
        case .suspended: isSuspended = true
        case .close:
            dialogue.current.requestCloses(&reply)
            isClosing = true
        case .json: speakJSON()
        case .watch(let request): watch(request)
        case .unwatch:
            isWatching = false
            owner.delegate.watchHub.end(of: id)
            commandEnded()
        case .idle(let subsystems):
            dialogue.current.requestWaits()
            if let told = changes.wait(for: subsystems) { tell(told) }
        }
    }

    private func sourceEnded() {
        guard let sequel = rest.take()?.sequel else { return commandEnded() }
        do { carryOut(try sequel()) } catch { fail(error) }
    }

    /// The first arguments of the commands right behind the one that is being carried out, while these are of some kinds.
    func upcoming(_ commands: Set<String>) -> [String] { dialogue.current.upcoming(commands) }

    private func commandEnded() {
        guard dialogue.hasRequest else { return }
        dialogue.requestEnded(&reply)
        if !context.resolved.isEmpty, !dialogue.hasRequest { context.resolved = [:] }
    }

    private func fail(_ error: any Error) {
        guard let request = dialogue.request else { return }
        _ = owner.delegate.takeRightsChange()
        mustStoreRights = false
        var name = ""
        if case .success(let request) = request, owner.table[request.command] != nil {
            name = request.command
            owner.commandCounts.failed(name)
        }
        context.resolved = [:]
        rest = nil
        let told = ackError(for: error)
        if told.isRefusal { owner.delegate.refused(client, told) }
        let isLast = context.endsAfterReply
        if !dialogue.current.requestFailed(told, name, isLast: isLast, &reply) || isLast { isClosing = true }
    }

    /// Whether it has left MPD's line protocol.
    var speaksJSON: Bool { if case .json = dialogue { true } else { false } }

    /// Goes on in JSON, with what the client has sent behind the request.
    private func speakJSON() {
        guard !dialogue.current.isInList else {
            return fail(AckError(.badArgument, "json cannot be in a command list"))
        }
        commandEnded()
        dialogue = .json(JSONDialogue(client, owner, after: dialogue.current.takeInput()))
        client.binaryLimit = binaryLimitOfJSON
        reply.longestValue = .max
    }

    /// For pictures in base64, in one piece if possible.
    private var binaryLimitOfJSON: Int { max(64, (limits.maxOutputBufferBytes - 4_096) / 4 * 3) }

    // MARK: HTTP

    /// Lets the client be who it is in a request by HTTP, and in what follows in a WebSocket.
    ///
    /// - Parameter zone: `nil` for the first one where it may do something.
    func become(_ identity: ClientIdentity, in zone: Zone?) {
        client.begin(identity, in: zone ?? web?.zone ?? client.zone, tags: owner.common.configuration.value.tags)
        if zone == nil { client.enterPermittedZone(in: owner.common.rooms) }
        client.binaryLimit = binaryLimitOfJSON
    }

    /// Carries out a message that came by HTTP.
    func receive(_ message: ByteBuffer, answeredBy response: any WebAnswer) {
        writer.begin(response)
        receive(message)
    }

    /// Carries out a request that came by HTTP, and gives the response its lines.
    func carryOut(_ request: RequestLine, answeredBy response: any WebAnswer) {
        writer.begin(response)
        dialogue = .lines(LineDialogue(request))
        receive(ByteBuffer())
    }

    /// Forgets all that belongs to a connection: the next request by HTTP is another one's.
    func exchangeEnded() {
        isWatching = false
        if case .lines = dialogue { dialogue = .json(JSONDialogue(client, owner, answersAll: true)) }
        owner.delegate.exchangeEnded(of: self)
        if let web { become(web.identity, in: nil) }
    }

    /// Goes on in a WebSocket.
    ///
    /// - Parameter head: The response that says so.
    func speakWebSocket(_ head: [UInt8]) {
        writer.send(head)
        writer.speakWebSocket()
        web?.stay = .socket
        dialogue = .json(JSONDialogue(client, owner))
        wasHeard()
        owner.delegate.webPings.watch()
    }

    func endWebSocket(_ code: WebSocketErrorCode) {
        guard !isClosing else { return }
        isClosing = true
        writer.finish(code)
    }

    // MARK: Watching

    private func watch(_ request: WatchRequest) {
        guard case .json(let dialogue) = dialogue else {
            return fail(AckError(.badArgument, "watch is for connections in JSON: 'json' comes first"))
        }
        isWatching = true
        dialogue.requestEnded(with: owner.delegate.watchHub.begin(request, for: self), &reply)
    }

    /// Whether a value that has changed can be told at once.
    var canBeTold: Bool {
        guard case .json(let dialogue) = dialogue, !isClosing, !isPumping, rest == nil else { return false }
        return dialogue.isBetweenLines && channel.isWritable
    }

    /// Sends a notification, where it can be told.
    func send(_ notification: [UInt8]) {
        writer.write(notification)
        sent(notification.count)
    }

    /// Counts what the client is sent, where it is sent only so much.
    func sent(_ bytes: Int) {
        if client.grants.limitsBytes { client.grants.sent(bytes, to: client.identity) }
    }

    // MARK: Ends

    /// Ends the command that is being carried out, if it is not permitted any more: one that waits is refused, and where a
    /// part of a long reply was sent, the connection ends.
    func refuseWhatRuns() {
        guard !isPumping, !isClosing, case .success(let request)? = dialogue.request,
            let command = owner.table[request.command]
        else { return }
        do throws(AckError) {
            try client.require(command, with: request.arguments, client.rights, in: owner.common.rooms)
        } catch {
            endRunning(error)
        }
    }

    /// Ends the command that is being carried out within another part of the library than the client sees now.
    func endLibraryReply() {
        guard !isPumping, !isClosing, client.visible != nil || client.rights.limits.library != nil else { return }
        // A command that tells of no songs goes on, such as the wait for an owner who has just extended the library.
        if case .success(let request)? = dialogue.request,
            owner.table[request.command]?.library.need(request.arguments) == LibraryNeed.none
        {
            return
        }
        endRunning(AckError(.permission, "the part of the library that you see has changed"))
    }

    private func endRunning(_ error: AckError) {
        if rest != nil { return close() }
        guard isSuspended, owner.common.jobs.drop(of: self) else { return }
        isSuspended = false
        fail(error)
        flush()
        reply.bytes = []
        owner.connections.pumpLater(id)
    }

    /// Goes on after a command that took its time.
    func resume(_ body: () throws -> Outcome) {
        guard isSuspended, !isClosing else { return }
        isSuspended = false
        isPumping = true
        swap(&reply.bytes, &owner.spareBytes)
        do {
            carryOut(try body())
        } catch {
            fail(error)
        }
        flush()
        swap(&reply.bytes, &owner.spareBytes)
        isPumping = false
        if isClosing { return finish() }
        pump()
    }

    // MARK: What goes out

    func greet() { writer.write(Array("OK MPD 0.24.0\n".utf8)) }

    private func flush() {
        dialogue.current.willSend(&reply)
        guard !reply.bytes.isEmpty else { return }
        writer.write(reply.bytes)
        sent(reply.bytes.count)
        reply.bytes.removeAll(keepingCapacity: true)
        let limit = limits.maxOutputBufferBytes
        guard writer.waitingBytes > limit, !isClosing else { return }
        owner.connections.logDisconnection(of: self, for: "max-output-buffer-size")
        isClosing = true
        let channel = channel
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Stops or goes on reading from the socket, so that a client that asks faster than it reads fills its own memory.
    private func hold(_ isHeld: Bool) {
        guard isHeld != self.isHeld else { return }
        self.isHeld = isHeld
        channel.setOption(.autoRead, value: !isHeld).whenFailure { _ in }
    }

    /// The socket is gone; what is still being done for the client is done in vain.
    func disconnected() {
        isClosing = true
        if case .stream(let stream)? = web?.stay { stream.leave() }
        rest = nil
        dialogue.current.removeAll()
        account()
    }

    func close() {
        isClosing = true
        channel.close(promise: nil)
    }

    /// Ends the connection once the client has all that was written to it.
    private func finish() {
        isClosing = true
        writer.finish()
    }

    // MARK: Silence

    /// Whether the connection timeout applies: not in `idle`, to a client with rights that watches
    /// or has a WebSocket, or while the client waits for work or for a player.
    var timesOut: Bool {
        let mayStay = isWatching || web?.stay != nil
        return !changes.isIdle && !isSuspended && !waitsForPlayer && (!mayStay || client.permissions.isEmpty)
    }

    /// Whether the client waits for changes.
    var isIdle: Bool { changes.isIdle }

    func wasHeard() {
        lastHeard = owner.common.loop.now
        owner.connections.watchSilence(of: self)
    }

    /// There is room again for more of a reply.
    func becameWritable() {
        wasHeard()
        pump()
    }

    // MARK: Changes

    /// Records changes, and tells them at once when the client waits for them.
    func notify(_ changes: Subsystems) {
        if changes.contains(.message) { owner.delegate.watchHub.messageCame(for: id) }
        guard let told = self.changes.add(changes) else { return }
        tell(told)
        flush()
        reply.bytes = []
    }

    private func tell(_ changes: Subsystems) {
        for (subsystem, name) in Subsystems.names where changes.contains(subsystem) { reply.line("changed", name) }
        wasHeard()
        reply.ok()
    }

    // MARK: Rights

    func accessChanged() -> Bool {
        let before = client.identity.lastRights
        let rights = client.rights
        guard rights != before else { return false }
        let isLibraryChanged = rights.limits.library != before?.limits.library
        // The reply under way was chosen from another part of the library.
        if isLibraryChanged { endLibraryReply() }
        notify(isLibraryChanged ? [.permission, .database, .storedPlaylist] : .permission)
        owner.delegate.watchHub.viewChanged(of: id)
        return true
    }

    func endWhatIsNotPermitted() {
        refuseWhatRuns()
        checkStream()
        owner.delegate.endWhatIsNotPermitted(of: client)
    }
}

/// The rest of a command's reply.
private struct ReplyRest {
    var source: any ReplySource
    /// How the reply goes on behind the source.
    var sequel: (() throws -> Outcome)?
}
