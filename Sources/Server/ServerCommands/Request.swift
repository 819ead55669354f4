package import AudioTypes
package import Authorization
package import LineProtocol
package import ServerBasics
package import ServerRooms
package import Settings
package import Songs
package import Threads
package import Zones

/// A request in the hands of its command's handler: the client, the reply, and the services of the command's group.
///
/// Handlers belong to the server's event loop. What takes time is done elsewhere (`perform`, `wait`) and goes on here.
package struct Request<Services: RequestServices> {
    package unowned let connection: any ClientConnection
    /// The connection's.
    package unowned let context: RequestContext
    package let services: Services

    package init(_ connection: any ClientConnection, _ services: Services) {
        self.connection = connection
        self.services = services
        context = connection.context
    }

    // MARK: The client

    package var client: Client { context.client }

    package var zone: Zone {
        get { client.zone }
        nonmutating set { client.zone = newValue }
    }

    package var reply: Reply {
        get { context.reply }
        nonmutating _modify { yield &context.reply }
    }

    package var tags: TagMask { client.tags }
    package var rights: Rights { client.rights }
    package var permissions: Permissions { client.permissions }

    /// The network access of fetches on the client's behalf.
    package var access: NetworkAccess { NetworkAccess(client.reach, configuration.fetching) }

    // MARK: The server

    package var rooms: Rooms { services.common.rooms }
    package var configuration: Configuration { services.common.configuration.value }
    package var limits: Limits { configuration.limits }
    /// The time of day, in seconds since 1970.
    package var now: Double { services.common.clock.now }
    /// The time of a clock that always goes on, in seconds.
    package var hostTime: Double { services.common.loop.hostTime.seconds }

    /// - Throws: When no zone has that name.
    package func knownZone(_ name: String) throws(AckError) -> Zone { try rooms.known(name) }

    /// Notifies all clients of changes, or only those in `zone`.
    package func notify(_ changes: Subsystems, in zone: Zone? = nil) {
        services.common.changes.notify(changes, in: zone)
    }

    package func log(_ level: LogLevel, _ text: String) { services.common.log(level, text) }

    // MARK: Waiting

    private var jobs: ClientJobs { services.common.jobs }

    /// Runs `work` on a thread of a work queue while the client waits, and goes on with its result.
    ///
    /// - Throws: A system error when the work queue is full, or no thread can be started.
    package func perform<Value: Sendable>(
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.perform(for: connection, on: workQueue, work, then: then)
    }

    /// The same, for work that ends early when the client leaves.
    package func perform<Value: Sendable>(
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable (Cancellation) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.perform(for: connection, on: workQueue, work, then: then)
    }

    /// The same, for a fetch, which is interrupted when it takes too long.
    package func performOnNetwork<Value: Sendable>(
        _ work: @escaping @Sendable (Interrupt) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try jobs.performOnNetwork(for: connection, work, then: then)
    }

    /// Replies page by page: makes the next page on a thread once the client has read the one before.
    package func stream(_ maker: some PageMaker, on workQueue: WorkQueue = .index) throws(AckError) -> Outcome {
        try jobs.stream(maker, for: connection, on: workQueue)
    }

    /// Goes on after some seconds; at once without any.
    package func wait(_ seconds: Double, then: @escaping () throws -> Outcome = { .done }) throws -> Outcome {
        seconds > 0 ? jobs.wait(for: connection, seconds: seconds, then: then) : try then()
    }

    /// Goes on when something has happened.
    ///
    /// - Parameter begin: Gets a closure that is to be called, on the event loop, when it has happened.
    package func wait(then: @escaping () throws -> Outcome, until begin: (@escaping () -> Void) -> Void) -> Outcome {
        jobs.wait(for: connection, then: then, until: begin)
    }
}
