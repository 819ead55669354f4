/// A condition on files, or on tag sets, in SQL.
enum Clause {
    case always
    case never
    case some(Condition)

    struct Condition {
        var sql: String
        var arguments: [Query.Argument]
        /// Whether an index leads to few songs, so that it is best to find these first and then sort them.
        var isSelective: Bool
    }

    static func sql(_ sql: String, _ arguments: [Query.Argument], isSelective: Bool = false) -> Clause {
        .some(Condition(sql: sql, arguments: arguments, isSelective: isSelective))
    }

    static prefix func ! (clause: Clause) -> Clause {
        switch clause {
        case .always: .never
        case .never: .always
        case .some(let condition): .sql("NOT (\(condition.sql))", condition.arguments)
        }
    }

    static func all(_ clauses: [Clause]) -> Clause {
        var conditions: [Condition] = []
        for clause in clauses {
            switch clause {
            case .always: continue
            case .never: return .never
            case .some(let condition): conditions.append(condition)
            }
        }
        guard let first = conditions.first else { return .always }
        if conditions.count == 1 { return .some(first) }
        return .sql(
            joined(conditions[...], by: "AND"),
            conditions.flatMap(\.arguments),
            isSelective: conditions.contains(where: \.isSelective)
        )
    }

    /// Nested in halves, since SQLite limits the depth of expressions.
    private static func joined(_ conditions: ArraySlice<Condition>, by word: String) -> String {
        if conditions.count == 1 { return conditions.first.map { "(\($0.sql))" } ?? "" }
        let middle = conditions.startIndex + conditions.count / 2
        return "(\(joined(conditions[..<middle], by: word)) \(word) \(joined(conditions[middle...], by: word)))"
    }

    static func any(_ clauses: [Clause]) -> Clause {
        var conditions: [Condition] = []
        for clause in clauses {
            switch clause {
            case .always: return .always
            case .never: continue
            case .some(let condition): conditions.append(condition)
            }
        }
        guard let first = conditions.first else { return .never }
        if conditions.count == 1 { return .some(first) }
        return .sql(
            joined(conditions[...], by: "OR"),
            conditions.flatMap(\.arguments),
            isSelective: conditions.allSatisfy(\.isSelective)
        )
    }

    var isSelective: Bool {
        switch self {
        case .always: false
        case .never: true
        case .some(let condition): condition.isSelective
        }
    }

    /// The condition after `WHERE`.
    var text: String {
        switch self {
        case .always: "1"
        case .never: "0"
        case .some(let condition): "(\(condition.sql))"
        }
    }

    var arguments: [Query.Argument] {
        if case .some(let condition) = self { condition.arguments } else { [] }
    }
}
