package import LineProtocol

/// A server's error reply: `ACK [code@index] {command} text`.
package struct Refusal: Error, Sendable, Hashable {
    /// MPD's number; unknown ones are kept.
    package var code: Int
    /// The index of the command in a list, from 0.
    package var index: Int
    package var command: String
    package var text: String

    package init(code: Int, index: Int = 0, command: String = "", text: String) {
        self.code = code
        self.index = index
        self.command = command
        self.text = text
    }

    package var known: AckCode? { AckCode(rawValue: code) }

    /// Parses a line that starts with `ACK`; `nil` when it does not.
    package init?(parsing line: some StringProtocol) {
        guard line.hasPrefix("ACK ["), let bracket = line.firstIndex(of: "]") else { return nil }
        let numbers = line[line.index(line.startIndex, offsetBy: 5)..<bracket].split(separator: "@")
        guard numbers.count == 2, let code = Int(numbers[0]), let index = Int(numbers[1]) else { return nil }
        var rest = line[line.index(after: bracket)...].drop { $0 == " " }
        var command = ""
        if rest.hasPrefix("{"), let brace = rest.firstIndex(of: "}") {
            command = String(rest[rest.index(after: rest.startIndex)..<brace])
            rest = rest[rest.index(after: brace)...].drop { $0 == " " }
        }
        self.init(code: code, index: index, command: command, text: String(rest))
    }
}

/// Why a server did not carry out a request.
package enum RemoteError: Error, Sendable, Hashable {
    /// An address that was tried, and the failure.
    package struct Attempt: Error, Sendable, Hashable {
        package var address: ServerAddress
        package var reason: String
        /// Whether there is no host of that name.
        package var isUnknownName: Bool

        package init(address: ServerAddress, reason: String, isUnknownName: Bool = false) {
            self.address = address
            self.reason = reason
            self.isUnknownName = isUnknownName
        }
    }

    /// No server answered at any of the addresses.
    case noServer([Attempt])
    /// The other side does not speak this protocol; its first line.
    case notAServer(ServerAddress, greeting: String)
    /// No reply within so many seconds.
    case silent(ServerAddress, seconds: Double)
    /// An encrypted connection did not come about, or is not with the server that is known; half a sentence.
    case notTrusted(ServerAddress, reason: String)
    /// The connection ended in the middle.
    case lost(ServerAddress)
    /// A reply that does not belong to the protocol.
    case malformed(ServerAddress, line: String)
    case refused(Refusal)

    /// The server's refusal, if that is the error, and not the connection.
    package var refusal: Refusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }
}

extension RemoteError: CustomStringConvertible {
    /// One line that says what to do.
    package var description: String {
        switch self {
        case .noServer(let attempts): Self.describe(attempts)
        case .notAServer(let address, let greeting):
            "there is no MPD server at \(address): the greeting is '\(greeting)'. Is the port right?"
        case .silent(let address, let seconds):
            "the server at \(address) has not answered for \(Self.brief(seconds)) s (MPD_TIMEOUT changes that)"
        case .notTrusted(let address, let reason): "no encrypted connection to \(address): \(reason)"
        case .lost(let address): "the server at \(address) closed the connection"
        case .malformed(let address, let line): "the server at \(address) sent an invalid line: '\(line)'"
        case .refused(let refusal): refusal.description
        }
    }

    private static func describe(_ attempts: [Attempt]) -> String {
        guard let first = attempts.first else { return "there is no server address to try" }
        if attempts.count == 1 {
            let start = "no server answers at \(first.address): \(first.reason). "
            return start
                + (first.address.isLocal
                    ? "Start it with: systemctl --user start segued"
                    : "Is it running there and listening on that address?")
        }
        let others = attempts.dropFirst().map(\.address.description).joined(separator: ", ")
        return "no server answers at \(first.address), nor at \(others). "
            + "Start it with: systemctl --user start segued (or name another with --host)"
    }

    static func brief(_ seconds: Double) -> String {
        seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(saturating: seconds))" : "\(seconds)"
    }
}

extension Refusal: CustomStringConvertible {
    /// The server's message, with advice where there is any.
    package var description: String { description(withPassword: false) }

    /// - Parameter isWithPassword: Whether the client has given a password, which the server has accepted.
    package func description(withPassword isWithPassword: Bool) -> String {
        let who = command.isEmpty ? "the server refuses" : "the server refuses '\(command)'"
        switch known {
        case .wrongPassword: return "the server does not accept the password"
        case .permission:
            let owner = "the server's owner can allow it: see segue-clients(7)"
            if isWithPassword { return "\(who): \(text), not with this password; \(owner)" }
            return "\(who): \(text). Give a password with --password, or as password@host in SEGUE_HOST; or \(owner)"
        case .unknownCommand where text.hasPrefix("unknown command"):
            let name = text.split(separator: "\"").dropFirst().first ?? "?"
            return "the server has no command '\(name)'; it may be older than this program, or not be segued"
        default: return "\(who): \(text)"
        }
    }
}
