internal import LineProtocol
internal import ServerBasics
internal import TextEncodings

/// The word of an argument that is given by its place.
///
/// - Throws: It is neither text nor number nor boolean.
func word(_ json: JSON, _ name: String) throws(AckError) -> String {
    if case .bool(let isSo) = json { return isSo ? "1" : "0" }
    guard let word = textOrNumber(json) else { throw badArgument("'\(name)' must be a text, a number or a boolean") }
    return word
}

private func textOrNumber(_ json: JSON) -> String? {
    switch json {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): short(number)
    case .bool, .null, .array, .object: nil
    }
}

/// `3.0` as `3`: some languages write all numbers with a fraction.
private func wholeNumber(_ json: JSON) -> JSON {
    guard case .number(let number) = json, number == number.rounded(), abs(number) < 1e15 else { return json }
    return .integer(Int(saturating: number))
}

extension Parameter {
    /// Its name as errors tell it.
    var text: String { "'\(name.replacing("|", with: "' or '"))'" }

    /// - Returns: `nil` when the request does not have it.
    func words(from members: inout Members) throws(AckError) -> [String]? {
        let words: [String]?
        switch form {
        case .places: words = try placeWords(&members)
        case .window: words = try windowWords(&members)
        case .part: words = try partWords(&members)
        case .comparison(let operators): words = try comparisonWords(operators, &members)
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
        let values = names.compactMap { members.take($0) }
        guard values.count < 2 else { throw badArgument("only one of \(text) can be there") }
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
        case (.booleanOr, .bool(let isSo)): return isSo ? "1" : "0"
        case (.booleanOr(let other), .string(let text)) where text == other: return text
        case (.booleanOr(let other), _): throw wrongType("true, false or \(other)")
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
        case (.oneOf(let words), .string(let text)) where words.contains(text): return text
        case (.oneOf(let words), _): throw wrongType("one of \(words.joined(separator: ", "))")
        case (.scalar, let value):
            guard let word = textOrNumber(value) else { throw wrongType("a text or a number") }
            return word
        case (_, .string(let text)): return text
        default: throw wrongType("a text")
        }
    }

    private func wrongType(_ what: String) -> AckError { badArgument("\(text) must be \(what)") }

    private func listWords(_ json: JSON) throws(AckError) -> [String] {
        let elements = if case .array(let elements) = json { elements } else { [json] }
        var words: [String] = []
        for element in elements {
            guard let word = textOrNumber(wholeNumber(element)) else {
                throw wrongType("a text or a number, or an array of them")
            }
            words.append(word)
        }
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
        for name in names {
            switch members.take(name) {
            case nil: ends.append("")
            case .integer(let number)?: ends.append(String(number))
            case .number(let number)?: ends.append(short(number))
            default: throw badArgument("'\(name)' must be a number of seconds")
            }
        }
        // Without both it is the whole song.
        return ends == ["", ""] && !isRequired ? nil : [ends.joined(separator: ":")]
    }

    private func comparisonWords(_ operators: [String], _ members: inout Members) throws(AckError) -> [String]? {
        switch (members.take("operator"), members.take("value").map(textOrNumber)) {
        case (nil, nil): return nil
        case (.string(let name)?, let value??) where operators.contains(name): return [name, value]
        case (.string(let name)?, _?) where operators.contains(name):
            throw badArgument("'value' must be a text or a number")
        case (_?, _?): throw badArgument("'operator' must be one of \(operators.joined(separator: ", "))")
        default: throw badArgument("'operator' and 'value' need each other")
        }
    }
}
