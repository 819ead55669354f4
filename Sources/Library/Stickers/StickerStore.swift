internal import Songs

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

    /// Where the stickers of one URI are to be.
    package struct Move: Sendable, Hashable {
        package let from: String
        package let to: String
        /// Whether whoever is there stays and keeps its own; else what it had is replaced.
        package let isMerged: Bool

        package init(from: String, to: String, isMerged: Bool = false) {
            self.from = from
            self.to = to
            self.isMerged = isMerged
        }
    }

    private struct Table: Sendable {
        /// By URI, then by name.
        var stickers: [ExactText: [ExactText: String]] = [:]
        /// The URIs that have a sticker of a name.
        var holders: [ExactText: Set<ExactText>] = [:]
    }

    private var tables: [StickerType: Table] = [:]
    /// How many stickers there are in all.
    package private(set) var count = 0

    package init() {}

    // MARK: - Reading

    package func get(_ type: StickerType, _ uri: String, _ name: String) -> String? {
        tables[type]?.stickers[ExactText(uri)]?[ExactText(name)]
    }

    /// All stickers of one URI, in the order of their names.
    package func list(_ type: StickerType, _ uri: String) -> [(name: String, value: String)] {
        (tables[type]?.stickers[ExactText(uri)] ?? [:]).map { (name: $0.key.text, value: $0.value) }
            .sorted { precedes($0.name, $1.name) }
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
        let name = ExactText(name)
        for uri in table.holders[name] ?? [] where uri.text.utf8.starts(with: prefix.utf8) {
            guard let value = table.stickers[uri]?[name], condition?.matches(value) ?? true else { continue }
            found.append(Found(uri: uri.text, value: value))
        }
        found = sorted(found, sort)
        guard let window else { return found }
        return Array(found[window.clamped(to: 0..<found.count)])
    }

    /// The names in use, sorted; of one type or of all.
    package func names(of type: StickerType? = nil) -> [String] {
        let tables = type.map { [self.tables[$0]].compactMap(\.self) } ?? Array(self.tables.values)
        return Set(tables.flatMap(\.holders.keys)).map(\.text).sorted(by: precedes)
    }

    /// Each name in use with each type that it is used for, sorted by name (`stickernamestypes`).
    package func namesAndTypes(of type: StickerType? = nil) -> [(name: String, type: StickerType)] {
        let types = StickerType.all.filter { type == nil || $0 == type }
        let pairs = types.flatMap { type in
            (tables[type]?.holders.keys).map { $0.map { (name: $0.text, type: type) } } ?? []
        }
        return pairs.sorted { isSame($0.name, $1.name) ? $0.type.name < $1.type.name : precedes($0.name, $1.name) }
    }

    // MARK: - Changing

    /// Sets a sticker.
    ///
    /// - Returns: `nil` when nothing changes: it has that value, or has no name (MPD takes such a one and forgets it).
    package mutating func set(_ type: StickerType, _ uri: String, _ name: String, to value: String) -> Record? {
        guard !name.isEmpty else { return nil }
        // By bytes: the same letters in another form are another value.
        if let old = get(type, uri, name), isSame(old, value) { return nil }
        insert(type, ExactText(uri), ExactText(name), value)
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
        let place = ExactText(uri)
        guard let stickers = tables[type]?.stickers[place] else { return nil }
        if let name {
            guard stickers[ExactText(name)] != nil else { return nil }
            remove(type, place, ExactText(name))
            return ["delete", type.name, uri, name]
        }
        for name in stickers.keys { remove(type, place, name) }
        return ["delete", type.name, uri]
    }

    /// Moves a URI's stickers to another one, in the place of that one's (a playlist was renamed).
    package mutating func move(_ type: StickerType, _ uri: String, to other: String) -> Record? {
        move(type, [Move(from: uri, to: other)])
    }

    /// Moves many URIs' stickers at the same time: where one was, another one's may be then.
    ///
    /// What a target had is replaced only by a URI that has any itself; where stickers are merged, those of the earlier moves
    /// count least.
    ///
    /// - Returns: One record of all, so that none is lost between its old and its new place; `nil` when nothing moved.
    package mutating func move(_ type: StickerType, _ moves: [Move]) -> Record? {
        var moved: [(move: Move, stickers: [ExactText: String])] = []
        for move in moves where !isSame(move.from, move.to) {
            if let stickers = tables[type]?.stickers[ExactText(move.from)] { moved.append((move, stickers)) }
        }
        guard !moved.isEmpty else { return nil }
        for (move, _) in moved { _ = delete(type, move.from) }
        for (move, stickers) in moved where !move.isMerged {
            _ = delete(type, move.to)
            insert(type, ExactText(move.to), stickers)
        }
        for (move, stickers) in moved.reversed() where move.isMerged {
            let kept = tables[type]?.stickers[ExactText(move.to)] ?? [:]
            insert(type, ExactText(move.to), stickers.filter { kept[$0.key] == nil })
        }
        guard moved.contains(where: \.move.isMerged) else {
            return ["move", type.name] + moved.flatMap { [$0.move.from, $0.move.to] }
        }
        return ["merge", type.name] + moved.flatMap { [$0.move.from, $0.move.to, $0.move.isMerged ? "1" : "0"] }
    }

    // MARK: - Records

    /// The whole store, in no order that matters.
    package var records: some Sequence<Record> {
        tables.lazy.flatMap { type, table in
            table.stickers.lazy.flatMap { uri, stickers in
                stickers.lazy.map { name, value in ["set", type.name, uri.text, name.text, value] }
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
        case ("move", let count) where count >= 4 && count.isMultiple(of: 2):
            _ = move(type, stride(from: 2, to: count, by: 2).map { Move(from: record[$0], to: record[$0 + 1]) })
        case ("merge", let count) where count >= 5 && count % 3 == 2:
            let moves = stride(from: 2, to: count, by: 3).map { place in
                Move(from: record[place], to: record[place + 1], isMerged: record[place + 2] == "1")
            }
            _ = move(type, moves)
        default: return false
        }
        return true
    }

    // MARK: - The tables

    private mutating func insert(_ type: StickerType, _ uri: ExactText, _ stickers: [ExactText: String]) {
        for (name, value) in stickers { insert(type, uri, name, value) }
    }

    private mutating func insert(_ type: StickerType, _ uri: ExactText, _ name: ExactText, _ value: String) {
        let old = tables[type, default: Table()].stickers[uri, default: [:]].updateValue(value, forKey: name)
        guard old == nil else { return }
        tables[type]?.holders[name, default: []].insert(uri)
        count += 1
    }

    private mutating func remove(_ type: StickerType, _ uri: ExactText, _ name: ExactText) {
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
private func precedes(_ left: String, _ right: String) -> Bool {
    // Forms of the same letters have an order, too, or windows would not fit together.
    left == right ? left.utf8.lexicographicallyPrecedes(right.utf8) : left < right
}
