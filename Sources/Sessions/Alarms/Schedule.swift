private import AudioTypes
package import ValueText

/// Commands of the protocol that the server carries out at a time.
package struct Schedule: Sendable, Hashable, Identifiable {
    /// A positive number, never reused.
    package let id: Int
    package var when: Recurrence
    /// The zone that the commands act on; empty for the default zone.
    package var zone = ""
    /// For people.
    package var name = ""
    /// Lines of the protocol, carried out one after another up to the first that fails.
    package var commands: [String] = []
    package var maker = Maker()

    /// The client that made it, whose rights it has.
    package struct Maker: Sendable, Hashable {
        /// The user, the address or the name that rights are kept for, as text.
        package var principal = ""
        /// From where it connected: `uid 1000`, or an address.
        package var origin = ""
        /// This machine's address in the connection; `nil` for a Unix socket.
        package var server: String?
        /// The address of the listener, where that has permissions of its own.
        package var listener: String?

        package init() {}
    }

    package init(id: Int, _ when: Recurrence) {
        self.id = id
        self.when = when
    }

    /// How many commands one may have.
    package static let mostCommands = 8
    /// In bytes, of one command.
    package static let longestCommand = 1_024
}

/// A schedule as clients write it and the journal keeps it: `TIME [DAYS|DATE] [KEY VALUE]...`.
extension Schedule {
    /// Parses a schedule.
    ///
    /// - Parameters:
    ///   - now: Without days it is due at the first such time after it.
    ///   - isStored: Whether the words come from the journal, which has more keys.
    package init(
        id: Int,
        parsing words: [String],
        now: Moment,
        in zone: LocalTime,
        isStored: Bool = false
    ) throws(ArgumentProblem) {
        var words = words[...]
        self.init(id: id, try Recurrence(parsing: &words, now: now, in: zone))
        while let key = words.popFirst() {
            guard let value = words.popFirst() else { throw ArgumentProblem("\(key) has no value") }
            if isStored, try setStored(key, value) { continue }
            try set(key, value)
        }
        guard !commands.isEmpty else { throw ArgumentProblem("a schedule has a command") }
    }

    private mutating func set(_ key: String, _ value: String) throws(ArgumentProblem) {
        switch key {
        case "zone": zone = try text(value, 64)
        case "name": name = try text(value, 64)
        case "holidays": when.includesHolidays = try flag(value)
        case "command":
            guard commands.count < Self.mostCommands else {
                throw ArgumentProblem("a schedule has at most \(Self.mostCommands) commands")
            }
            commands.append(try text(value, Self.longestCommand))
        default: throw ArgumentProblem("a schedule has no key '\(key)'")
        }
    }

    /// - Returns: Whether it is a key that only the journal has.
    private mutating func setStored(_ key: String, _ value: String) throws(ArgumentProblem) -> Bool {
        if try when.setStored(key, value) { return true }
        switch key {
        case "by": maker.principal = value
        case "from": maker.origin = value
        case "at": maker.server = value
        case "listener": maker.listener = value
        default: return false
        }
        return true
    }

    /// The settings besides the time and the commands, in the order of output.
    package var settings: [(key: String, value: String)] {
        var settings: [(key: String, value: String)] = []
        if !zone.isEmpty { settings.append(("zone", zone)) }
        if !name.isEmpty { settings.append(("name", name)) }
        if when.includesHolidays { settings.append(("holidays", "1")) }
        return settings
    }

    /// The schedule's words for the journal.
    package var storedWords: [String] {
        var words = when.words + settings.flatMap { [$0.key, $0.value] }
        for command in commands { words += ["command", command] }
        words += when.storedWords + ["by", maker.principal, "from", maker.origin]
        if let server = maker.server { words += ["at", server] }
        if let listener = maker.listener { words += ["listener", listener] }
        return words
    }
}
