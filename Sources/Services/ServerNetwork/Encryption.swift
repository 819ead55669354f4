package import NIOCore
package import NIOSSL
package import ServerBasics
package import ServerRights
package import Settings
package import Threads

/// Encrypts connections: keeps the server's identity up to date, and the handshakes within their limits.
///
/// Belongs to the server's event loop.
package final class Encryption {
    /// `nil` until a listener needs it.
    package private(set) var identity: ServerIdentity?
    private var handshakes = Handshakes()
    private var channels: [Int: any Channel] = [:]
    private var nextNumber = 0
    private var failures = LimitLog()
    /// When the files were looked at last.
    private var looked = NIODeadline.uptimeNanoseconds(0)
    private let configuration: CurrentConfiguration
    private let work: WorkThreads
    private let loop: any EventLoop
    private let clock: any WallClock
    private let log: @Sendable (LogLevel, String) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    package init(
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        clock: any WallClock,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.work = work
        self.loop = loop
        self.clock = clock
        self.log = log
    }

    // MARK: The identity

    /// How often the files may be looked at, which happens when a client connects.
    private static let lookInterval = TimeAmount.seconds(30)
    /// In seconds: from when on before its end a certificate is warned of.
    private static let warningTime = 14 * 86_400.0

    /// Reads the files, or makes them, unless that is done.
    package func open() -> EventLoopFuture<Void> {
        let done = loop.makePromise(of: ServerIdentity.self)
        if let identity { done.succeed(identity) } else { load { done.completeWith($0) } }
        let adopt = NIOLoopBound(self, eventLoop: loop)
        return done.futureResult.map { adopt.value.adopt($0) }
    }

    private func load(_ then: @escaping @Sendable (Result<ServerIdentity, any Error>) -> Void) {
        let (settings, folder) = (configuration.value.tls, configuration.value.stateDirectory)
        work.submit(to: .identity) { then(Result { try ServerIdentity.load(settings, folder: folder) }) }
    }

    private func adopt(_ new: ServerIdentity) {
        let isFirst = identity == nil
        if !isFirst, identity?.pin != new.pin {
            log(.notice, "the server has another certificate, whose pin is \(new.pin)")
        } else if isFirst {
            log(.info, "encrypted connections: the certificate's pin is \(new.pin)")
        }
        identity = new
        let left = new.validUntil - clock.now
        if left <= 0 {
            log(.error, "the server's certificate is not valid any more; put another into its place")
        } else if left < Self.warningTime {
            log(.warning, "the server's certificate ends in \(Int(saturating: left / 86_400)) days")
        }
    }

    /// In how many whole days the certificate ends, when that is soon; less than 0 when it has ended.
    package func daysLeft(at now: Double) -> Int? {
        guard let left = identity.map({ $0.validUntil - now }), left < Self.warningTime else { return nil }
        return Int(saturating: (left / 86_400).rounded(.down))
    }

    /// Reads the files again, also when they seem unchanged: their settings may have changed.
    package func reload() {
        guard identity != nil else { return }
        load { [onLoop, log] result in
            switch result {
            case .success(let new): onLoop { $0.adopt(new) }
            case .failure(let error): log(.error, "\(error); the certificate stays as it was")
            }
        }
    }

    /// Reads the files again if they were renewed.
    private func lookAgain() {
        let now = loop.now
        guard let identity, now - looked > Self.lookInterval else { return }
        looked = now
        work.submit(to: .identity) { [onLoop] in
            if !identity.isCurrent { onLoop { $0.reload() } }
        }
    }

    // MARK: Handshakes

    /// Makes the handler that encrypts a new connection.
    ///
    /// - Throws: An error of NIOSSL's, or `IdentityProblem` before the identity is there.
    package func makeHandler() throws -> NIOSSLServerHandler {
        guard let identity else { throw IdentityProblem("there is no certificate yet") }
        lookAgain()
        return NIOSSLServerHandler(context: identity.context)
    }

    /// - Returns: The handshake's number, and how long it may take.
    package func begin(_ channel: any Channel, from place: ClientPlace) -> (number: Int, patience: TimeAmount) {
        let limits = configuration.value.limits
        nextNumber += 1
        channels[nextNumber] = channel
        if let oldest = handshakes.begin(nextNumber, from: place, limits) {
            if failures.isDue("max-tls-handshakes", at: loop.now) {
                log(.notice, "connections that have not agreed on encryption were ended, for limits.max-tls-handshakes")
            }
            channels.removeValue(forKey: oldest)?.close(promise: nil)
        }
        return (nextNumber, .nanoseconds(Int64(saturating: limits.handshakeTimeout / .nanoseconds(1))))
    }

    package func end(_ number: Int) {
        handshakes.end(number)
        channels[number] = nil
    }

    /// Logs why no connection came about, at most once a minute.
    package func failed(_ who: String, _ reason: String) {
        guard failures.isDue("handshake", at: loop.now) else { return }
        log(.notice, "\(who): no encrypted connection: \(reason)")
    }
}

extension WorkQueue {
    /// The files of the server's certificate.
    package static let identity = WorkQueue("the server's certificate", threads: 1, waiting: 0)
}
