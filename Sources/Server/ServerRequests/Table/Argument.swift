package import AudioTypes
package import LineProtocol
internal import ServerBasics

/// The unread arguments of a request.
package struct ArgumentCursor {
    private let arguments: [String]
    private var place = 0

    package init(_ arguments: [String]) { self.arguments = arguments }

    package var isAtEnd: Bool { place >= arguments.count }

    /// The next argument; the number of arguments was checked before.
    package mutating func next() throws(AckError) -> String {
        guard place < arguments.count else { throw AckError(.badArgument, "too few arguments") }
        defer { place += 1 }
        return arguments[place]
    }

    package mutating func rest() -> [String] {
        defer { place = arguments.count }
        return Array(arguments[place...])
    }
}

/// One argument of a command: its name in the manual, and its parser.
package struct Argument<Value>: Sendable {
    package let name: String
    /// How many words it takes, at least and at most; `nil` for any number.
    package let fewest: Int
    package let most: Int?
    /// The words that name a medium or a playlist, and so may be URLs.
    package var locations: @Sendable (ArraySlice<String>) -> [String] = { _ in [] }
    /// The zones that the words name; an empty name is the client's own zone.
    package var zones: @Sendable (ArraySlice<String>) -> [String] = { _ in [] }
    /// The permissions that the words need besides the command's.
    package var needs: @Sendable (ArraySlice<String>) -> Permissions = { _ in [] }
    /// Its arguments by name.
    package var parameters: [Parameter] = []
    package let read: @Sendable (inout ArgumentCursor) throws -> Value

    /// One word that must be present.
    package static func required(
        _ name: String,
        _ parse: @escaping @Sendable (String) throws(AckError) -> Value
    ) -> Self { required(name, .text, parse) }

    /// One word that must be present.
    ///
    /// - Parameter form: Its value in JSON, under the same name in lower case.
    package static func required(
        _ name: String,
        _ form: Parameter.Form,
        _ parse: @escaping @Sendable (String) throws(AckError) -> Value
    ) -> Self {
        Self(name: name, fewest: 1, most: 1, parameters: [Parameter(name.lowercased(), form)]) { cursor in
            try parse(cursor.next())
        }
    }

    /// The argument with a name of its own in JSON.
    package func named(_ name: String, _ form: Parameter.Form? = nil) -> Self {
        var argument = self
        argument.parameters = parameters.map { Parameter(name, form ?? $0.form, isRequired: $0.isRequired) }
        return argument
    }

    /// The argument as several ones in JSON.
    package func named(_ parameters: Parameter...) -> Self { named(parameters) }

    package func named(_ parameters: [Parameter]) -> Self {
        var argument = self
        argument.parameters = parameters
        return argument
    }
}

extension Argument {
    /// A word that may be omitted.
    package static func optional<Wrapped>(_ argument: Argument<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            name: "[\(argument.name)]",
            fewest: 0,
            most: argument.most,
            locations: argument.locations,
            zones: argument.zones,
            needs: argument.needs,
            parameters: argument.parameters.map(\.optional)
        ) { cursor in cursor.isAtEnd ? nil : try argument.read(&cursor) }
    }
}

extension Argument<String> {
    package static func text(_ name: String) -> Self { .required(name) { word throws(AckError) in word } }

    /// The name of a zone that the command acts on, in place of the client's own or besides it.
    package static func zone(_ name: String, besidesOwn isBeside: Bool = false) -> Self {
        var argument = text(name)
        argument.zones = { isBeside ? $0 + [""] : Array($0) }
        return argument
    }

    /// A verb; some of them need more than the command.
    package static func verb(_ name: String, needing needs: [String: Permissions]) -> Self {
        var argument = text(name)
        argument.needs = { words in words.first.flatMap { needs[$0] } ?? [] }
        return argument
    }

    /// A path, or a URL that the command may make the server fetch.
    package static func location(_ name: String) -> Self {
        var argument = text(name)
        argument.locations = { Array($0) }
        return argument
    }
}

extension Argument<[String]> {
    /// All remaining words.
    ///
    /// - Parameters:
    ///   - locations: Picks the words that may be URLs for the server to fetch.
    ///   - zones: Picks the names of zones that the command acts on in place of the client's own.
    ///   - needs: The permissions that the words need besides the command's.
    package static func rest(
        _ name: String,
        fewest: Int = 0,
        locations: @escaping @Sendable (ArraySlice<String>) -> [String] = { _ in [] },
        zones: @escaping @Sendable (ArraySlice<String>) -> [String] = { _ in [] },
        needs: @escaping @Sendable (ArraySlice<String>) -> Permissions = { _ in [] }
    ) -> Self {
        Self(name: name, fewest: fewest, most: nil, locations: locations, zones: zones, needs: needs) { cursor in
            cursor.rest()
        }
    }
}

