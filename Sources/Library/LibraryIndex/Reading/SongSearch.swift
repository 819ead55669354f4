internal import GRDB
package import SongFilters
internal import Songs

extension LibraryReader {
    /// The numbers of the songs that match a query, in its order, or in listing order without one.
    package func find(_ query: SongQuery) throws(LibraryError) -> [Int] {
        try search(query.filter) { search in try search.find(query.sort, query.window ?? 0..<Int.max) }
    }

    /// The numbers of the songs that match a filter, in listing order.
    package func find(_ filter: SongFilter) throws(LibraryError) -> [Int] {
        try search(filter) { search in try search.find(nil, 0..<Int.max) }
    }

    private func search(
        _ filter: SongFilter,
        _ body: (SongSearch) throws -> [Int]
    ) throws(LibraryError) -> [Int] {
        let generation = library.generation
        return try library.read { db in
            try body(SongSearch(db, filter, sortLimit, visible) { try library.songTable(db, generation) })
        }
    }
}

/// Finds songs, sorts them and selects a window.
struct SongSearch {
    private let db: Database
    private let filter: SongFilter
    private let sortLimit: Int
    private let visible: VisibleSongs?
    private let table: () throws -> SongTable

    /// - Parameter visible: The only songs that are found; `nil` for all.
    init(
        _ db: Database,
        _ filter: SongFilter,
        _ sortLimit: Int,
        _ visible: VisibleSongs?,
        table: @escaping () throws -> SongTable
    ) {
        self.db = db
        self.filter = filter
        self.sortLimit = sortLimit
        self.visible = visible
        self.table = table
    }

    static let fromFile = "FROM file JOIN directory ON directory.id = file.directory"
    static let fromDirectory = "FROM directory CROSS JOIN file ON file.directory = directory.id"
    static let walkedOrder = "directory.key, file.position, file.id"
    /// The same order, starting with a smaller key.
    static let sortedOrder = "directory.rank, directory.key, file.position, file.id"

    func find(_ sort: SongSort?, _ window: Range<Int>) throws -> [Int] {
        if let base = filter.base {
            try visible?.checkThere(base)
            try FilterCompiler.checkThere(base, db)
        }
        if window.isEmpty { return [] }
        if case .never? = visible?.clause { return [] }
        if let numbers = try glance(sort, window) { return numbers }
        if sort != nil, filter.isWide { return try checkAll(sort, window) }
        let clause: Clause
        switch try FilterCompiler.selection(filter, db, visible, limit: sort == nil ? sortLimit : .max) {
        case .clause(let selection): clause = selection
        case .values(let lists):
            let table = try table()
            var taker = WindowTaker(window, visible)
            taker.append(try table.places(having: lists, db).map { Int(table.songs[$0]) })
            return taker.numbers
        }
        if case .never = clause { return [] }
        if case .tag? = sort?.key, let sort, try isFew(clause) {
            return try sorted(walked(nil, clause, 0..<Int.max), sort, window)
        }
        return try walked(sort, clause, window)
    }

    /// Checks each of few visible songs.
    private func check(_ visible: VisibleSongs, _ sort: SongSort?, _ window: Range<Int>) throws -> [Int] {
        guard case .tag? = sort?.key, let sort else {
            var taker = try WindowTaker(window, visible, db, filter, patience: .max)
            try walk(sort, visible.clause, &taker)
            return taker.numbers
        }
        var taker = try WindowTaker(0..<Int.max, visible, db, filter, patience: .max)
        try walk(nil, visible.clause, &taker)
        return try sorted(taker.numbers, sort, window)
    }

    /// Checks all songs in order until the window is filled.
    private func checkAll(_ sort: SongSort?, _ window: Range<Int>) throws -> [Int] {
        var taker = try WindowTaker(window, visible, db, filter, patience: .max)
        try walk(sort, .always, &taker)
        try taker.check()
        return taker.numbers
    }

    // MARK: - Many songs

    /// How many songs `glance` checks one by one before the search uses an index for parts of texts.
    private static let patience = 2_000

