internal import Alarms
internal import AudioTypes
internal import Authorization
private import Glibc
internal import LineProtocol
internal import NIOCore
internal import NIOPosix
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Settings

/// Schedules are carried out by clients like all others, which the server connects to itself by a pair of sockets: so
/// every command is there, with its permissions, limits and waiting.
extension Server {
    /// Carries out the commands of a schedule as its maker could; called on the event loop.
    ///
    /// - Parameter then: Called on the event loop with the reason of a failure.
    nonisolated func run(_ schedule: Schedule, then: @escaping (String?) -> Void) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            return then(unsafe String(cString: strerror(errno)))
        }
        let then = NIOLoopBound(then, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = ConnectionHandler(server: self, from: .schedule(schedule))
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .withConnectedSocket(ends[0])
            .whenFailure { _ in }
        let lines = schedule.commands
        ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ScheduleReply(lines) { then.value($0) })
                }
            }
            .withConnectedSocket(ends[1])
            .whenFailure { error in then.value("\(error)") }
    }
}

/// The side of a schedule: sends the commands, and waits for how they end.
private final class ScheduleReply: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let lines: [String]
    private var then: ((String?) -> Void)?
    /// The end of what the server has replied: its last line says how it went.
    private var tail: [UInt8] = []
    private static let longestTail = 8_192

    init(_ lines: [String], then: @escaping (String?) -> Void) {
        self.lines = lines
        self.then = then
    }

    func channelActive(context: ChannelHandlerContext) {
        let list = lines.count == 1 ? lines : ["command_list_begin"] + lines + ["command_list_end"]
        let bytes = context.channel.allocator.buffer(string: list.map { $0 + "\n" }.joined())
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        // Nothing more is asked, so the server closes the connection when it has answered.
        context.close(mode: .output, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tail += unwrapInboundIn(data).readableBytesView
        tail = tail.suffix(Self.longestTail)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let last = tail.split(separator: 0x0a).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        // The greeting begins with it, too.
        let isDone = last == "OK"
        let reason = last.hasPrefix("ACK ") ? String(last.dropFirst(4)) : "it was refused a connection"
        then?(isDone ? nil : reason)
        then = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension ServerAssembly {
    /// The connection that carries out a schedule.
    ///
    /// - Returns: `nil` when its maker, its listener or its zone is gone.
    func connect(_ id: Int, _ channel: any Channel, for schedule: Schedule) -> Connection? {
        guard let identity = identity(of: schedule.maker),
            let zone = schedule.zone.isEmpty ? rooms.defaultZone : rooms.zone(named: schedule.zone)
        else { return nil }
        let tags = configuration.tags
        return admit(Client(id: id, identity, grants, in: zone, tags: tags, schedule: schedule.id), channel)
    }

    private func identity(of maker: Schedule.Maker) -> ClientIdentity? {
        guard let listener = listener(of: maker), let id = PrincipalID(maker.principal),
            let origin = PrincipalID(maker.origin)
        else { return nil }
        var identity: ClientIdentity
        switch origin {
        case .user(let uid):
            // No process: nothing that another one could be mistaken for.
            identity = ClientIdentity(Principal(UnixPeer(uid: uid, process: 0), at: listener))
        case .address(let address):
            let server = maker.server.flatMap { IPAddress($0) }
            identity = ClientIdentity(Principal(address, server: server, at: listener))
        case .named: return nil
        }
        if case .named(let name) = id {
            // Whatever its password is now; one that has a certificate needs none.
            guard let entry = grants.store[id] else { return nil }
            identity.logIn(as: Login(name: name, proof: entry.password.map { .password($0) } ?? .certificate))
        }
        return identity.id == id ? identity : nil
    }

    /// One that has permissions of its own must still be configured; of all others the general rules hold.
    private func listener(of maker: Schedule.Maker) -> Listener? {
        guard let address = maker.listener else { return Listener(.abstract(name: "schedule")) }
        return configuration.listeners.first { $0.address.description == address && $0.permissions != nil }
    }
}
