package import LineProtocol
internal import ServerBasics
package import TextEncodings

/// An argument by name, for requests in JSON: its value there, and the words of MPD's protocol that it stands for.
///
/// Where it is a place in a list, it counts from 1, as replies in JSON do; MPD's words count from 0.
package struct Parameter: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        /// A text, a number or a boolean.
        case scalar
        case oneOf([String])
        case boolean
        /// `off`, `on` or `once`, or a boolean.
        case mode
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case place
        /// A place, or one relative to the current song: `+N` or `-N`, a text.
        case insertPosition
        /// A place, and `count` for how many from there on; 1 without it.
        case places
        /// `offset`, from 0 on, and `limit`.
        case window
        /// `start` and `end` in seconds.
        case part
        /// Texts or numbers, each a word, behind the keyword each; one alone may stand without an array.
        case words
        /// Texts in one word, with commas between them.
        case commas
        /// The keyword alone, where it is true.
        case flag
        /// All arguments that have no other meaning, in their order: each its name and its value, or its name with each of its
        /// values.
        case pairs
        /// The same, for an object that has to be named.
        case details
        /// A time such as `10m`, or a number of seconds; recognised wherever it stands.
        case duration
    }

    /// Several names for one place, where they exclude each other: `days|date`.
    package let name: String
    package let form: Form
    package var isRequired: Bool
    /// The words in its place where it is absent and one behind it is there.
    package var substitute: String?
    /// The word before its own, for a command that tells arguments apart by words.
    package var keyword: String?

    package init(_ name: String, _ form: Form = .text, isRequired: Bool = true, after keyword: String? = nil) {
        (self.name, self.form, self.isRequired, self.keyword) = (name, form, isRequired, keyword)
    }

    /// The same, which may be absent.
    package var optional: Parameter {
        var parameter = self
        parameter.isRequired = false
        return parameter
    }

    /// Optional, behind a word of its own name or another.
    package static func key(_ name: String, _ form: Form = .text, word: String? = nil) -> Parameter {
        Parameter(name, form, isRequired: false, after: word ?? name)
    }

    package static func optional(_ name: String, _ form: Form = .text) -> Parameter {
        Parameter(name, form, isRequired: false)
    }

    /// Optional, with a word that stands for it where an argument behind it is there.
    package static func optional(_ name: String, _ form: Form, orElse substitute: String) -> Parameter {
        var parameter = optional(name, form)
        parameter.substitute = substitute
        return parameter
    }

    /// Whether a word of the command stands there.
    package static func flag(_ name: String, word: String? = nil) -> Parameter { key(name, .flag, word: word) }

    /// All other arguments.
    package static let pairs = Parameter("keys", .pairs, isRequired: false)
    package static let details = Parameter("keys", .details, isRequired: false)
}

extension Parameter.Form {
    /// The number of an object.
    package static let number = Parameter.Form.integer(0...Int.max)
}

/// The named arguments of one way to give a command.
package struct RequestForm: Sendable, Hashable {
    /// The command's first words, where these decide on the others; such as `interrupt begin`.
    package let verb: String?
    package let parameters: [Parameter]

    package init(_ verb: String?, _ parameters: [Parameter]) { (self.verb, self.parameters) = (verb, parameters) }

    package static func verb(_ name: String, _ parameters: Parameter...) -> RequestForm {
        RequestForm(name, parameters)
    }

    /// The words of a request.
    ///
    /// - Throws: An argument is missing, unknown, given twice or of the wrong type.
    package func words(of fields: [JSON.Field]) throws(AckError) -> [String] {
        var members = try Members(fields)
        var words = verbWords
        var missing: Parameter?
        for parameter in parameters {
            guard let own = try parameter.words(from: &members) else {
                if parameter.isRequired { throw badArgument("the argument '\(parameter.name)' is missing") }
                if parameter.isByPlace { missing = missing ?? parameter }
                continue
            }
            if let absent = missing, parameter.needs(absent) {
                guard let substitute = absent.substitute else {
                    throw badArgument("'\(parameter.name)' needs '\(absent.name)', too")
                }
                words.append(substitute)
                missing = nil
            }
            words += own
        }
        if let name = members.names.first { throw badArgument("there is no argument '\(name)'") }
        return try checked(words)
    }
}

