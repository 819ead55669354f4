internal import AudioTypes
package import Authorization
internal import Cryptography
package import LineProtocol
package import NIOCore
package import ServerBasics
internal import Settings
package import StateStore

/// Lets clients become known: by a request that the owner answers, or by an invitation.
///
/// Belongs to the server's event loop.
package final class PairingService {
    package enum Answer: Hashable {
        case allowed(ClientName, ClientToken)
        /// Allowed, with an invitation's secret in place of a token.
        case invited(ClientName, secret: String)
        case denied
        /// Not answered in time, or with wrong codes.
        case expired
    }

    /// A connection that asks.
    package struct Asker {
        package let connection: Int
        package let place: ClientPlace
        package let id: PrincipalID?
        /// As messages call it.
        package let who: String
        /// Whether it is let in by an invitation.
        package let takesInvitation: Bool

        package init(
            connection: Int,
            place: ClientPlace,
            id: PrincipalID?,
            who: String,
            takesInvitation: Bool = false
        ) {
            (self.connection, self.place, self.id, self.who) = (connection, place, id, who)
            self.takesInvitation = takesInvitation
        }
    }

    package private(set) var requests = PairingRequests()
    package private(set) var invitations = Invitations()
    /// Makes those wait who ask again and again.
    private var throttle = PasswordThrottle()
    /// By connection, until it has fetched them.
    private var answers: [Int: Answer] = [:]
    private var waiting: [Int: () -> Void] = [:]
    private var challenges: [Int: [UInt8]] = [:]
    private var lines = LimitLog()
    private var unreported = 0
    /// When the owners were last told aloud.
    private var announced: Double?
    private var timer: Scheduled<Void>?
    private let loop: any EventLoop
    private let clock: any WallClock
    private unowned let delegate: any PairingDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    package init(loop: any EventLoop, clock: any WallClock, delegate: any PairingDelegate) {
        (self.loop, self.clock, self.delegate) = (loop, clock, delegate)
    }

    private var now: Double { loop.hostTime.seconds }

    // MARK: Clients

    /// Lets a client ask for a name.
    ///
    /// - Parameter isKnown: Whether another client has the name, which those who ask again and again are not told.
    package func ask(_ name: ClientName, _ client: Asker, isKnown: Bool) throws(AckError) -> PairingRequest {
        let wait = throttle.begin(client.place, at: now)
        guard wait == 0 else {
            // It was none, so those who only come too early need not wait longer for it.
            if wait != nil { throttle.succeed(client.place) }
            throw AckError(.system, "too many requests from \(client.who); try again later")
        }
        if isKnown { throw AckError(.alreadyExists, "another client is known as \(name.text)") }
        endWhatIsOver()
        answers[client.connection] = nil
        let request: PairingRequest
        do throws(PairingRequests.Refusal) {
            request = try requests.add(
                name,
                as: client.id,
                client.who,
                from: client.place,
                connection: client.connection,
                takesInvitation: client.takesInvitation,
                at: now
            )
        } catch {
            switch error {
            case .nameIsTaken: throw AckError(.alreadyExists, "another client asks under the name \(name.text)")
            case .placeAsks: throw AckError(.alreadyExists, "another client of \(client.who) asks already")
            case .tooMany: throw AckError(.system, "too many clients ask; try again later")
            }
        }
        report(request)
        announce(request)
        changed()
        return request
    }

    /// One line a minute: however many ask, the owner's log stays readable.
    private func report(_ request: PairingRequest) {
        guard lines.isDue("request", at: loop.now) else {
            unreported += 1
            return
        }
        let more = unreported == 0 ? "" : " (and \(unreported) others since the last line)"
        unreported = 0
        delegate.log(
            .notice,
            "\(request.who) asks to be known as \(request.name.text)\(more); see 'segue clients requests'"
        )
    }

    /// However many ask, the house is not disturbed again while the first of them can still be answered.
    private func announce(_ request: PairingRequest) {
        if let announced, now - announced < PairingRequests.patience { return }
        announced = now
        delegate.pairingAsked(request.name)
    }

    /// The answer, once; `nil` while there is none.
    package func takeAnswer(of connection: Int) -> Answer? { answers.removeValue(forKey: connection) }

    package func isAsking(_ connection: Int) -> Bool { requests.all.contains { $0.connection == connection } }

    package func wait(_ connection: Int, _ wake: @escaping () -> Void) { waiting[connection] = wake }

    /// The challenge for a connection's next proof; used once.
    package func makeChallenge(for connection: Int) -> [UInt8] {
        let bytes = [UInt8].random(count: 32)
        challenges[connection] = bytes
        return bytes
    }

    package func takeChallenge(of connection: Int) -> [UInt8]? { challenges.removeValue(forKey: connection) }

    /// A client that says nothing more does not show its code any more.
    package func inputEnded(of connection: Int) {
        guard requests.remove(connection: connection) else { return }
        waiting.removeValue(forKey: connection)?()
        changed()
    }

    package func disconnected(_ connection: Int) {
        answers[connection] = nil
        waiting[connection] = nil
        challenges[connection] = nil
        if requests.remove(connection: connection) { changed() }
    }

    // MARK: The owner

    package func take(_ name: ClientName, code: String?) throws(AckError) -> PairingRequest {
        defer { endWhatIsOver() }
        do throws(PairingRequests.AnswerRefusal) {
            let request = try requests.take(name, code: code, at: now)
            throttle.succeed(request.place)
            return request
        } catch {
            switch error {
            case .noSuchRequest: throw AckError(.doesNotExist, "no client asks to be known as \(name.text)")
            case .wrongCode: throw AckError(.badArgument, "the client shows another code")
            case .tooManyWrongCodes:
                throw AckError(.badArgument, "the client shows another code; its request is over")
            }
        }
    }

    /// Lets the client of a request have its name.
    ///
    /// - Parameter makeToken: Gives the client a token; not called for one that takes an invitation.
    /// - Throws: When there are too many invitations, which ends the request.
    package func allow(_ request: PairingRequest, _ makeToken: () throws -> ClientToken) throws {
        do {
            let allowed: Answer =
                request.takesInvitation
                ? .invited(request.name, secret: try invite(request.name, for: Self.exchangePatience))
                : .allowed(request.name, try makeToken())
            answer(request, allowed)
        } catch {
            answer(request, .expired)
            throw error
        }
    }

    /// Seconds that a browser has to exchange its invitation for a cookie.
    private static let exchangePatience = 120.0

    package func answer(_ request: PairingRequest, _ answer: Answer) {
        answers[request.connection] = answer
        waiting.removeValue(forKey: request.connection)?()
        changed()
    }

    package func invite(
        _ name: ClientName,
        for seconds: Double = Invitations.patience
    ) throws(AckError) -> String {
        guard let secret = invitations.add(name, for: seconds, at: now) else {
            throw AckError(.system, "there are \(Invitations.capacity) invitations that were not used")
        }
        keep(name)
        return secret
    }

    /// The name that an invitation is for, and for how many seconds yet; it is not used up.
    package func invitation(_ secret: String) -> (name: ClientName, seconds: Double)? {
        invitations.look(secret, at: now)
    }

    /// The names of invitations that were not used, and for how many seconds they can be yet.
    package var openInvitations: [(name: ClientName, seconds: Double)] {
        invitations.open(at: now).map { ($0.name, $0.seconds) }
    }

    /// Whether an invitation was used, or is over.
    package func hasEnded(invitation secret: String) -> Bool { invitations.hasEnded(secret, at: now) }

    package func takeInvitation(_ secret: String) -> ClientName? {
        guard let name = invitations.take(secret, at: now) else { return nil }
        keep(name)
        return name
    }

    package func forgetInvitation(of name: ClientName) {
        guard openInvitations.contains(where: { $0.name == name }) else { return }
        invitations.forget(name)
        keep(name)
    }

    // MARK: Invitations in the journal

    /// The verb of their lines: the name, and for one that is open the digest of its secret and its end in seconds since 1970.
    package static let verb = "invitation"

    /// Those that are open, for the journal.
    package var records: [Record] { invitations.open(at: now).map { record($0.name) } }

    private func record(_ name: ClientName) -> Record {
        guard let open = invitations.open(at: now).first(where: { $0.name == name }) else {
            return Record(Self.verb, name.text)
        }
        return Record(Self.verb, name.text, "\(open.secret)", "\(Int(saturating: clock.now + open.seconds))")
    }

    private func keep(_ name: ClientName) { delegate.grantSettingChanged(record(name)) }

    /// Applies a record of the journal; where the clock was set back, an invitation lasts no longer than a new one.
    package func restore(_ record: Record) {
        let words = record.arguments
        guard let name = words.first.flatMap({ ClientName($0) }) else {
            return delegate.log(.warning, "the invitation '\(words.first ?? "")' cannot be read")
        }
        invitations.forget(name)
        guard words.count == 3, let secret = Digest(words[1]), let end = Double(words[2]) else { return }
        invitations.restore(name, secret, for: end - clock.now, at: now)
    }

    // MARK: Time

    private func endWhatIsOver() {
        let ended = requests.takeEnded(at: now)
        for request in ended { answer(request, .expired) }
    }

    private func changed() {
        delegate.pairingRequestsChanged()
        timer?.cancel()
        timer = nil
        guard let next = requests.all.map(\.ends).min() else { return }
        timer = onLoop(in: next - now + 0.001) { $0.timePassed() }
    }

    private func timePassed() {
        endWhatIsOver()
        changed()
    }
}
