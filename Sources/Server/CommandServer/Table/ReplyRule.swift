internal import Records

/// The records of a command's replies, by the arguments of its requests.
struct ReplyRule: Sendable {
    /// `nil` where a reply has no lines.
    let shape: @Sendable (_ arguments: [String]) -> RecordShape?

    init(_ shape: @escaping @Sendable (_ arguments: [String]) -> RecordShape?) { self.shape = shape }

    static let nothing = ReplyRule { _ in nil }

    static func records(_ shape: RecordShape) -> ReplyRule { ReplyRule { _ in shape } }

    /// By the first word.
    static func verbs(_ shapes: [String: RecordShape]) -> ReplyRule { ReplyRule { $0.first.flatMap { shapes[$0] } } }
}
