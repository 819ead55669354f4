package import Records
package import TextEncodings

/// The records of a command's replies, by the arguments of its requests.
package struct ReplyRule: Sendable {
    /// `nil` where a reply has no lines.
    package let shape: @Sendable (_ arguments: [String]) -> RecordShape?

    /// Arguments, behind those of the verb, with which a reply is typical, where its records depend on them.
    package let typical: [String]

    /// Arguments with which a reply has records of another kind.
    package let other: [String]?

    /// The JSON schema of a result that is not made of records.
    package private(set) var schema: JSON?

    package init(
        typical: [String] = [],
        other: [String]? = nil,
        _ shape: @escaping @Sendable (_ arguments: [String]) -> RecordShape?
    ) {
        (self.typical, self.other, self.shape) = (typical, other, shape)
    }

    /// A result that is not made of records.
    package static func json(_ schema: JSON) -> ReplyRule {
        var rule = ReplyRule { _ in nil }
        rule.schema = schema
        return rule
    }

    package static let nothing = ReplyRule { _ in nil }

    package static func records(_ shape: RecordShape) -> ReplyRule { ReplyRule { _ in shape } }

    /// In reply to requests without words, and to some verbs.
    package static func records(_ shape: RecordShape, alsoFor verbs: Set<String>) -> ReplyRule {
        ReplyRule { $0.first.map(verbs.contains) != false ? shape : nil }
    }

    /// By the first word.
    package static func verbs(_ shapes: [String: RecordShape]) -> ReplyRule {
        ReplyRule { $0.first.flatMap { shapes[$0] } }
    }
}
