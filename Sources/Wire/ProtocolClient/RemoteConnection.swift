/// A connection to a server, used by one thread; every call waits for the reply.
package final class RemoteConnection {
    package let address: ServerAddress
    package let version: ProtocolVersion
    /// The pin of an encrypted server's certificate.
    package private(set) var pin: String?
    /// Whether the certificate was seen for the first time; it is known from now on.
    package private(set) var isNewlyKnown = false
    /// Whether the server does not know this client any more, which was paired with it.
    package private(set) var isForgotten = false

    private let socket: Socket
    private let limits: PatienceLimits
    private var parser = ReplyParser()
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// Bytes behind the line that was read last, in JSON.
    private var unread: [UInt8] = []

    private init(_ socket: consuming Socket, _ address: ServerAddress, _ limits: PatienceLimits) throws(RemoteError) {
        self.socket = socket
        self.address = address
        self.limits = limits
        self.socket.limitTalking(to: limits.connecting)
        var parser = ReplyParser()
        let greeting = try Self.greeting(self.socket, address, &parser, limits)
        guard let version = ProtocolVersion(greeting: greeting) else {
            throw RemoteError.notAServer(address, greeting: String(greeting.prefix(60)))
        }
        self.version = version
        self.parser = parser
        self.socket.limitTalking(to: limits.answering)
    }

    /// Connects to the first address where a server answers, and sends the password.
    ///
    /// - Parameter zone: The partition to select then.
    package static func open(
        _ choice: ServerChoice,
        zone: String? = nil,
        limits: PatienceLimits = .init()
    ) throws(RemoteError) -> RemoteConnection {
        var attempts: [RemoteError.Attempt] = []
        for address in choice.addresses {
            var socket: Socket
            do {
                socket = try Socket.connect(to: address, within: limits.connecting)
            } catch {
                attempts.append(error)
                continue
            }
            socket.limitTalking(to: limits.connecting)
            let trust = try socket.encrypt(to: address, choice)
            let connection = try RemoteConnection(socket, address, limits)
            (connection.pin, connection.isNewlyKnown) = (trust?.pin, trust?.isNew == true)
            if let password = choice.password {
                try connection.run("password", password)
            } else {
                connection.isForgotten = !(try connection.identify(choice))
            }
            if let zone { try connection.run("partition", zone) }
            return connection
        }
        throw RemoteError.noServer(attempts)
    }

    private static func greeting(
        _ socket: borrowing Socket,
        _ address: ServerAddress,
        _ parser: inout ReplyParser,
        _ limits: PatienceLimits
    ) throws(RemoteError) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            let count: Int
            do {
                if let line = try parser.nextLine() { return line }
                count = try socket.receive(into: &buffer)
            } catch let failure as Socket.Failure where failure.isTimeout {
                throw RemoteError.silent(address, seconds: limits.connecting)
            } catch {
                throw RemoteError.lost(address)
            }
            // MPD closes connections beyond its limit at once.
            guard count > 0 else { throw RemoteError.lost(address) }
            parser.receive(buffer[..<count])
            if count > 0, buffer[0] != UInt8(ascii: "O"), buffer[..<count].firstIndex(of: 0x0a) == nil {
                throw RemoteError.notAServer(
                    address,
                    greeting: String(decoding: buffer[..<count].prefix(60), as: UTF8.self)
                )
            }
        }
    }

    // MARK: Commands

    /// Runs one command.
    @discardableResult
    package func run(_ request: Request) throws(RemoteError) -> ServerReply {
        try send(request.line)
        return try reply()
    }

    @discardableResult
    package func run(_ command: String, _ arguments: String...) throws(RemoteError) -> ServerReply {
        try run(Request(command, arguments))
    }

    /// Runs commands as one list, so that no other client's come between them, and returns a reply for each.
    ///
    /// The first one refused ends the list; those before it were carried out.
    @discardableResult
    package func run(_ requests: [Request]) throws(RemoteError) -> [ServerReply] {
        guard requests.count > 1 else { return try requests.map { request throws(RemoteError) in try run(request) } }
        var bytes = Request("command_list_ok_begin").line
        for request in requests { request.append(to: &bytes) }
        Request("command_list_end").append(to: &bytes)
        try send(bytes)
        var replies: [ServerReply] = []
        replies.reserveCapacity(requests.count)
        while try !listEnds(&replies) {}
        return replies
    }

    /// Runs any number of commands in as many lists as a server accepts (MPD's limit is 2 MiB each).
    ///
    /// A refusal's index counts from the first of all commands.
    @discardableResult
    package func runAll(_ requests: [Request]) throws(RemoteError) -> [ServerReply] {
        var replies: [ServerReply] = []
        var rest = requests[...]
        while !rest.isEmpty {
            var size = 0
            let part = rest.prefix(2_000).prefix { request in
                size += request.arguments.reduce(64) { $0 + 2 * $1.utf8.count }
                return size < 1_000_000
            }
            let list = Array(part.isEmpty ? rest.prefix(1) : part)
            do {
                replies += try run(list)
            } catch .refused(var refusal) {
                refusal.index += requests.count - rest.count
                throw RemoteError.refused(refusal)
            }
            rest = rest.dropFirst(list.count)
        }
        return replies
    }

    /// Runs any number of separate commands: a refusal ends none of the others.
    ///
    /// They are sent in batches, so that many take hardly longer than one, yet small enough that neither side's buffers
    /// fill up while the other one only writes.
    ///
    /// - Parameter whenDone: Called after each batch with the number of commands completed.
    /// - Returns: A reply for each.
    @discardableResult
    package func runEach(
        _ requests: [Request],
        whenDone: (Int) -> Void = { _ in }
    ) throws(RemoteError) -> [Result<ServerReply, Refusal>] {
        var results: [Result<ServerReply, Refusal>] = []
        results.reserveCapacity(requests.count)
        while results.count < requests.count {
            var bytes: [UInt8] = []
            var end = results.count
            while end < requests.count, end < results.count + 128, bytes.count < 8_192 {
                requests[end].append(to: &bytes)
                end += 1
            }
            try send(bytes)
            while results.count < end {
                do {
                    results.append(.success(try reply()))
                } catch .refused(let refusal) {
                    results.append(.failure(refusal))
                }
            }
            whenDone(results.count)
        }
        return results
    }

    /// Fetches the whole of a picture, or of other data sent in chunks.
    ///
    /// - Parameter more: Further arguments, behind that of the offset.
    package func binary(
        _ command: String,
        _ arguments: String...,
        more: [String] = []
    ) throws(RemoteError) -> [UInt8] { try binary(command, arguments, more: more) }

    package func binary(
        _ command: String,
        _ arguments: [String],
        more: [String] = []
    ) throws(RemoteError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let reply = try run(Request(command, arguments + [String(bytes.count)] + more))
            guard let chunk = reply.binary, !chunk.isEmpty else { return bytes }
            bytes += chunk
            if let size = reply["size"].flatMap({ Int($0) }), bytes.count >= size { return bytes }
        }
    }

    // MARK: Waiting for changes

    /// Waits as long as it takes until something changes.
    ///
    /// - Parameter subsystems: The subsystems to watch; none means all.
    /// - Returns: The changed subsystems.
    package func idle(_ subsystems: [String] = []) throws(RemoteError) -> [String] {
        try beginIdle(subsystems)
        return try endIdle()
    }

    /// Starts to wait for changes; the reply is fetched with `endIdle`, once `descriptor` is readable.
    package func beginIdle(_ subsystems: [String] = []) throws(RemoteError) {
        try send(Request("idle", subsystems).line)
        socket.limitTalking(to: 0)
    }

    /// Fetches the reply to `beginIdle`.
    package func endIdle() throws(RemoteError) -> [String] {
        let changed = try reply().values("changed")
        socket.limitTalking(to: limits.answering)
        return changed
    }

    /// Ends `beginIdle` because another command is due.
    ///
    /// - Returns: The subsystems that have changed so far.
    @discardableResult
    package func cancelIdle() throws(RemoteError) -> [String] {
        try send(Request("noidle").line)
        return try endIdle()
    }

    /// For poll(2).
    package var descriptor: Int32 { socket.descriptor }

    // MARK: Bytes

    /// Lets the server take any time from now on.
    package func waitAnyTime() { socket.limitTalking(to: 0) }

    /// Has the server answer in time again.
    package func waitAsUsual() { socket.limitTalking(to: limits.answering) }

    /// - Returns: Whether the server took all of it.
    func sendSome(_ bytes: [UInt8]) -> Bool { (try? socket.send(bytes)) != nil }

    /// - Returns: How many bytes came; `nil` at the end.
    func receiveSome(into buffer: inout [UInt8]) -> Int? {
        guard let count = try? socket.receive(into: &buffer), count > 0 else { return nil }
        return count
    }

    private func send(_ bytes: [UInt8]) throws(RemoteError) {
        do {
            try socket.send(bytes)
        } catch {
            throw error.isTimeout ? RemoteError.silent(address, seconds: limits.answering) : RemoteError.lost(address)
        }
    }

    private func reply() throws(RemoteError) -> ServerReply {
        var reply = ServerReply()
        while true {
            switch try item() {
            case .pair(let pair): reply.pairs.append(pair)
            case .binary(let bytes): reply.binary = bytes
            case .ok: return reply
            case .refused(let refusal): throw RemoteError.refused(refusal)
            case .listOK: throw RemoteError.malformed(address, line: "list_OK")
            }
        }
    }

    /// Reads one reply of a list; `true` when the list's end came instead.
    private func listEnds(_ replies: inout [ServerReply]) throws(RemoteError) -> Bool {
        var reply = ServerReply()
        while true {
            switch try item() {
            case .pair(let pair): reply.pairs.append(pair)
            case .binary(let bytes): reply.binary = bytes
            case .refused(let refusal): throw RemoteError.refused(refusal)
            case .ok: return true
            case .listOK:
                replies.append(reply)
                return false
            }
        }
    }

    /// Sends a line, and returns the next one without its line feed.
    func exchange(_ line: [UInt8]) throws(RemoteError) -> [UInt8] {
        try send(line)
        return try nextLine()
    }

    /// The next line without its line feed.
    func nextLine() throws(RemoteError) -> [UInt8] {
        var line: [UInt8] = []
        var piece = unread
        while true {
            if let end = piece.firstIndex(of: 0x0a) {
                unread = Array(piece[(end + 1)...])
                return line + piece[..<end]
            }
            line += piece
            piece = Array(buffer[..<(try receive())])
        }
    }

    /// - Returns: How many bytes came into the buffer.
    private func receive() throws(RemoteError) -> Int {
        let count: Int
        do {
            count = try socket.receive(into: &buffer)
        } catch {
            throw error.isTimeout ? RemoteError.silent(address, seconds: limits.answering) : RemoteError.lost(address)
        }
        if count == 0 { throw RemoteError.lost(address) }
        return count
    }

    private func item() throws(RemoteError) -> ReplyParser.Item {
        while true {
            do {
                if let item = try parser.next() { return item }
            } catch {
                throw RemoteError.malformed(address, line: error.line)
            }
            let count = try receive()
            parser.receive(buffer[..<count])
        }
    }
}