    /// Fills a small window for a filter that many songs may match, by checking the first songs in order.
    ///
    /// - Returns: `nil` when the window is too large, or was not filled soon.
    private func glance(_ sort: SongSort?, _ window: Range<Int>) throws -> [Int]? {
        guard window.upperBound <= 1_000, filter.looksForParts, !filter.hasPatterns else { return nil }
        if let visible, visible.clause.isSelective {
            return visible.count <= sortLimit ? try check(visible, sort, window) : nil
        }
        var taker = try WindowTaker(window, visible, db, filter, patience: Self.patience)
        try walk(sort, .always, &taker)
        return taker.hasGivenUp ? nil : taker.numbers
    }

    private func walked(_ sort: SongSort?, _ clause: Clause, _ window: Range<Int>) throws -> [Int] {
        var taker = WindowTaker(window, visible)
        try walk(sort, clause, &taker)
        return taker.numbers
    }

    /// Traverses songs in order for as long as the taker accepts them.
    private func walk(_ sort: SongSort?, _ clause: Clause, _ taker: inout WindowTaker) throws {
        switch sort?.key {
        case nil, .priority?:
            if clause.isSelective { return try walkFound(clause, &taker) }
            try append(&taker, Self.fromDirectory, clause, order: Self.walkedOrder)
        case .lastModified?: try walk("file.modified / 1000000000", sort, clause, &taker)
        case .added?: try walk("file.added", sort, clause, &taker)
        case .tag(let tag)?:
            try TagCursor(db, clause, tag, isDescending: sort?.isDescending ?? false).walk(&taker)
        }
    }

    /// Finds the songs first, unordered: sorting many songs in SQLite costs more than traversing all songs in order.
    private func walkFound(_ clause: Clause, _ taker: inout WindowTaker) throws {
        var numbers: [Int] = []
        try Query(db, "SELECT file.id FROM file WHERE file.tagset IS NOT NULL AND \(clause.text)", clause.arguments)
            .each { numbers.append($0.int(0)) }
        if numbers.count <= sortLimit {
            let few = Clause.sql("file.id IN (SELECT value FROM json_each(?))", [.text(json(numbers))])
            return try append(&taker, Self.fromFile, few, order: Self.sortedOrder)
        }
        try taker.append(table().inOrder(numbers))
    }

    /// Traverses songs in the order of a time.
    private func walk(_ column: String, _ sort: SongSort?, _ clause: Clause, _ taker: inout WindowTaker) throws {
        let direction = sort?.isDescending == true ? "DESC" : "ASC"
        let join =
            clause.isSelective ? Self.fromFile : "FROM file CROSS JOIN directory ON directory.id = file.directory"
        // The unary plus keeps SQLite from using the column's index for the order.
        let key = clause.isSelective ? "+(\(column))" : column
        try append(&taker, join, clause, order: "\(key) \(direction), \(Self.sortedOrder)")
    }

    private func append(_ taker: inout WindowTaker, _ join: String, _ clause: Clause, order: String) throws {
        let select = "SELECT file.id \(join) WHERE file.tagset IS NOT NULL AND \(clause.text) ORDER BY \(order)"
        try taker.append(Query(db, select, clause.arguments))
    }

    // MARK: - Few songs

    /// Whether so few songs match that it is best to find them first and then sort them.
    private func isFew(_ clause: Clause) throws -> Bool {
        guard clause.isSelective else { return false }
        let count = try Query(
            db,
            "SELECT count(*) FROM (SELECT 1 FROM file WHERE file.tagset IS NOT NULL AND \(clause.text) LIMIT \(sortLimit + 1))",
            clause.arguments
        ).first { $0.int(0) }
        return (count ?? 0) <= sortLimit
    }

    private func sorted(_ numbers: [Int], _ sort: SongSort, _ window: Range<Int>) throws -> [Int] {
        let blocks = try Query(db, "SELECT lines FROM block WHERE id = ?")
        var maker = SongMaker()
        var songs: [(number: Int, song: Song)] = []
        songs.reserveCapacity(numbers.count)
        for number in numbers {
            blocks.bind(1, number)
            guard let song = try blocks.first({ unsafe $0.withBytes(0) { unsafe maker.song($0) } }) else { continue }
            songs.append((number, song))
        }
        let sorted = sort.sorted(songs, song: \.song)
        return sorted[window.clamped(to: 0..<sorted.count)].map(\.number)
    }
}
