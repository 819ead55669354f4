internal import Configuration
private import Glibc
internal import LineProtocol
internal import NIOCore
internal import Songs
internal import Zones

/// A client of the server: what it may do, what it asked for, and how far that is carried out.
///
/// Belongs to the server's event loop, where all of its requests are carried out one after another. A reply that is long
/// or that waits for a disk holds up this client's later requests, and nobody else's.
final class Client {
    let id: Int
    let server: ServerState
    let channel: any Channel
    let peer: Peer
    let origin: ClientOrigin
    var zone: Zone
    var permissions: Permissions
    var tags: TagMask
    /// Whether `lsinfo` leaves stored playlists out of the root.
    var hidesPlaylistsInRoot = false
    /// The largest binary chunk in bytes.
    var binaryLimit = 8_192
    var channels: Set<String> = []
    var messages: [(channel: String, text: String)] = []
    var reply = Reply()
    /// Songs that were found for commands that are about to be carried out.
    var resolved: [ExactText: Result<[Song], any Error>] = [:]

    private let writer: ReplyWriter
    private var input = ByteBuffer()
    private var collected: CommandList?
    private var running: CommandList?
    private var source: (any ReplySource)?
    /// How the reply goes on behind the source.
    private var sequel: (() throws -> Outcome)?
    private var isSuspended = false
    private var isHeld = false
    private var isPumping = false
    /// Whether the client will ask nothing more.
    private var inputHasEnded = false
    private(set) var isClosing = false
    /// When the client last asked something, or took some of a long reply.
    private(set) var lastHeard = NIODeadline.now()
    /// Changes that were not told yet.
    private var pending: Subsystems = []
    private(set) var idle: Subsystems?

    /// Commands that are carried out one after another, up to the first that fails.
    private struct CommandList {
        var requests: [Request] = []
        var next = 0
        /// In bytes, as they came.
        var size = 0
        let tellsEach: Bool
        let isList: Bool

        var nextRequest: Request? { next < requests.count ? requests[next] : nil }
    }

    /// A line taken apart, or why it could not be.
    private typealias Request = Result<RequestLine, BadLine>

    private struct BadLine: Error {
        let error: AckError
        /// Whether it does not even begin with a word.
        let isNoRequest: Bool
    }

    init(id: Int, server: ServerState, channel: any Channel, origin: ClientOrigin, zone: Zone, permissions: Permissions)
    {
        self.id = id
        self.server = server
        self.channel = channel
        writer = ReplyWriter(channel)
        peer = Peer(channel)
        self.origin = origin
        self.zone = zone
        self.permissions = permissions
        tags = server.configuration.tags
    }

    // MARK: What comes in

    /// Takes bytes as they come.
    func receive(_ bytes: ByteBuffer) {
        guard !isClosing else { return }
        wasHeard()
        if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        pump()
    }

    /// Carries out what is there to be carried out, as far as the client reads the replies.
    func pump() {
        // A write that the socket takes at once says from within that there is room again.
        guard !isClosing, !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        swap(&reply.bytes, &server.spareBytes)
        let stopsEarly = takeTurn()
        flush()
        if reply.bytes.capacity <= 2 * Self.pieceSize { swap(&reply.bytes, &server.spareBytes) }
        reply.bytes = []
        if isClosing { return finish() }
        if stopsEarly, channel.isWritable { server.pumpLater(id) }
        hold(isSuspended || stopsEarly)
        if inputHasEnded, !isHeld { finish() }
    }

    /// Takes steps until there are none, or it is others' turn, or the client has to read first.
    ///
    /// - Returns: Whether there may be more of them.
    private func takeTurn() -> Bool {
        var produced = 0
        for _ in 0..<Self.turnSteps {
            guard step() else { return false }
            guard reply.bytes.count >= Self.pieceSize else { continue }
            produced += reply.bytes.count
            flush()
            if !channel.isWritable || produced >= Self.turnSize { return true }
        }
        return true
    }

