package import LineProtocol
internal import ServerBasics
package import TextEncodings

/// The named arguments of one way to give a command.
package struct RequestForm: Sendable, Hashable {
    /// The command's first words, where these decide on the others; such as `interrupt begin`.
    package let verb: String?
    package let parameters: [Parameter]

    package init(_ verb: String?, _ parameters: [Parameter]) { (self.verb, self.parameters) = (verb, parameters) }

    package static func verb(_ name: String, _ parameters: Parameter...) -> RequestForm {
        RequestForm(name, parameters)
    }

    /// The words that every request of the form begins with.
    package var verbWords: [String] { verb.map { $0.split(separator: " ").map(String.init) } ?? [] }

    /// The words of a request.
    ///
    /// - Throws: An argument is missing, unknown, given twice or of the wrong type.
    package func words(of fields: [JSON.Field]) throws(AckError) -> [String] {
        var members = try Members(fields)
        var words = verbWords
        var missing: Parameter?
        for parameter in parameters {
            let isRequired = parameter.isRequired || parameter.alternative.map { !members.has($0) } == true
            guard let own = try parameter.words(from: &members) else {
                if isRequired { throw badArgument("the argument \(parameter.text) is missing") }
                if parameter.isByPlace { missing = missing ?? parameter }
                continue
            }
            if let absent = missing, parameter.isByPlace || parameter.isDetail {
                guard let substitute = absent.substitute else {
                    throw badArgument("\(parameter.text) needs \(absent.text), too")
                }
                words.append(substitute)
                missing = nil
            }
            if !parameter.isRequired, parameter.isByPlace, let word = own.first, isTakenForAnother(word) {
                throw badArgument("\(parameter.text) cannot be '\(word)', which is a word of the command")
            }
            words += own
        }
        if let name = members.names.first { throw badArgument("there is no argument '\(name)'") }
        return try checked(words)
    }

    /// The words of a request whose arguments are in their order.
    ///
    /// - Throws: One is neither text nor number nor boolean, or they are too many.
    package func words(inOrder values: [JSON]) throws(AckError) -> [String] {
        var words = verbWords
        for value in values { words.append(try word(value, "params")) }
        return try checked(words)
    }

    /// Whether the command takes a word that stands where an argument may be absent for another argument.
    private func isTakenForAnother(_ word: String) -> Bool {
        parameters.contains { parameter in
            if case .oneOf(let words) = parameter.form, parameter.keyword == nil { return words.contains(word) }
            return parameter.keyword == word
        }
    }
}

/// Words of JSON, which may be no others than a line could have.
///
/// - Throws: They are too many, or one has a character that no line can have.
func checked(_ words: [String]) throws(AckError) -> [String] {
    guard words.count <= RequestLine.mostArguments else { throw AckError(.badArgument, "Too many arguments") }
    guard words.allSatisfy({ !$0.utf8.contains(0x0a) && !$0.utf8.contains(0) }) else {
        throw badArgument("an argument has a line feed or a null character")
    }
    return words
}

func badArgument(_ text: String) -> AckError { AckError(.badArgument, text) }

/// The named arguments of a request that no parameter has read yet.
struct Members {
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

    func has(_ name: String) -> Bool { names.contains(name) }

    mutating func take(_ name: String) -> JSON? {
        guard let place = names.firstIndex(of: name) else { return nil }
        names.remove(at: place)
        return values[name]
    }
}