/// Words of JSON, which may be no others than a line could have.
package func checked(_ words: [String]) throws(AckError) -> [String] {
    guard words.count <= RequestLine.mostArguments else { throw AckError(.badArgument, "Too many arguments") }
    guard words.allSatisfy({ !$0.utf8.contains(0x0a) && !$0.utf8.contains(0) }) else {
        throw badArgument("an argument has a line feed or a null character")
    }
    return words
}

/// `3.0` as `3`: some languages write all numbers with a fraction.
private func wholeNumber(_ json: JSON) -> JSON {
    guard case .number(let number) = json, number == number.rounded(), abs(number) < 1e15 else { return json }
    return .integer(Int(saturating: number))
}

private func badArgument(_ text: String) -> AckError { AckError(.badArgument, text) }

/// The word that a JSON value stands for where MPD's protocol has one.
///
/// - Throws: It is neither text nor number nor boolean.
package func word(_ json: JSON, _ name: String) throws(AckError) -> String {
    switch json {
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .number(let number): return short(number)
    case .bool(let isSo): return isSo ? "1" : "0"
    case .null, .array, .object: throw badArgument("'\(name)' must be a text, a number or a boolean")
    }
}

/// The named arguments of a request that no parameter has read yet.
private struct Members {
    private(set) var names: [String] = []
    private var values: [String: JSON] = [:]

    init(_ fields: [JSON.Field]) throws(AckError) {
        guard fields.count <= RequestLine.mostArguments else { throw badArgument("Too many arguments") }
        for field in fields {
            guard values.updateValue(field.value, forKey: field.name) == nil else {
                throw badArgument("the argument '\(field.name)' is there twice")
            }
            // As if it were not there.
            if field.value != .null { names.append(field.name) }
        }
    }

    mutating func take(_ name: String) -> JSON? {
        guard let place = names.firstIndex(of: name) else { return nil }
        names.remove(at: place)
        return values[name]
    }
}

extension Parameter {
    /// Whether nothing but its place tells the command which argument it is.
    fileprivate var isByPlace: Bool {
        switch form {
        case .pairs, .details, .oneOf, .duration: false
        default: keyword == nil
        }
    }

    /// Whether it cannot be there without another one before it.
    fileprivate func needs(_ other: Parameter) -> Bool { isByPlace || form == .details }

    /// - Returns: `nil` when the request does not have it.
    fileprivate func words(from members: inout Members) throws(AckError) -> [String]? {
        let words: [String]?
        switch form {
        case .places: words = try placeWords(&members)
        case .window: words = try windowWords(&members)
        case .part: words = try partWords(&members)
        case .pairs, .details: words = try pairWords(&members)
        case .words: words = try value(&members).map(listWords)
        case .commas:
            words = try value(&members).map { value throws(AckError) in [try listWords(value).joined(separator: ",")] }
        case .flag: return try flagWord(&members)
        default: words = try value(&members).map { value throws(AckError) in [try word(value)] }
        }
        guard let words, let keyword else { return words }
        return form == .words ? words.flatMap { [keyword, $0] } : [keyword] + words
    }

    private func value(_ members: inout Members) throws(AckError) -> JSON? {
        let values = name.split(separator: "|").compactMap { members.take(String($0)) }
        guard values.count < 2 else {
            throw badArgument("only one of '\(name.replacing("|", with: "' and '"))' can be there")
        }
        return values.first
    }

    private func flagWord(_ members: inout Members) throws(AckError) -> [String]? {
        switch members.take(name) {
        case nil, .bool(false)?: return nil
        case .bool(true)?: return keyword.map { [$0] }
        default: throw wrongType("true or false")
        }
    }

