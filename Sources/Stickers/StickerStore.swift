/// Names and values that clients attach to songs, playlists, filters and tags.
///
/// A value. Each change returns the record that a journal appends; applied in order to an empty store, the records give the
/// same store again. Getting and changing a sticker costs the same however many there are; finding costs as much as there
/// are stickers of the name.
package struct StickerStore: Sendable {
    /// One change, or one sticker of a full dump: a verb and its arguments.
    package typealias Record = [String]

    /// One result of `find`.
    package struct Found: Sendable, Hashable {
        package let uri: String
        package let value: String
    }

    private struct Table: Sendable {
        /// By URI, then by name.
        var stickers: [String: [String: String]] = [:]
        /// The URIs that have a sticker of a name.
        var holders: [String: Set<String>] = [:]
    }

    private var tables: [StickerType: Table] = [:]
    /// How many stickers there are in all.
    package private(set) var count = 0

    package init() {}

    // MARK: - Reading

    package func get(_ type: StickerType, _ uri: String, _ name: String) -> String? {
        tables[type]?.stickers[uri]?[name]
    }

    /// All stickers of one URI, in the order of their names.
    package func list(_ type: StickerType, _ uri: String) -> [(name: String, value: String)] {
        (tables[type]?.stickers[uri] ?? [:]).sorted { precedes($0.key, $1.key) }.map { (name: $0.key, value: $0.value) }
    }

    /// The stickers of a name below a URI, in the order of their URIs unless told otherwise.
    ///
    /// - Parameters:
    ///   - base: A directory; empty for all.
    ///   - window: Which of the results are wanted; its end may lie beyond them.
    package func find(
        _ type: StickerType,
        below base: String,
        _ name: String,
        where condition: StickerCondition? = nil,
        sortedBy sort: StickerSort = StickerSort(.uri),
        window: Range<Int>? = nil
    ) -> [Found] {
        guard let table = tables[type] else { return [] }
        let prefix = base.isEmpty || base.utf8.last == UInt8(ascii: "/") ? base : base + "/"
        var found: [Found] = []
        for uri in table.holders[name] ?? [] where uri.utf8.starts(with: prefix.utf8) {
            guard let value = table.stickers[uri]?[name], condition?.matches(value) ?? true else { continue }
            found.append(Found(uri: uri, value: value))
        }
        found = sorted(found, sort)
        guard let window else { return found }
        return Array(found[window.clamped(to: 0..<found.count)])
    }

    /// The names in use, sorted; of one type or of all.
    package func names(of type: StickerType? = nil) -> [String] {
        let tables = type.map { [self.tables[$0]].compactMap(\.self) } ?? Array(self.tables.values)
        return Set(tables.flatMap(\.holders.keys)).sorted(by: precedes)
    }

    /// Each name in use with each type that it is used for, sorted by name (`stickernamestypes`).
    package func namesAndTypes(of type: StickerType? = nil) -> [(name: String, type: StickerType)] {
        let types = StickerType.all.filter { type == nil || $0 == type }
        let pairs = types.flatMap { type in (tables[type]?.holders.keys).map { $0.map { (name: $0, type: type) } } ?? []
        }
        return pairs.sorted { $0.name == $1.name ? $0.type.name < $1.type.name : precedes($0.name, $1.name) }
    }

    // MARK: - Changing

    /// Sets a sticker.
    ///
    /// - Returns: `nil` when nothing changes: it has that value, or has no name (MPD takes such a one and forgets it).
    package mutating func set(_ type: StickerType, _ uri: String, _ name: String, to value: String) -> Record? {
        guard !name.isEmpty else { return nil }
        // By bytes: the same letters in another form are another value.
        if let old = get(type, uri, name), old.utf8.elementsEqual(value.utf8) { return nil }
        insert(type, uri, name, value)
        return ["set", type.name, uri, name, value]
    }

    /// Adds to a sticker's number; one that does not exist counts as 0.
    ///
    /// - Parameter amount: Negative to take away (`dec`).
    package mutating func increase(_ type: StickerType, _ uri: String, _ name: String, by amount: Int) -> Record? {
        let (sum, overflowed) = wholeNumber(get(type, uri, name) ?? "").addingReportingOverflow(amount)
        return set(type, uri, name, to: String(overflowed ? (amount < 0 ? .min : .max) : sum))
    }

    /// Takes one sticker away, or all of a URI.
    ///
    /// - Returns: `nil` when there was none, which is an error on the wire.
    package mutating func delete(_ type: StickerType, _ uri: String, _ name: String? = nil) -> Record? {
        guard let stickers = tables[type]?.stickers[uri] else { return nil }
        if let name {
            guard stickers[name] != nil else { return nil }
            remove(type, uri, name)
            return ["delete", type.name, uri, name]
        }
        for name in stickers.keys { remove(type, uri, name) }
        return ["delete", type.name, uri]
    }

    /// Moves a URI's stickers to another one, in the place of that one's (a playlist was renamed).
    package mutating func move(_ type: StickerType, _ uri: String, to other: String) -> Record? {
        guard uri != other, let stickers = tables[type]?.stickers[uri] else { return nil }
        _ = delete(type, other)
        _ = delete(type, uri)
        for (name, value) in stickers { insert(type, other, name, value) }
        return ["move", type.name, uri, other]
    }

    // MARK: - Records

    /// The whole store, in no order that matters.
    package var records: some Sequence<Record> {
        tables.lazy.flatMap { type, table in
            table.stickers.lazy.flatMap { uri, stickers in
                stickers.lazy.map { name, value in ["set", type.name, uri, name, value] }
            }
        }
    }

    /// Does what a record says.
    ///
    /// - Returns: Whether it could be understood.
    package mutating func apply(_ record: Record) -> Bool {
        guard record.count >= 3, let type = StickerType(record[1]) else { return false }
        switch (record[0], record.count) {
        case ("set", 5): _ = set(type, record[2], record[3], to: record[4])
        case ("delete", 3): _ = delete(type, record[2])
        case ("delete", 4): _ = delete(type, record[2], record[3])
        case ("move", 4): _ = move(type, record[2], to: record[3])
        default: return false
        }
        return true
    }

    // MARK: - The tables

    private mutating func insert(_ type: StickerType, _ uri: String, _ name: String, _ value: String) {
        let old = tables[type, default: Table()].stickers[uri, default: [:]].updateValue(value, forKey: name)
        guard old == nil else { return }
        tables[type]?.holders[name, default: []].insert(uri)
        count += 1
    }

    private mutating func remove(_ type: StickerType, _ uri: String, _ name: String) {
        tables[type]?.stickers[uri]?[name] = nil
        if tables[type]?.stickers[uri]?.isEmpty == true { tables[type]?.stickers[uri] = nil }
        tables[type]?.holders[name]?.remove(uri)
        if tables[type]?.holders[name]?.isEmpty == true { tables[type]?.holders[name] = nil }
        count -= 1
    }

    private func sorted(_ found: [Found], _ sort: StickerSort) -> [Found] {
        // URIs decide what the key leaves open, so that windows fit together.
        func isBefore(_ left: Found, _ right: Found) -> Bool {
            switch sort.key {
            case .uri: break
            case .value: if left.value != right.value { return precedes(left.value, right.value) }
            case .number:
                let (a, b) = (wholeNumber(left.value), wholeNumber(right.value))
                if a != b { return a < b }
            }
            return precedes(left.uri, right.uri)
        }
        return found.sorted { sort.isDescending ? isBefore($1, $0) : isBefore($0, $1) }
    }
}

/// Nearly as SQLite compares, by bytes; Swift's own order is that of the composed forms, and quick.
private func precedes(_ left: String, _ right: String) -> Bool { left < right }