    /// Bytes that are written at once, and in one turn of the loop before others have theirs.
    private static let pieceSize = 64 * 1024
    private static let turnSize = 256 * 1024
    /// Steps, commands for the most part, of one turn.
    private static let turnSteps = 1_000

    /// The client has closed its side: what it asked for before is still answered.
    func endInput() {
        inputHasEnded = true
        pump()
    }

    /// Takes the next small step; says whether there was one.
    private func step() -> Bool {
        if isSuspended || isClosing { return false }
        if source != nil {
            if source?.fill(&reply, upTo: Self.pieceSize) == true {
                source = nil
                sourceEnded()
            }
            return true
        }
        if running != nil {
            runNext()
            return true
        }
        guard let line = nextLine() else { return false }
        take(line)
        return true
    }

    private func nextLine() -> [UInt8]? {
        let limit = server.limits.maxLineBytes
        guard var line = input.readLine() else {
            if input.readableBytes > limit { end(with: AckError(.badArgument, "Line too long")) }
            return nil
        }
        if input.readableBytes == 0 {
            // Given back, so that the next bytes are read into it.
            input = ByteBuffer()
        } else if input.readerIndex > Self.turnSize {
            input.discardReadBytes()
        }
        guard line.count <= limit else {
            end(with: AckError(.badArgument, "Line too long"))
            return nil
        }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return line
    }

    /// A last word before the connection ends.
    private func end(with error: AckError) {
        reply.ack(error, index: 0, command: "")
        isClosing = true
    }

    private func take(_ line: [UInt8]) {
        if isWord("noidle", line) {
            // One that comes too late finds nothing to cancel, and gets no reply.
            if idle != nil { tellChanges() }
            return
        }
        // Whoever sends anything else meanwhile is out of step; whoever sends this speaks another protocol.
        guard idle == nil, let first = line.first, (0x61...0x7a).contains(first) else {
            isClosing = true
            return
        }
        if collected != nil { return collect(line) }
        if isWord("command_list_begin", line) {
            collected = CommandList(tellsEach: false, isList: true)
        } else if isWord("command_list_ok_begin", line) {
            collected = CommandList(tellsEach: true, isList: true)
        } else {
            running = CommandList(requests: [parse(line)], tellsEach: false, isList: false)
        }
    }

    private func parse(_ line: [UInt8]) -> Request {
        do {
            return .success(try RequestLine(parsing: line))
        } catch {
            return .failure(BadLine(error: error, isNoRequest: !RequestLine.beginsWithWord(line)))
        }
    }

    private func collect(_ line: [UInt8]) {
        if isWord("command_list_end", line) {
            running = collected
            collected = nil
            return
        }
        collected?.requests.append(parse(line))
        collected?.size += line.count + 1
        if let size = collected?.size, size > server.limits.maxCommandListBytes { isClosing = true }
    }

    // MARK: Carrying out

    private func runNext() {
        guard let request = running?.nextRequest else { return listEnded() }
        do {
            switch request {
            case .failure(let line):
                fail(line.error)
                isClosing = line.isNoRequest
            case .success(let request):
                carryOut(try server.run(request, for: self))
            }
        } catch {
            fail(error)
        }
    }

    private func carryOut(_ outcome: Outcome) {
        switch outcome {
        case .done: commandEnded()
        case .stream(let source): self.source = source
        case .streamThen(let source, let sequel):
            self.source = source
            self.sequel = sequel
        case .suspended: isSuspended = true
        case .close: isClosing = true
        case .idle(let subsystems):
            running = nil
            wait(for: subsystems)
        }
    }

    private func sourceEnded() {
        guard let sequel else { return commandEnded() }
        self.sequel = nil
        do { carryOut(try sequel()) } catch { fail(error) }
    }

    /// The first arguments of the commands right behind the one that is being carried out, while these are of some kinds.
    func upcoming(_ commands: Set<String>) -> [String] {
        guard let running else { return [] }
        var arguments: [String] = []
        for request in running.requests.dropFirst(running.next + 1) {
            guard case .success(let request) = request, commands.contains(request.command),
                let first = request.arguments.first
            else { break }
            arguments.append(first)
        }
        return arguments
    }

