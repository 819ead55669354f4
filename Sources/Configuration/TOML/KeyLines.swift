/// The line of every key in a TOML document.
///
/// The parser reports places in its errors only. This reads a document that the parser has accepted, so it need not find
/// fault: it goes over keys, brackets and strings, and leaves all else alone.
struct KeyLines {
    enum Step: Hashable {
        case key(String)
        /// The place in a list, counted from 0.
        case index(Int)
    }

    private var lines: [[Step]: Int] = [:]
    /// How many `[[tables]]` each list has had so far.
    private var counts: [[Step]: Int] = [:]

    init(of document: String) {
        var cursor = TOMLCursor(document)
        var table: [Step] = []
        while cursor.skipToKey() {
            let line = cursor.line
            if cursor.take("[") {
                table = header(&cursor, at: line)
            } else {
                assignment(&cursor, in: table)
            }
        }
    }

    /// Where a key is; when it has no place of its own, where what contains it is.
    subscript(path: [Step]) -> Int {
        var path = path[...]
        while !path.isEmpty {
            if let line = lines[Array(path)] { return line }
            path.removeLast()
        }
        return 1
    }

    private mutating func note(_ path: [Step], _ line: Int) {
        if lines[path] == nil { lines[path] = line }
    }

    /// The rest of `[a.b]` or `[[a.b]]`: the table that the following keys belong to.
    private mutating func header(_ cursor: inout TOMLCursor, at line: Int) -> [Step] {
        let isList = cursor.take("[")
        var path: [Step] = []
        let keys = cursor.keys()
        for (place, key) in keys.enumerated() {
            path.append(.key(key))
            note(path, line)
            if isList, place == keys.count - 1 {
                counts[path, default: 0] += 1
            }
            // A list's name stands for its latest table.
            if let count = counts[path] { path.append(.index(count - 1)) }
            note(path, line)
        }
        while cursor.take("]") {}
        return path
    }

    /// `a.b = value`.
    private mutating func assignment(_ cursor: inout TOMLCursor, in table: [Step]) {
        let line = cursor.line
        var path = table
        let keys = cursor.keys()
        for key in keys {
            path.append(.key(key))
            note(path, line)
        }
        cursor.skipBlanks()
        // What is no assignment is left behind, so that every turn gets on.
        guard cursor.take("="), !keys.isEmpty else { return cursor.skipByte() }
        value(&cursor, at: path)
    }

    private mutating func value(_ cursor: inout TOMLCursor, at path: [Step]) {
        cursor.skipBlanks()
        if cursor.take("[") {
            var index = 0
            while cursor.skipToKey(), !cursor.take("]") {
                note(path + [.index(index)], cursor.line)
                let start = cursor.place
                value(&cursor, at: path + [.index(index)])
                if cursor.place == start { cursor.skipByte() }
                index += 1
                _ = cursor.skipToKey()
                _ = cursor.take(",")
            }
        } else if cursor.take("{") {
            while cursor.skipToKey(), !cursor.take("}") {
                assignment(&cursor, in: path)
                _ = cursor.skipToKey()
                _ = cursor.take(",")
            }
        } else {
            cursor.skipScalar()
        }
    }
}
