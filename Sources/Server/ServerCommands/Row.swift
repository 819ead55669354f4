package import LineProtocol
package import ServerBasics

/// A row of the command table, typed by the services that its handler uses.
package struct Row<Services: RequestServices>: Sendable {
    package let command: Command

    private init(changed command: Command) { self.command = command }

    /// A command with typed arguments, which its handler gets parsed.
    package init<each Value>(
        _ name: String,
        _ permission: Permissions?,
        library: LibraryRule,
        reply: ReplyRule = .nothing,
        _ arguments: repeat Argument<each Value>,
        handler: @escaping @Sendable (Request<Services>, repeat each Value) throws -> Outcome
    ) {
        command = Command(name, permission, library: library, reply: reply, repeat each arguments) {
            connection,
            groups,
            cursor in
            let request = Request(connection, Services.of(groups))
            return try handler(request, repeat (each arguments).read(&cursor))
        }
    }

    /// A command whose reply is complete when its handler returns.
    package static func plain<each Value>(
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

    /// The command for clients that may only add at the end, too; its handler limits them to their own entries.
    package func forAddOnly(where isAllowed: @escaping ArgumentCondition = { _ in true }) -> Row {
        Row(changed: command.with { $0.isForAddOnly = isAllowed })
    }

    /// The command with what becomes of an alarm that rings in the client's zone.
    package func forAlarm(_ effect: @escaping @Sendable ([String]) -> AlarmEffect) -> Row {
        Row(changed: command.with { $0.alarmEffect = effect })
    }

    /// The command with its meaning for announcement guests; without it, by its permission, a change or nothing to them.
    package func forGuests(_ request: @escaping @Sendable ([String]) -> GuestRequest) -> Row {
        Row(changed: command.with { $0.guestRequest = request })
    }

    /// The command for clients only, not for schedules: it means something to a connection, or would go on for ever.
    package func notForSchedules(where isMeant: @escaping ArgumentCondition = { _ in true }) -> Row {
        Row(changed: command.with { $0.isForClientsOnly = isMeant })
    }
}
