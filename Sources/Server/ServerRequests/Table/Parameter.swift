/// An argument by name, for requests in JSON: its value there, and the words of MPD's protocol that it stands for.
///
/// Where it is a place in a list, it counts from 1, as replies in JSON do; MPD's words count from 0.
package struct Parameter: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        /// A text or a number.
        case scalar
        case oneOf([String])
        case boolean
        /// A boolean, or this word.
        case booleanOr(String)
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
        /// `operator`, one of these words, and `value`.
        case comparison([String])
        /// Texts or numbers, each a word, behind the keyword each; one alone may stand without an array.
        case words
        /// Texts in one word, with commas between them; one alone may stand without an array.
        case commas
        /// The keyword alone, where it is true.
        case flag
        /// A time such as `10m`, or a number of seconds; recognised wherever it stands.
        case duration
    }

    /// Several names for one place, where they exclude each other: `days|date`.
    package let name: String
    package let form: Form
    package var isRequired: Bool
    /// The name of another argument, without which it is required.
    package private(set) var alternative: String?
    /// The words in its place where it is absent and one behind it is there.
    package private(set) var substitute: String?
    /// The word before its own, for a command that tells arguments apart by words.
    package let keyword: String?
    /// Whether it says something about the object that the argument by place before it names, which is needed then.
    package private(set) var isDetail = false

    package init(_ name: String, _ form: Form = .text, isRequired: Bool = true, after keyword: String? = nil) {
        (self.name, self.form, self.isRequired, self.keyword) = (name, form, isRequired, keyword)
    }

    /// The same, which may be absent.
    package var optional: Parameter {
        var parameter = self
        parameter.isRequired = false
        return parameter
    }

    /// Optional, behind a word: its own name, with `-` for `_`, or another.
    package static func key(_ name: String, _ form: Form = .text, word: String? = nil) -> Parameter {
        Parameter(name, form, isRequired: false, after: word ?? name.replacing("_", with: "-"))
    }

    /// A key of an object that has to be named.
    package static func detail(_ name: String, _ form: Form = .text) -> Parameter {
        var parameter = key(name, form)
        parameter.isDetail = true
        return parameter
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

    /// Required, unless another one is there.
    package static func required(_ name: String, _ form: Form = .text, unless alternative: String) -> Parameter {
        var parameter = optional(name, form)
        parameter.alternative = alternative
        return parameter
    }

    /// Whether a word of the command stands there.
    package static func flag(_ name: String, word: String? = nil) -> Parameter { key(name, .flag, word: word) }

    /// The names of its members in a request.
    package var names: [String] {
        switch form {
        case .places: [name, "count"]
        case .window: ["offset", "limit"]
        case .part: ["start", "end"]
        case .comparison: ["operator", "value"]
        default: name.split(separator: "|").map(String.init)
        }
    }

    /// Whether nothing but its place tells the command which argument it is.
    var isByPlace: Bool {
        switch form {
        case .oneOf, .duration, .comparison: false
        default: keyword == nil
        }
    }
}

extension Parameter.Form {
    /// The number of an object.
    package static let number = Parameter.Form.integer(0...Int.max)
}
