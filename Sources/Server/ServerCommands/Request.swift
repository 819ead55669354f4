internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import Settings
internal import Songs
internal import Threads
internal import Zones

/// A request in the hands of its command's handler: the client, the reply, and the services of the command's group.
///
/// Handlers belong to the server's event loop. What takes time is done elsewhere (`perform`, `wait`) and goes on here.
struct Request<Services: RequestServices> {
    unowned let context: RequestContext
    let services: Services

    init(_ context: RequestContext, _ services: Services) {
        self.context = context
        self.services = services
    }

    var connection: any ClientConnection { context.connection }

    // MARK: The client

    var client: Client { context.client }

    var zone: Zone {
        get { client.zone }
        nonmutating set { client.zone = newValue }
    }

    var reply: Reply {
        get { context.reply }
        nonmutating _modify { yield &context.reply }
    }

    var tags: TagMask { client.tags }
    var rights: Rights { client.rights }
    var permissions: Permissions { client.permissions }

    /// The network access of fetches on the client's behalf.
    var access: NetworkAccess { NetworkAccess(client.reach, configuration.fetching) }

    /// The object that a word names, for an action that the client may take.
    ///
    /// - Parameter service: The service that has such objects.
    /// - Throws: When there is none, or when the client may not.
    func object<Object: NamedObject>(
        _ type: Object.Type,
        _ word: String,
        in service: Object.Service,
        to action: Action
    ) throws -> Object {
        try client.object(type, word, in: service, to: action)
    }

    // MARK: The server

    var rooms: Rooms { services.common.rooms }
    var configuration: Configuration { services.common.configuration.value }
    var limits: Limits { configuration.limits }
    /// The time of day, in seconds since 1970.
    var now: Double { services.common.clock.now }
    /// The time of a clock that always goes on, in seconds.
    var hostTime: Double { services.common.loop.hostTime.seconds }

    /// - Throws: When no zone has that name.
    func knownZone(_ name: String) throws(AckError) -> Zone { try rooms.known(name) }

    /// Notifies all clients of changes, or only those in `zone`.
    func notify(_ changes: Subsystems, in zone: Zone? = nil) {
        services.common.changes.notify(changes, in: zone)
    }

    func log(_ level: LogLevel, _ text: String) { services.common.log(level, text) }

    // MARK: Waiting

    private var jobs: ClientJobs { services.common.jobs }

    /// Runs `work` on a thread of a work queue while the client waits, and goes on with its result.
    ///
    /// - Throws: A system error when the work queue is full, or no thread can be started.
    func perform<Value: Sendable>(
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.perform(for: connection, on: workQueue, work, then: then)
    }

    /// The same, for work that ends early when the client leaves.
    func perform<Value: Sendable>(
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable (Cancellation) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.perform(for: connection, on: workQueue, work, then: then)
    }

    /// The same, for a fetch, which is interrupted when it takes too long.
    func performOnNetwork<Value: Sendable>(
        _ work: @escaping @Sendable (Interrupt) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.performOnNetwork(for: connection, work, then: then)
    }

    /// Replies page by page: makes the next page on a thread once the client has read the one before.
    func stream(_ maker: some PageMaker, on workQueue: WorkQueue = .index) throws(AckError) -> Outcome {
        try jobs.stream(maker, for: connection, on: workQueue)
    }

    /// Goes on after some seconds; at once without any.
    func wait(_ seconds: Double, then: @escaping () throws -> Outcome = { .done }) throws -> Outcome {
        seconds > 0 ? jobs.wait(for: connection, seconds: seconds, then: then) : try then()
    }

    /// Goes on when something has happened.
    ///
    /// - Parameter begin: Gets a closure that is to be called, on the event loop, when it has happened.
    func wait(then: @escaping () throws -> Outcome, until begin: (@escaping () -> Void) -> Void) -> Outcome {
        jobs.wait(for: connection, then: then, until: begin)
    }
}