    private func word(_ json: JSON) throws(AckError) -> String {
        switch (form, wholeNumber(json)) {
        case (.place, .integer(let number)) where number > 0: return String(number - 1)
        case (.place, _): throw wrongType("a number from 1 on")
        case (.insertPosition, .integer(let number)) where number > 0: return String(number - 1)
        case (.insertPosition, .string(let text)) where text.hasPrefix("+") || text.hasPrefix("-"): return text
        case (.insertPosition, _): throw wrongType("a number from 1 on, or a text +N or -N")
        case (.boolean, .bool(let isSo)): return isSo ? "1" : "0"
        case (.boolean, _): throw wrongType("true or false")
        case (.mode, .bool(let isSo)): return isSo ? "1" : "0"
        case (.mode, .string("off")): return "0"
        case (.mode, .string("on")): return "1"
        case (.mode, .string("once")): return "oneshot"
        case (.mode, _): throw wrongType("off, on or once")
        case (.duration, .integer(let number)): return "\(number)s"
        case (.duration, .number(let number)): return "\(short(number))s"
        case (.duration, .string(let text)): return text
        case (.duration, _): throw wrongType("a text such as 10m, or a number of seconds")
        case (.integer, .integer(let number)): return String(number)
        case (.integer, _): throw wrongType("a whole number")
        case (.number, .integer(let number)): return String(number)
        case (.number, .number(let number)): return short(number)
        case (.number, _): throw wrongType("a number")
        default: return try ServerRequests.word(json, name)
        }
    }

    private func wrongType(_ what: String) -> AckError { badArgument("'\(name)' must be \(what)") }

    private func listWords(_ json: JSON) throws(AckError) -> [String] {
        guard case .array(let elements) = json else { return [try ServerRequests.word(json, name)] }
        var words: [String] = []
        for element in elements { words.append(try ServerRequests.word(element, name)) }
        return words
    }

    /// A number that is at least `least`; `nil` where there is none.
    private func number(_ name: String, from least: Int, _ members: inout Members) throws(AckError) -> Int? {
        guard let json = members.take(name) else { return nil }
        guard case .integer(let number) = wholeNumber(json), (least...Int(Int32.max)).contains(number) else {
            throw badArgument("'\(name)' must be a number from \(least) on")
        }
        return number
    }

    private func placeWords(_ members: inout Members) throws(AckError) -> [String]? {
        guard let first = try number(name, from: 1, &members) else { return nil }
        let count = try number("count", from: 1, &members)
        return [count.map { "\(first - 1):\(min(first - 1 + $0, Int(Int32.max)))" } ?? "\(first - 1)"]
    }

    private func windowWords(_ members: inout Members) throws(AckError) -> [String]? {
        let offset = try number("offset", from: 0, &members)
        let limit = try number("limit", from: 0, &members)
        guard offset != nil || limit != nil else { return nil }
        let start = offset ?? 0
        return ["\(start):\(limit.map { String(min(start + $0, Int(Int32.max))) } ?? "")"]
    }

    private func partWords(_ members: inout Members) throws(AckError) -> [String]? {
        var ends: [String] = []
        for name in ["start", "end"] {
            switch members.take(name) {
            case nil: ends.append("")
            case .integer(let number)?: ends.append(String(number))
            case .number(let number)?: ends.append(short(number))
            default: throw badArgument("'\(name)' must be a number of seconds")
            }
        }
        return ends == ["", ""] ? nil : [ends.joined(separator: ":")]
    }

    private func pairWords(_ members: inout Members) throws(AckError) -> [String]? {
        var words: [String] = []
        for name in members.names {
            guard let value = members.take(name) else { continue }
            let key = name.replacing("_", with: "-")
            for word in try listWords(value) { words += [key, word] }
        }
        return words.isEmpty ? nil : words
    }
}
