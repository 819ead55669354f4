internal import Songs

/// Names and values that clients attach to songs, playlists, filters and tags.
///
/// A value. Each change returns a record for a journal; the records, applied in order to an empty store, produce the
/// same store. Reading and changing a sticker takes constant time; finding takes time proportional to the number of
/// stickers with the name.
package struct StickerStore: Sendable {
    /// One change, or one sticker of a full dump: a verb and its arguments.
    package typealias Record = [String]

    /// One result of `find`.
    package struct Found: Sendable, Hashable {
        package let uri: String
        package let value: String
    }

    /// A move of the stickers of one URI to another.
    package struct Move: Sendable, Hashable {
        package let from: String
        package let to: String
        /// Whether stickers of the target URI are kept; otherwise they are replaced.
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
        /// The URIs that have a sticker with a name.
        var holders: [ExactText: Set<ExactText>] = [:]
    }

    private var tables: [StickerType: Table] = [:]
    /// The number of stickers.
    package private(set) var count = 0
    /// Their approximate size in memory, in bytes.
    package private(set) var byteCount = 0

    package init() {}

    // MARK: - Reading

    package func get(_ type: StickerType, _ uri: String, _ name: String) -> String? {
        tables[type]?.stickers[ExactText(uri)]?[ExactText(name)]
    }

    /// All stickers of one URI, sorted by name.
    package func list(_ type: StickerType, _ uri: String) -> [(name: String, value: String)] {
        (tables[type]?.stickers[ExactText(uri)] ?? [:]).map { (name: $0.key.text, value: $0.value) }
            .sorted { precedes($0.name, $1.name) }
    }

    /// The stickers with a name below a URI, by default sorted by URI.
    ///
    /// - Parameters:
    ///   - base: A directory; empty for all.
    ///   - window: The range of results to return; its end may lie beyond the last.
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

    /// The names in use, sorted, for one type or for all.
    package func names(of type: StickerType? = nil) -> [String] {
        let tables = type.map { [self.tables[$0]].compactMap(\.self) } ?? Array(self.tables.values)
        return Set(tables.flatMap(\.holders.keys)).map(\.text).sorted(by: precedes)
    }

    /// Each name in use with each of its types, sorted by name (`stickernamestypes`).
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
    /// - Returns: `nil` when nothing changes: the value is the same, or the name is empty (which MPD accepts and
    ///   ignores).
    package mutating func set(_ type: StickerType, _ uri: String, _ name: String, to value: String) -> Record? {
        guard !name.isEmpty else { return nil }
        // Compared by bytes: the same letters in another Unicode form are a different value.
        if let old = get(type, uri, name), isSame(old, value) { return nil }
        insert(type, ExactText(uri), ExactText(name), value)
        return ["set", type.name, uri, name, value]
    }

    /// Adds to the number in a sticker; a missing sticker counts as 0.
    ///
    /// - Parameter amount: Negative to subtract (`dec`).
    package mutating func increase(_ type: StickerType, _ uri: String, _ name: String, by amount: Int) -> Record? {
        let (sum, overflowed) = wholeNumber(get(type, uri, name) ?? "").addingReportingOverflow(amount)
        return set(type, uri, name, to: String(overflowed ? (amount < 0 ? .min : .max) : sum))
    }

    /// Removes one sticker of a URI, or all of them.
    ///
    /// - Returns: `nil` when there was none, which is an error in the protocol.
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

    /// Moves a URI's stickers to another URI, replacing those there (a playlist was renamed).
    package mutating func move(_ type: StickerType, _ uri: String, to other: String) -> Record? {
        move(type, [Move(from: uri, to: other)])
    }

    /// Moves the stickers of many URIs at the same time: one URI's old place may be another's new place.
    ///
    /// A target's stickers are replaced only if the moved URI has stickers; where stickers are merged, those of earlier
    /// moves have the lowest precedence.
    ///
    /// - Returns: One record for all moves, so that none is lost in between; `nil` when nothing moved.
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

    /// The whole store, in no particular order.
    package var records: some Sequence<Record> {
        tables.lazy.flatMap { type, table in
            table.stickers.lazy.flatMap { uri, stickers in
                stickers.lazy.map { name, value in ["set", type.name, uri.text, name.text, value] }
            }
        }
    }

    /// Applies a record.
    ///
    /// - Returns: Whether the record is valid.
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

    /// The approximate size of a sticker in memory; others may share its URI and its name.
    package static func byteCount(_ uri: String, _ name: String, _ value: String) -> Int {
        uri.utf8.count + name.utf8.count + value.utf8.count + 128
    }

    private mutating func insert(_ type: StickerType, _ uri: ExactText, _ stickers: [ExactText: String]) {
        for (name, value) in stickers { insert(type, uri, name, value) }
    }

    private mutating func insert(_ type: StickerType, _ uri: ExactText, _ name: ExactText, _ value: String) {
        let old = tables[type, default: Table()].stickers[uri, default: [:]].updateValue(value, forKey: name)
        byteCount += Self.byteCount(uri.text, name.text, value)
        guard old == nil else {
            byteCount -= Self.byteCount(uri.text, name.text, old ?? "")
            return
        }
        tables[type]?.holders[name, default: []].insert(uri)
        count += 1
    }

    private mutating func remove(_ type: StickerType, _ uri: ExactText, _ name: ExactText) {
        let old = tables[type]?.stickers[uri]?.removeValue(forKey: name)
        byteCount -= Self.byteCount(uri.text, name.text, old ?? "")
        if tables[type]?.stickers[uri]?.isEmpty == true { tables[type]?.stickers[uri] = nil }
        tables[type]?.holders[name]?.remove(uri)
        if tables[type]?.holders[name]?.isEmpty == true { tables[type]?.holders[name] = nil }
        count -= 1
    }

    private func sorted(_ found: [Found], _ sort: StickerSort) -> [Found] {
        // URIs decide among equal keys, so that consecutive windows fit together.
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

/// Nearly SQLite's order, by bytes; Swift's own order compares normalized forms, and is fast.
private func precedes(_ left: String, _ right: String) -> Bool {
    // Different forms of the same letters need a fixed order, too, or consecutive windows would not fit together.
    left == right ? left.utf8.lexicographicallyPrecedes(right.utf8) : left < right
}