    private func commandEnded() {
        guard running != nil else { return }
        guard running?.isList == true else { return listEnded() }
        running?.next += 1
        if running?.tellsEach == true { reply.listOK() }
    }

    private func listEnded() {
        running = nil
        if !resolved.isEmpty { resolved = [:] }
        reply.ok()
    }

    private func fail(_ error: any Error) {
        guard let list = running else { return }
        var name = ""
        if case .success(let request) = list.requests[list.next], server.table[request.command] != nil {
            name = request.command
        }
        running = nil
        resolved = [:]
        source = nil
        sequel = nil
        reply.ack(ackError(for: error), index: list.next, command: name)
    }

    /// Goes on after a command that took its time.
    func resume(_ body: () throws -> Outcome) {
        guard isSuspended, !isClosing else { return }
        isSuspended = false
        isPumping = true
        swap(&reply.bytes, &server.spareBytes)
        do {
            carryOut(try body())
        } catch {
            fail(error)
        }
        flush()
        swap(&reply.bytes, &server.spareBytes)
        isPumping = false
        pump()
    }

    // MARK: What goes out

    func greet() { writer.write(Array("OK MPD 0.24.0\n".utf8)) }

    private func flush() {
        guard !reply.bytes.isEmpty else { return }
        writer.write(reply.bytes)
        reply.bytes.removeAll(keepingCapacity: true)
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
        source = nil
        sequel = nil
        running = nil
        input = ByteBuffer()
    }

    func close() {
        isClosing = true
        channel.close(promise: nil)
    }

    /// Ends the connection once the client has all that was written to it.
    private func finish() {
        isClosing = true
        let channel = channel
        channel.writeAndFlush(channel.allocator.buffer(capacity: 0)).whenComplete { _ in channel.close(promise: nil) }
    }

    // MARK: Silence

    /// Whether the client is at fault when nothing is heard of it.
    var isExpected: Bool { idle == nil && !isSuspended }

    private func wasHeard() {
        lastHeard = .now()
        server.watchSilence(of: self)
    }

    /// There is room again for more of a reply.
    func becameWritable() {
        wasHeard()
        pump()
    }

    // MARK: Changes

    /// Notes changes, and tells them at once when the client waits for them.
    func note(_ changes: Subsystems) {
        pending.formUnion(changes)
        guard let idle, !pending.isDisjoint(with: idle) else { return }
        tellChanges()
        flush()
        reply.bytes = []
    }

    private func wait(for subsystems: Subsystems) {
        idle = subsystems
        if !pending.isDisjoint(with: subsystems) { tellChanges() }
    }

    private func tellChanges() {
        let told = pending.intersection(idle ?? [])
        for (subsystem, name) in Subsystems.names where told.contains(subsystem) { reply.line("changed", name) }
        pending.subtract(told)
        idle = nil
        wasHeard()
        reply.ok()
    }
}

/// Where a client comes from.
struct Peer: Sendable, Hashable {
    /// Behind a Unix socket, the user that connected.
    var uid: UInt32?
    var isUnix: Bool
    /// For messages.
    var description: String
}

private func isWord(_ word: StaticString, _ line: [UInt8]) -> Bool {
    guard line.count == word.utf8CodeUnitCount else { return false }
    return unsafe memcmp(word.utf8Start, line, line.count) == 0
}

extension ByteBuffer {
    /// Takes out the bytes before the next line feed, and that; `nil` when there is none.
    fileprivate mutating func readLine() -> [UInt8]? {
        let line = unsafe withUnsafeReadableBytes { unsafe firstLine(of: $0) }
        if let line { moveReaderIndex(forwardBy: line.count + 1) }
        return line
    }
}

private func firstLine(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let start = bytes.baseAddress, let end = unsafe memchr(start, 0x0a, bytes.count) else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start))
}
