internal import AudioTypes
internal import Authorization
internal import Cryptography
internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import Threads
internal import WebRequests

/// Checks the names and secrets that requests by HTTP carry.
///
/// Each request has them, and a check takes some 20 ms and 16 MB; so those that were right are remembered for a while, by a
/// digest whose key is this process's.
///
/// Belongs to the server's event loop.
final class WebSecrets {
    private struct Known {
        let login: Login
        let until: NIODeadline
    }

    private let services: AccessServices
    private let work: WorkThreads
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private let key = [UInt8].random(count: 32)
    private var known: [Digest: Known] = [:]
    /// Those who wait for the same check.
    private var waiting: [Digest: [(Result<Login, WebRefusal>) -> Void]] = [:]

    /// No client's number: a check goes on when its client leaves.
    private static let owner = Int.min

    private static let memory = TimeAmount.hours(1)
    private static let capacity = 256
    /// Requests that wait for checks, of all clients.
    private static let mostWaiting = 1_024

    init(_ services: AccessServices, _ work: WorkThreads, loop: any EventLoop) {
        (self.services, self.work, self.loop) = (services, work, loop)
    }

    /// - Parameter then: Called at once where the secret is remembered, or cannot be checked.
    func check(
        _ claim: ClientPassword,
        from client: ClientIdentity,
        then: @escaping (Result<Login, WebRefusal>) -> Void
    ) {
        let digest = Digest(of: Array(claim.text.utf8), secret: key)
        if let login = remembered(digest) { return then(.success(login)) }
        // Guesses from one address do not share the outcome of another's, nor what that waits for.
        let place = Digest(of: digest.bytes + Array(client.principal.name.utf8), secret: key)
        if waiting[place] != nil {
            guard waitingCount < Self.mostWaiting else { return then(.failure(.crowded)) }
            waiting[place]?.append(then)
            return
        }
        let now = services.common.loop.hostTime.seconds
        guard let delay = services.passwords.begin(client.place, at: now) else {
            return then(.failure(.tooManyGuesses(after: Int(saturating: PasswordThrottle.patience))))
        }
        waiting[place] = [then]
        let attempt = Attempt(
            claim: claim,
            digest: digest,
            waiting: place,
            place: client.place,
            who: client.principal.name
        )
        if delay > 0 {
            _ = onLoop(in: delay) { $0.compute(attempt) }
        } else {
            compute(attempt)
        }
    }

    /// Exchanges an invitation for the cookie of its client.
    ///
    /// A wrong one counts as a wrong password. One that is right, or was, is answered without delay: 128 bits cannot be guessed.
    func redeem(
        _ secret: String,
        from client: ClientIdentity,
        then: @escaping (Result<ClientCookie, WebRefusal>) -> Void
    ) {
        do throws(AckError) {
            if let (name, token) = try services.redeem(secret) {
                return then(.success(ClientCookie(name: name, token: token)))
            }
        } catch {
            return then(.failure(WebRefusal(.serviceUnavailable, error.text)))
        }
        if services.pairing.hasEnded(invitation: secret) { return then(.failure(.invitationIsOver)) }
        let (place, who) = (client.place, client.principal.name)
        let now = services.common.loop.hostTime.seconds
        guard let delay = services.passwords.begin(place, at: now) else {
            return then(.failure(.tooManyGuesses(after: Int(saturating: PasswordThrottle.patience))))
        }
        let bound = NIOLoopBound(then, eventLoop: loop)
        _ = onLoop(in: delay) { secrets in
            secrets.report(place, who)
            bound.value(.failure(.invitationIsOver))
        }
    }

    private struct Attempt: Sendable {
        let claim: ClientPassword
        let digest: Digest
        let waiting: Digest
        let place: ClientPlace
        let who: String
    }

    private var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// - Returns: `nil` for a secret that is not remembered, or is not that of its name any more.
    private func remembered(_ digest: Digest) -> Login? {
        guard let entry = known[digest] else { return nil }
        guard entry.until > loop.now, isRight(entry.login) else {
            known[digest] = nil
            return nil
        }
        return entry.login
    }

    private func isRight(_ login: Login) -> Bool {
        guard case .password(let hash) = login.proof else { return false }
        return services.grants.store[.named(login.name)]?.password == hash
    }

    /// Compares on a thread of its own, which takes as long whether the name is known or not.
    private func compute(_ attempt: Attempt) {
        let hash = services.grants.store[.named(attempt.claim.name)]?.password
        do throws(WorkRefusal) {
            try work.submit(to: .passwords, for: Self.owner) { [onLoop] _ in
                let isRight = (hash ?? PasswordHash.decoy)?.matches(attempt.claim.secret) ?? false
                onLoop { $0.end(attempt, isRight ? hash : nil) }
            }
        } catch {
            answer(attempt, .failure(.crowded))
        }
    }

    /// - Parameter hash: That of the right secret; `nil` for a wrong one.
    private func end(_ attempt: Attempt, _ hash: PasswordHash?) {
        let login = hash.map { Login(name: attempt.claim.name, proof: .password($0)) }
        guard let login, isRight(login) else {
            report(attempt.place, attempt.who)
            return answer(attempt, .failure(.wrongSecret))
        }
        services.passwords.succeed(attempt.place)
        remember(attempt.digest, login)
        answer(attempt, .success(login))
    }

    private func remember(_ digest: Digest, _ login: Login) {
        if known.count >= Self.capacity {
            known = known.filter { $0.value.until > loop.now }
            if known.count >= Self.capacity, let oldest = known.min(by: { $0.value.until < $1.value.until }) {
                known[oldest.key] = nil
            }
        }
        known[digest] = Known(login: login, until: loop.now + Self.memory)
    }

    private func report(_ place: ClientPlace, _ who: String) {
        let now = services.common.loop.hostTime.seconds
        guard let count = services.passwords.fail(place, at: now) else { return }
        let text = count == 1 ? "a wrong password" : "\(count) wrong passwords"
        services.common.log(.warning, "\(text) from \(who)")
    }

    private func answer(_ attempt: Attempt, _ result: Result<Login, WebRefusal>) {
        for then in waiting.removeValue(forKey: attempt.waiting) ?? [] { then(result) }
    }
}
