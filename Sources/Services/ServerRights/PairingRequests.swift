package import Authorization
package import Cryptography
internal import TextEncodings

/// A client that asks to be known.
package struct PairingRequest: Hashable {
    package let name: ClientName
    /// Six digits, which the client shows and its owner compares.
    package let code: String
    /// The client that asks, until it has its name.
    package let id: PrincipalID?
    package let who: String
    package let place: ClientPlace
    package let connection: Int
    /// Whether the client is let in by an invitation, which its browser exchanges for a cookie.
    package let takesInvitation: Bool
    /// When it is over, on a clock that always goes on.
    package let ends: Double
    package fileprivate(set) var wrongCodes = 0
}

/// The clients that ask to be known: few of them, each for a short time.
///
/// A value without a clock.
package struct PairingRequests {
    package enum Refusal: Error, Hashable {
        /// Another one asks under this name.
        case nameIsTaken
        /// Another connection from the same place asks.
        case placeAsks
        case tooMany
    }

    package enum AnswerRefusal: Error, Hashable {
        case noSuchRequest
        case wrongCode
        /// The last of the wrong ones, which ends the request.
        case tooManyWrongCodes
    }

    package private(set) var all: [PairingRequest] = []

    /// In seconds.
    package static let patience = 300.0
    package static let mostWrongCodes = 3
    package static let capacity = 16

    /// Adds a request; an earlier one of the same connection is over.
    package mutating func add(
        _ name: ClientName,
        as id: PrincipalID?,
        _ who: String,
        from place: ClientPlace,
        connection: Int,
        takesInvitation: Bool = false,
        at now: Double
    ) throws(Refusal) -> PairingRequest {
        all.removeAll { $0.connection == connection || $0.ends <= now }
        if all.contains(where: { $0.name == name }) { throw .nameIsTaken }
        if all.contains(where: { $0.place == place }) { throw .placeAsks }
        if all.count >= Self.capacity { throw .tooMany }
        var generator = SystemRandomNumberGenerator()
        let digits = "\(Int.random(in: 1_000_000...1_999_999, using: &generator))".dropFirst()
        let request = PairingRequest(
            name: name,
            code: String(digits),
            id: id,
            who: who,
            place: place,
            connection: connection,
            takesInvitation: takesInvitation,
            ends: now + Self.patience
        )
        all.append(request)
        return request
    }

    /// Takes the request that is answered.
    ///
    /// - Parameter code: The digits that the owner has read at the client; `nil` when they were only compared.
    package mutating func take(
        _ name: ClientName,
        code: String?,
        at now: Double
    ) throws(AnswerRefusal) -> PairingRequest {
        guard let index = all.firstIndex(where: { $0.name == name && $0.ends > now }) else { throw .noSuchRequest }
        guard code == nil || code == all[index].code else {
            all[index].wrongCodes += 1
            guard all[index].wrongCodes >= Self.mostWrongCodes else { throw .wrongCode }
            throw .tooManyWrongCodes
        }
        return all.remove(at: index)
    }

    /// - Returns: Whether there was one.
    package mutating func remove(connection: Int) -> Bool {
        let before = all.count
        all.removeAll { $0.connection == connection }
        return all.count < before
    }

    /// Takes those that are over, or whose codes were wrong too often.
    package mutating func takeEnded(at now: Double) -> [PairingRequest] {
        func isOver(_ request: PairingRequest) -> Bool {
            request.ends <= now || request.wrongCodes >= Self.mostWrongCodes
        }
        defer { all.removeAll(where: isOver) }
        return all.filter(isOver)
    }
}

/// The invitations that were given out, each for one client and one use.
package struct Invitations {
    private struct Entry {
        let name: ClientName
        let secret: Digest
        let ends: Double
    }

    private var entries: [Entry] = []
    /// Those that were used or are over, the latest last.
    private var ended: [Digest] = []

    /// In seconds, on a clock that always goes on.
    package static let patience = 86_400.0
    package static let capacity = 64
    /// How many of those that have ended are remembered.
    private static let mostEnded = 256

    /// - Returns: The secret, 32 hexadecimal digits; `nil` when there are too many.
    package mutating func add(_ name: ClientName, for seconds: Double = patience, at now: Double) -> String? {
        end { $0.ends <= now || $0.name == name }
        guard entries.count < Self.capacity else { return nil }
        let secret = [UInt8].random(count: 16)
        entries.append(Entry(name: name, secret: Digest(of: secret), ends: now + seconds))
        return secret.hexadecimal
    }

    /// The name that a secret invites to have, and for how many seconds yet.
    package func look(_ text: String, at now: Double) -> (name: ClientName, seconds: Double)? {
        guard let index = index(of: text), entries[index].ends > now else { return nil }
        return (entries[index].name, entries[index].ends - now)
    }

    /// Those that were not used, with the digests of their secrets, and for how many seconds they can be yet.
    package func open(at now: Double) -> [(name: ClientName, secret: Digest, seconds: Double)] {
        entries.filter { $0.ends > now }.map { ($0.name, $0.secret, $0.ends - now) }
    }

    /// Adds one that was given out before, in place of the one that its name has.
    package mutating func restore(_ name: ClientName, _ secret: Digest, for seconds: Double, at now: Double) {
        forget(name)
        guard entries.count < Self.capacity, seconds > 0 else { return }
        entries.append(Entry(name: name, secret: secret, ends: now + min(seconds, Self.patience)))
    }

    /// The name that a secret invites to have; it is used up.
    package mutating func take(_ text: String, at now: Double) -> ClientName? {
        end { $0.ends <= now }
        guard let index = index(of: text) else { return nil }
        let entry = entries[index]
        end { $0.secret == entry.secret }
        return entry.name
    }

    /// Whether a secret was that of an invitation, and is none any more.
    ///
    /// Whoever has it was invited, or was shown it, and does not guess.
    package func hasEnded(_ text: String, at now: Double) -> Bool {
        guard let digest = Self.digest(of: text) else { return false }
        return ended.contains(digest) || entries.contains { $0.secret == digest && $0.ends <= now }
    }

    private func index(of text: String) -> Int? {
        guard let digest = Self.digest(of: text) else { return nil }
        return entries.firstIndex { $0.secret == digest }
    }

    private static func digest(of text: String) -> Digest? {
        guard text.utf8.count == 32, let secret = [UInt8](hexadecimal: text) else { return nil }
        return Digest(of: secret)
    }

    package mutating func forget(_ name: ClientName) { end { $0.name == name } }

    private mutating func end(_ isOver: (Entry) -> Bool) {
        ended = (ended + entries.filter(isOver).map(\.secret)).suffix(Self.mostEnded)
        entries.removeAll(where: isOver)
    }
}