extension Argument<Bool> {
    package static func boolean(_ name: String) -> Self { .required(name, .boolean, parseBoolean) }
}

extension Argument<Int> {
    package static func integer(_ name: String, _ range: ClosedRange<Int> = Int.min...Int.max) -> Self {
        .required(name, .integer(range)) { word throws(AckError) in try parseInteger(word, in: range) }
    }

    /// A number from 0 on.
    package static func unsigned(_ name: String, through limit: Int = Int(Int32.max)) -> Self {
        .required(name, .integer(0...limit)) { word throws(AckError) in try parseInteger(word, in: 0...limit) }
    }
}

extension Argument<UInt32> {
    /// The id of an entry of the queue.
    package static func id(_ name: String = "SONGID") -> Self {
        .required(name, .integer(0...Int(UInt32.max))) { word throws(AckError) in
            UInt32(try parseInteger(word, in: 0...Int(UInt32.max)))
        }
        .named(name == "SONGID" ? "id" : name.lowercased())
    }
}

extension Argument<Int> {
    /// A whole number within bounds that MPD does not have.
    package static func number(_ name: String, _ range: ClosedRange<Int>, unit: String) -> Self {
        .required(name, .integer(range)) { word throws(AckError) in
            try within(range, parseInteger(word, in: Int.min...Int.max), word, unit: unit)
        }
    }
}

extension Argument<Double> {
    package static func number(_ name: String, _ range: ClosedRange<Double>, unit: String) -> Self {
        .required(name, .number(range)) { word throws(AckError) in
            try within(range, parseNumber(word), word, unit: unit)
        }
    }
}

extension Argument<MediaTime> {
    /// Seconds from 0 on.
    package static func time(_ name: String = "TIME") -> Self {
        .required(name, .number(0...MediaTime.limit)) { word throws(AckError) in
            let seconds = try parseNumber(word)
            if seconds < 0 { throw AckError(.badArgument, "Negative value not allowed: \(word)") }
            return try mediaTime(seconds, word, from: 0)
        }
    }
}

extension Argument<QueueRange> {
    package static func range(_ name: String = "START:END") -> Self {
        .required(name, QueueRange.init(parsing:)).named("position", .places)
    }
}

extension Argument<InsertPosition> {
    package static func position(_ name: String = "POSITION") -> Self {
        .required(name, .insertPosition, InsertPosition.init(parsing:))
    }
}

package func parseBoolean(_ word: String) throws(AckError) -> Bool {
    switch word {
    case "1": return true
    case "0": return false
    default: throw AckError(.badArgument, "Boolean (0/1) expected: \(word)")
    }
}

package func parseInteger(_ word: String, in range: ClosedRange<Int>) throws(AckError) -> Int {
    guard let number = Int(word) else {
        let digits = word.hasPrefix("-") || word.hasPrefix("+") ? word.dropFirst() : word[...]
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        throw AckError(.badArgument, "\(isNumber ? "Number too large" : "Integer expected"): \(word)")
    }
    // MPD uses this text for numbers that are too small, too.
    guard range.contains(number) else { throw AckError(.badArgument, "Number too large: \(word)") }
    return number
}

package func parseNumber(_ word: String) throws(AckError) -> Double {
    guard let number = Double(word) else { throw AckError(.badArgument, "Float expected: \(word)") }
    return number
}

/// Seconds within the bounds of a time; may be negative.
package func parseTime(_ word: String) throws(AckError) -> MediaTime {
    try mediaTime(parseNumber(word), word, from: -MediaTime.limit)
}

private func mediaTime(_ seconds: Double, _ word: String, from least: Double) throws(AckError) -> MediaTime {
    guard !seconds.isNaN else { throw AckError(.badArgument, "Float expected: \(word)") }
    return MediaTime(seconds: try within(least...MediaTime.limit, seconds, word, unit: "seconds"))
}

/// Checks that a parsed number is within bounds, and names the bounds if it is not.
package func within<Number: Comparable>(
    _ range: ClosedRange<Number>,
    _ number: Number,
    _ word: String,
    unit: String
) throws(AckError) -> Number {
    guard !range.contains(number) else { return number }
    // MPD's text for numbers that are too small, too.
    let bounds = "\(brief(range.lowerBound)) to \(brief(range.upperBound)) \(unit)"
    throw AckError(.badArgument, "Number too large: \(word) (it is from \(bounds))")
}

private func brief(_ number: some Comparable) -> String { (number as? Double).map(short) ?? "\(number)" }
