internal import ValueText

/// One key of a table: its name, its type, and where its value goes.
///
/// Reading, the detection of unknown keys, messages and the check of the manual all derive from this row.
struct Setting<Target>: Sendable {
    let name: String
    /// The rule for the value, as in `must be …`; `nil` for a table of further keys.
    let expected: String?
    /// The names of the keys inside, for tables.
    let inner: [String]
    let read: @Sendable (Node, inout Target, inout Reading) -> Void

    init(
        _ name: String,
        expected: String?,
        inner: [String] = [],
        read: @escaping @Sendable (Node, inout Target, inout Reading) -> Void
    ) {
        self.name = name
        self.expected = expected
        self.inner = inner
        self.read = read
    }

    /// A key with a single value.
    init<Value>(
        _ name: String,
        _ type: SettingType<Value>,
        store: @escaping @Sendable (inout Target, Value) -> Void
    ) {
        self.init(name, expected: type.expected) { node, target, reading in
            if let value = type.value(of: node, named: name, &reading) { store(&target, value) }
        }
    }

    init<Value>(
        _ name: String,
        _ type: SettingType<Value>,
        _ place: any WritableKeyPath<Target, Value> & Sendable
    ) {
        self.init(name, type) { $0[keyPath: place] = $1 }
    }

    /// A key that sets an optional value.
    init<Value>(
        _ name: String,
        _ type: SettingType<Value>,
        _ place: any WritableKeyPath<Target, Value?> & Sendable
    ) {
        self.init(name, type) { $0[keyPath: place] = $1 }
    }

    /// A key with a table of further keys.
    init<Inner>(
        table name: String,
        _ settings: [Setting<Inner>],
        _ place: any WritableKeyPath<Target, Inner> & Sendable
    ) {
        self.init(name, expected: nil, inner: settings.qualifiedNames()) { node, target, reading in
            settings.read(node, named: name, into: &target[keyPath: place], &reading)
        }
    }

    /// A key with a list of tables.
    ///
    /// - Parameter finish: Converts a draft to an element, or reports what is missing.
    init<Draft, Element>(
        list name: String,
        of draft: Draft,
        _ settings: [Setting<Draft>],
        _ place: any WritableKeyPath<Target, [Located<Element>]> & Sendable,
        finish: @escaping @Sendable (Draft, Node, inout Reading) -> Element?
    ) where Draft: Sendable {
        self.init(name, expected: nil, inner: settings.qualifiedNames()) { node, target, reading in
            guard case .list(let nodes) = node.value else {
                return reading.error(node.line, "\"\(name)\" must be a list of tables, [[\(name)]], not \(node)")
            }
            for node in nodes {
                var draft = draft
                settings.read(node, named: name, into: &draft, &reading)
                guard case .table = node.value, let element = finish(draft, node, &reading) else { continue }
                target[keyPath: place].append(Located(line: node.line, value: element))
            }
        }
    }
}

/// A value with the line it was read from.
struct Located<Value> {
    let line: Int?
    var value: Value
}

extension Located: Sendable where Value: Sendable {}

extension Array {
    /// Reads a table's keys into `target`, and reports unknown keys.
    func read<Target>(
        _ node: Node,
        named name: String?,
        into target: inout Target,
        _ reading: inout Reading
    ) where Element == Setting<Target> {
        guard case .table(let entries) = node.value else {
            return reading.error(node.line, "\"\(name ?? "")\" must be a table, not \(node)")
        }
        for entry in entries {
            if let setting = first(where: { $0.name == entry.key }) {
                setting.read(entry.node, &target, &reading)
            } else if !reading.isFull {
                let place = name.map { " in \"\($0)\"" } ?? ""
                let near = NearestWord.best(for: entry.key, among: map(\.name))
                let hint = near.map { "; did you mean \"\($0)\"?" } ?? ""
                reading.error(entry.node.line, "unknown key \(quoted(entry.key))\(place)\(hint)")
            }
        }
    }

    /// The names of all keys, those in tables as `table.key`.
    func qualifiedNames<Target>() -> [String] where Element == Setting<Target> {
        flatMap { setting in [setting.name] + setting.inner.map { "\(setting.name).\($0)" } }
    }
}
