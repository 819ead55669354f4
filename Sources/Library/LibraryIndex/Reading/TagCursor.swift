internal import GRDB
internal import SongFilters
internal import Songs

/// Traverses many songs in the order of a tag's values, until a window is full.
struct TagCursor {
    private let db: Database
    private let clause: Clause
    private let isDescending: Bool
    private let isNumber: Bool
    /// The tags that determine a song's place in the order, the preferred one first; without tags that no song has.
    private let candidates: [TagType]

    init(_ db: Database, _ clause: Clause, _ tag: TagType, isDescending: Bool) {
        self.db = db
        self.clause = clause
        self.isDescending = isDescending
        isNumber = SongSort.isNumber(tag)
        candidates = SongSort.candidates(tag).filter { tag in
            let found = try? Query(db, "SELECT 1 FROM value WHERE tag = ? LIMIT 1", [.int(Int(tag.rawValue))]).first {
                _ in true
            }
            return found ?? false
        }
    }

    func walk(_ taker: inout WindowTaker) throws {
        if isNumber {
            try walkNumbers(&taker)
        } else if candidates.count <= 1 {
            for part in isDescending ? [walkTexts, walkAbsent] : [walkAbsent, walkTexts] {
                try part(&taker)
                if taker.isFull { break }
            }
        } else {
            try walkTexts(&taker, arms: candidates.indices.map(arm) + [absentArm()].compactMap(\.self))
        }
    }

    // MARK: - Texts

    private struct Arm {
        let from: String
        let text: String
        let arguments: [Query.Argument]
    }

    /// The songs whose place is determined by one of the candidates.
    private func arm(_ index: Int) -> Arm {
        let tag = candidates[index]
        let before = candidates[..<index].reduce(0) { $0 | $1.bit }
        let songs =
            tag.isShared
            ? """
            tagset_value ON tagset_value.value = value.id AND tagset_value.is_first
            CROSS JOIN file ON file.tagset = tagset_value.tagset
            """
            : """
            file_value ON file_value.value = value.id AND file_value.is_first
            CROSS JOIN file ON file.id = file_value.file
            """
        let isWanted = before == 0 ? "" : " AND file.mask & \(before) = 0"
        return Arm(
            from: """
                FROM value CROSS JOIN \(songs) CROSS JOIN directory ON directory.id = file.directory
                WHERE value.tag = \(tag.rawValue) AND file.tagset IS NOT NULL\(isWanted) AND \(clause.text)
                """,
            text: "value.text",
            arguments: clause.arguments
        )
    }

    /// The songs that have none of the tags.
    private func absentArm() throws -> Arm? {
        let absent = try SongMasks.lacking(candidates.reduce(0) { $0 | $1.bit }, db)
        if case .never = absent { return nil }
        return Arm(
            from: """
                FROM file JOIN directory ON directory.id = file.directory
                WHERE file.tagset IS NOT NULL AND \(absent.text) AND \(clause.text)
                """,
            text: "''",
            arguments: clause.arguments
        )
    }

    private func walkTexts(_ taker: inout WindowTaker) throws {
        guard !candidates.isEmpty else { return }
        try walkTexts(&taker, arms: [arm(0)])
    }

    private func walkAbsent(_ taker: inout WindowTaker) throws {
        guard let arm = try absentArm() else { return }
        try append(&taker, "SELECT file.id \(arm.from) ORDER BY \(SongSearch.sortedOrder)", arm.arguments)
    }

    private func walkTexts(_ taker: inout WindowTaker, arms: [Arm]) throws {
        let direction = isDescending ? "DESC" : "ASC"
        let columns = "directory.rank AS place_1, directory.key AS place_2, file.position AS place_3"
        let selects = arms.map { "SELECT file.id AS number, \($0.text) AS text, \(columns) \($0.from)" }
        try append(
            &taker,
            selects.joined(separator: " UNION ALL ") + " ORDER BY text \(direction), place_1, place_2, place_3, number",
            arms.flatMap(\.arguments)
        )
    }

    // MARK: - Numbers

    private func walkNumbers(_ taker: inout WindowTaker) throws {
        var groups: [Int: [Int]] = [0: []]
        if let tag = candidates.first {
            try Query(db, "SELECT id, text FROM value WHERE tag = ?", [.int(Int(tag.rawValue))]).each { row in
                groups[SongSort.number(row.text(1)), default: []].append(row.int(0))
            }
        }
        for number in isDescending ? groups.keys.sorted(by: >) : groups.keys.sorted() where !taker.isFull {
            var selects: [String] = []
            var arguments: [Query.Argument] = []
            if let values = groups[number], !values.isEmpty {
                let arm = arm(0)
                selects.append("\(arm.from) AND value.id IN (SELECT value FROM json_each(?))")
                arguments += arm.arguments + [.text(json(values))]
            }
            if number == 0, let arm = try absentArm() {
                selects.append(arm.from)
                arguments += arm.arguments
            }
            if selects.isEmpty { continue }
            let columns = "directory.rank AS place_1, directory.key AS place_2, file.position AS place_3"
            try append(
                &taker,
                selects.map { "SELECT file.id AS number, \(columns) \($0)" }.joined(separator: " UNION ALL ")
                    + " ORDER BY place_1, place_2, place_3, number",
                arguments
            )
        }
    }

    private func append(_ taker: inout WindowTaker, _ select: String, _ arguments: [Query.Argument]) throws {
        try taker.append(Query(db, select, arguments))
    }
}
