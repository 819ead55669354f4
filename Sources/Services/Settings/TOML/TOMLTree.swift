/// The tables of a document during parsing, with the rules on extending them (TOML 1.0, "Table" to "Array of Tables").
struct TOMLTree {
    /// An item's index in the tree.
    typealias ID = Int

    private enum Kind {
        /// A table that exists only because a table inside it was named.
        case implied
        /// `[name]`, and the root.
        case headed
        /// A table defined by dotted keys, such as `a` in `a.b = 1`.
        case dotted
        /// `{ … }`, which cannot be extended.
        case inline
        /// `[[name]]`; the items are its tables.
        case tables
        case value(Node.Value)
    }

    private struct Item {
        let line: Int
        var kind: Kind
        var children: [(key: String, id: ID)] = []
        /// The same children by name; empty for a list of tables.
        var places: [String: ID] = [:]
    }

    private var items = [Item(line: 1, kind: .headed)]
    static let root: ID = 0

    private mutating func add(_ kind: Kind, _ key: String, to parent: ID, at line: Int) -> ID {
        items.append(Item(line: line, kind: kind))
        let id = items.count - 1
        items[parent].children.append((key, id))
        items[parent].places[key] = id
        return id
    }

    private func child(_ key: String, of parent: ID) -> ID? {
        items[parent].places[key]
    }

    /// Opens the table that `[keys]` or `[[keys]]` begins.
    mutating func open(_ keys: [String], isList: Bool, at line: Int) throws(TOMLProblem) -> ID {
        guard let last = keys.last else { return Self.root }
        var table = Self.root
        for key in keys.dropLast() { table = try enter(key, of: table, at: line) }
        guard let existing = child(last, of: table) else {
            guard isList else { return add(.headed, last, to: table, at: line) }
            let list = add(.tables, last, to: table, at: line)
            return add(.headed, "", to: list, at: line)
        }
        switch items[existing].kind {
        case .tables where isList: return add(.headed, "", to: existing, at: line)
        case .implied where !isList:
            items[existing].kind = .headed
            return existing
        default: throw TOMLProblem(line: line, text: "\(quoted(last)) is given twice")
        }
    }

    /// The table `key`, created if missing; for a list of tables, its last one.
    private mutating func enter(_ key: String, of table: ID, at line: Int) throws(TOMLProblem) -> ID {
        guard let existing = child(key, of: table) else { return add(.implied, key, to: table, at: line) }
        switch items[existing].kind {
        case .implied, .headed, .dotted: return existing
        case .tables: return items[existing].children.last?.id ?? existing
        case .inline, .value: throw TOMLProblem(line: line, text: "\(quoted(key)) is not a table that can be extended")
        }
    }

    /// Sets the value at dotted keys, relative to a table.
    mutating func assign(_ keys: [String], in table: ID, at line: Int, _ value: Node.Value) throws(TOMLProblem) {
        _ = try place(keys, .value(value), in: table, at: line)
    }

    /// Creates an empty inline table at dotted keys.
    mutating func openInline(_ keys: [String], in table: ID, at line: Int) throws(TOMLProblem) -> ID {
        try place(keys, .inline, in: table, at: line)
    }

    private mutating func place(
        _ keys: [String],
        _ kind: Kind,
        in table: ID,
        at line: Int
    ) throws(TOMLProblem) -> ID {
        guard let last = keys.last else { throw TOMLProblem(line: line, text: "a key is expected") }
        var table = table
        for key in keys.dropLast() {
            guard let existing = child(key, of: table) else {
                table = add(.dotted, key, to: table, at: line)
                continue
            }
            guard case .dotted = items[existing].kind else {
                throw TOMLProblem(line: line, text: "\(quoted(key)) is given twice")
            }
            table = existing
        }
        guard child(last, of: table) == nil else {
            throw TOMLProblem(line: line, text: "\(quoted(last)) is given twice")
        }
        return add(kind, last, to: table, at: line)
    }

    /// Converts an item and everything inside it.
    func node(_ id: ID = root) -> Node {
        let item = items[id]
        switch item.kind {
        case .value(let value): return Node(line: item.line, value: value)
        case .tables: return Node(line: item.line, value: .list(item.children.map { node($0.id) }))
        case .implied, .headed, .dotted, .inline:
            return Node(
                line: item.line,
                value: .table(item.children.map { Node.Entry(key: $0.key, node: node($0.id)) })
            )
        }
    }
}
