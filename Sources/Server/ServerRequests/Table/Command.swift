package import LineProtocol
package import ServerBasics
internal import Songs

/// Everything about one command of the table.
///
/// A class, so that a lookup does not copy it.
package final class Command: Sendable {
    package let name: String
    /// `nil`: no permission is needed.
    package let permission: Permissions?
    /// As the manual writes it.
    package let usage: String
    private let fewest: Int
    private let most: Int?
    /// For each argument, the most words it takes, and closures that say what its words mean for permissions.
    private let readers: [WordReader]
    /// The songs that its requests tell of.
    package let library: LibraryRule
    /// The records of its replies.
    package let reply: ReplyRule
    /// Its named arguments; several ways to give it where its first words decide.
    package let forms: [RequestForm]
    private let traits: CommandTraits
    private let run: @Sendable (RequestContext, ServiceGroups, inout ArgumentCursor) throws -> Outcome

    /// - Parameter run: Reads the arguments, and carries out the request.
    package init<each Value>(
        _ name: String,
        _ permission: Permissions?,
        library: LibraryRule,
        reply: ReplyRule,
        _ arguments: repeat Argument<each Value>,
        run: @escaping @Sendable (RequestContext, ServiceGroups, inout ArgumentCursor) throws -> Outcome
    ) {
        self.name = name
        self.permission = permission
        self.library = library
        self.reply = reply
        self.run = run
        var usage = name
        var fewest = 0
        var most: Int? = 0
        var readers: [WordReader] = []
        var parameters: [Parameter] = []
        for argument in repeat each arguments {
            if !argument.name.isEmpty { usage += " " + argument.name }
            fewest += argument.fewest
            most = most.flatMap { count in argument.most.map { count + $0 } }
            readers.append(WordReader(argument))
            parameters += argument.parameters
        }
        self.usage = usage
        self.fewest = fewest
        self.most = most
        self.readers = readers
        forms = [RequestForm(nil, parameters)]
        traits = CommandTraits()
    }

    private init(_ other: Command, _ traits: CommandTraits, _ forms: [RequestForm]) {
        (name, permission, usage) = (other.name, other.permission, other.usage)
        (library, reply) = (other.library, other.reply)
        (fewest, most, readers, run) = (other.fewest, other.most, other.readers, other.run)
        self.traits = traits
        self.forms = forms
    }

    package func with(_ change: (inout CommandTraits) -> Void) -> Command {
        var traits = traits
        change(&traits)
        return Command(self, traits, forms)
    }

    /// The command with several ways to give it.
    package func with(_ forms: [RequestForm]) -> Command { Command(self, traits, forms) }

    /// Whether a client that may only add at the end may give the command with these arguments.
    package func isForAddOnly(_ arguments: [String]) -> Bool { traits.isForAddOnly(arguments) }

    package func alarmEffect(_ arguments: [String]) -> AlarmEffect { traits.alarmEffect(arguments) }

    package func guestRequest(_ arguments: [String]) -> GuestRequest {
        if let read = traits.guestRequest { return read(arguments) }
        return permission == .player || permission == .add || permission == .control ? .change : .other
    }

    /// Whether a client to which the command is withheld for a while may give it with these arguments nevertheless.
    package func isForRestricted(_ arguments: [String]) -> Bool { traits.isForRestricted(arguments) }

    /// Whether no schedule can have the command with these arguments.
    package func isForClientsOnly(_ arguments: [String]) -> Bool { traits.isForClientsOnly(arguments) }

    /// The permissions that a request needs: those of the command, those of its verb, and `network` when an argument is a
    /// URL that the server may fetch.
    package func permissions(for arguments: [String]) -> Permissions {
        var needed = permission ?? []
        forEachReader(of: arguments) { reader, words in
            needed.formUnion(reader.needs(words))
            if reader.locations(words).contains(where: namesNetwork) { needed.insert(.network) }
        }
        return needed
    }

    /// The zones that a request acts on, where it names some; an empty name is the client's own zone.
    package func zones(in arguments: [String]) -> [String] {
        var zones: [String] = []
        forEachReader(of: arguments) { reader, words in zones += reader.zones(words) }
        return zones
    }

    /// Throws when a path or URL is longer than `limit` bytes.
    package func checkLocations(_ arguments: [String], limit: Int) throws(AckError) {
        guard arguments.contains(where: { $0.utf8.count > limit }),
            hasLocation(in: arguments, where: { $0.utf8.count > limit })
        else { return }
        throw exceeds("max-uri-size", limit)
    }

    private func hasLocation(in arguments: [String], where isMeant: (String) -> Bool) -> Bool {
        var isThere = false
        forEachReader(of: arguments) { reader, words in
            if !isThere { isThere = reader.locations(words).contains(where: isMeant) }
        }
        return isThere
    }

    private func forEachReader(of arguments: [String], _ body: (WordReader, ArraySlice<String>) -> Void) {
        var rest = arguments[...]
        for reader in readers where !rest.isEmpty {
            let words = rest.prefix(reader.most ?? rest.count)
            body(reader, words)
            rest = rest.dropFirst(words.count)
        }
    }

    /// - Throws: `AckError`, or what the handler throws.
    package func callAsFunction(
        _ context: RequestContext,
        _ arguments: [String],
        in services: ServiceGroups
    ) throws -> Outcome {
        if let most, fewest == most, arguments.count != fewest { throw wrongCount("wrong number of") }
        if arguments.count < fewest { throw wrongCount("too few") }
        if let most, arguments.count > most { throw wrongCount("too many") }
        var cursor = ArgumentCursor(arguments)
        return try run(context, services, &cursor)
    }

    private func wrongCount(_ what: String) -> AckError { AckError(.badArgument, "\(what) arguments for \"\(name)\"") }
}

