internal import LineProtocol
internal import ServerBasics
internal import ServerRequests

/// A row of the command table, typed by the services that its handler uses.
struct Row<Services: RequestServices>: Sendable {
    let command: Command

    private init(changed command: Command) { self.command = command }

    /// A command with typed arguments, which its handler gets parsed.
    init<each Value>(
        _ name: String,
        _ permission: Permissions?,
        library: LibraryRule,
        reply: ReplyRule = .nothing,
        _ arguments: repeat Argument<each Value>,
        handler: @escaping @Sendable (Request<Services>, repeat each Value) throws -> Outcome
    ) {
        command = Command(name, permission, library: library, reply: reply, repeat each arguments) {
            context,
            groups,
            cursor in
            let request = Request(context, Services.of(groups))
            return try handler(request, repeat (each arguments).read(&cursor))
        }
    }

    /// A command whose reply is complete when its handler returns.
    static func plain<each Value>(
        _ name: String,
        _ permission: Permissions?,
        library: LibraryRule,
        reply: ReplyRule = .nothing,
        _ arguments: repeat Argument<each Value>,
        handler: @escaping @Sendable (Request<Services>, repeat each Value) throws -> Void
    ) -> Row {
        Row(name, permission, library: library, reply: reply, repeat each arguments) {
            (request: Request<Services>, values: repeat each Value) in
            try handler(request, repeat each values)
            return .done
        }
    }

    /// The command with verbs, each of which has named arguments of its own.
    func verbs(_ forms: RequestForm...) -> Row { Row(changed: command.with(forms)) }

    /// The command for clients that may only add at the end, too; its handler limits them to their own entries.
    func forAddOnly(where isAllowed: @escaping ArgumentCondition = { _ in true }) -> Row {
        Row(changed: command.with { $0.isForAddOnly = isAllowed })
    }

    /// The command for clients to which it is withheld for a while, too.
    func forRestricted(where isAllowed: @escaping ArgumentCondition) -> Row {
        Row(changed: command.with { $0.isForRestricted = isAllowed })
    }

    /// The command with what becomes of an alarm that rings in the client's zone.
    func forAlarm(_ effect: @escaping @Sendable ([String]) -> AlarmEffect) -> Row {
        Row(changed: command.with { $0.alarmEffect = effect })
    }

    /// The command with its meaning for announcement guests; without it, by its permission, a change or nothing to them.
    func forGuests(_ request: @escaping @Sendable ([String]) -> GuestRequest) -> Row {
        Row(changed: command.with { $0.guestRequest = request })
    }

    /// The command for clients only, not for schedules: it means something to a connection, or would go on for ever.
    func notForSchedules(where isMeant: @escaping ArgumentCondition = { _ in true }) -> Row {
        Row(changed: command.with { $0.isForClientsOnly = isMeant })
    }
}
