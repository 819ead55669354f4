internal import LineProtocol

/// What a command's handler leaves to be done.
enum Outcome {
    /// The reply is complete.
    case done
    /// The rest of the reply comes from a source, as fast as the client reads it.
    case stream(any ReplySource)
    /// The same, and once it is exhausted the reply goes on with what the closure says.
    case streamThen(any ReplySource, () throws -> Outcome)
    /// The client was suspended, and somebody will resume it.
    case suspended
    /// The connection ends without a reply.
    case close
    /// The client waits for changes.
    case idle(Subsystems)
}

/// One row of the command table: everything there is to know about a command.
///
/// A class, so that looking one up does not copy it.
final class Command: Sendable {
    typealias Handler = @Sendable (Client) throws -> Outcome

    let name: String
    /// `nil`: everybody may.
    let permission: Permissions?
    /// As the manual writes it.
    let usage: String
    private let fewest: Int
    private let most: Int?
    private let run: @Sendable (Client, inout ArgumentCursor) throws -> Outcome

    /// A command with typed arguments, whose handler gets them read.
    init<each Value>(
        _ name: String,
        _ permission: Permissions?,
        _ arguments: repeat Argument<each Value>,
        handler: @escaping @Sendable (Client, repeat each Value) throws -> Outcome
    ) {
        self.name = name
        self.permission = permission
        var usage = name
        var fewest = 0
        var most: Int? = 0
        for argument in repeat each arguments {
            if !argument.name.isEmpty { usage += " " + argument.name }
            fewest += argument.fewest
            most = most.flatMap { count in argument.most.map { count + $0 } }
        }
        self.usage = usage
        self.fewest = fewest
        self.most = most
        run = { client, cursor in
            try handler(client, repeat (each arguments).read(&cursor))
        }
    }

    /// A command whose reply is only `OK`.
    static func plain<each Value>(
        _ name: String,
        _ permission: Permissions?,
        _ arguments: repeat Argument<each Value>,
        handler: @escaping @Sendable (Client, repeat each Value) throws -> Void
    ) -> Command {
        Command(name, permission, repeat each arguments) { (client: Client, values: repeat each Value) in
            try handler(client, repeat each values)
            return .done
        }
    }

    /// - Throws: `AckError`, or what the handler throws.
    func callAsFunction(_ client: Client, _ arguments: [String]) throws -> Outcome {
        if let most, fewest == most, arguments.count != fewest { throw wrongCount("wrong number of") }
        if arguments.count < fewest { throw wrongCount("too few") }
        if let most, arguments.count > most { throw wrongCount("too many") }
        var cursor = ArgumentCursor(arguments)
        return try run(client, &cursor)
    }

    private func wrongCount(_ what: String) -> AckError { AckError(.badArgument, "\(what) arguments for \"\(name)\"") }
}