/// Whether something holds for a request with these arguments.
package typealias ArgumentCondition = @Sendable (_ arguments: [String]) -> Bool

/// The rest of a row: what holds for few commands.
package struct CommandTraits: Sendable {
    package var isForAddOnly: ArgumentCondition = { _ in false }
    package var isForRestricted: ArgumentCondition = { _ in false }
    package var isForClientsOnly: ArgumentCondition = { _ in false }
    package var alarmEffect: @Sendable ([String]) -> AlarmEffect = { _ in .none }
    package var guestRequest: (@Sendable ([String]) -> GuestRequest)?
}

/// The fate of an alarm that rings in a client's zone, before the client's request is carried out.
package enum AlarmEffect: Sendable {
    case none
    case ends
    /// It ends, and that is all that the request does.
    case endsInstead
}

/// A request of an announcement guest, which sees a queue of its own (`AnnouncementGuests`).
package enum GuestRequest: Sendable, Hashable {
    case status
    /// The songs of the queue, or the current one.
    case songs
    case clear
    case add(uri: String?, tellsID: Bool = false)
    case play
    /// In percent; `nil` for what is no volume.
    case setVolume(Int?)
    case stop
    /// Any other change of a queue, a player or the server.
    case change
    /// It concerns no queue.
    case other
}

/// The meaning of an argument's words for permissions, without the argument's type.
private struct WordReader: Sendable {
    let most: Int?
    let locations: @Sendable (ArraySlice<String>) -> [String]
    let zones: @Sendable (ArraySlice<String>) -> [String]
    let needs: @Sendable (ArraySlice<String>) -> Permissions

    init<Value>(_ argument: Argument<Value>) {
        most = argument.most
        locations = argument.locations
        zones = argument.zones
        needs = argument.needs
    }
}

/// Whether a location is a URL of a scheme other than `file`.
private func namesNetwork(_ location: String) -> Bool {
    hasScheme(location) && location.prefix(5).lowercased() != "file:"
}
