import LibraryIndex
import MediaHeaders
import Songs
import Testing

/// Many files that are moved at once, some of them of one sound: each stays who it was, in whatever order it is seen.
@Suite struct TwinTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    /// Moves all files at once, as a scan sees it that takes them in any order and in batches of any size.
    private func move(
        _ files: [(from: String, to: String)],
        portable: (Int) -> String,
        hasInodes: Bool,
        seed: UInt64
    ) throws {
        func scanned(_ uri: String, _ index: Int) -> ScannedFile {
            file(
                uri,
                [(.title, files[index].from)],
                portable: portable(index),
                inode: hasInodes ? UInt64(index + 1) : 0
            )
        }
        try library.scan { try library.add(files.indices.map { scanned(files[$0].from, $0) }) }
        try library.age(by: 7_200)
        let numbers = try files.map { try #require(try library.number($0.from)) }
        let kept = Set(files.map(\.to))
        var changes = files.indices.map { LibraryChange.file(scanned(files[$0].to, $0)) }
        changes += files.filter { !kept.contains($0.from) }.map { .removal(uri: $0.from) }
        var random = SeededGenerator(seed)
        changes.shuffle(using: &random)
        let outcome = try library.scan {
            var all = LibraryOutcome()
            while !changes.isEmpty {
                let count = Int.random(in: 1...changes.count, using: &random)
                all.add(try library.apply(Array(changes.prefix(count))))
                changes.removeFirst(count)
            }
            return all
        }
        let expected = Set(files.map { LibraryOutcome.Move(from: $0.from, to: $0.to) })
        #expect(Set(outcome.moves) == expected && outcome.moves.count == expected.count)
        #expect(outcome.added == 0 && outcome.removed == 0, "\(outcome)")
        #expect(Set(try library.reader.moves(after: 0).moves) == expected)
        for (number, (from, to)) in zip(numbers, files) {
            #expect(try library.number(to) == number)
            #expect(try library.uris(["title", from]) == [to])
        }
    }

    @Test(arguments: [false, true], 0..<20)
    func exchangedNames(_ hasInodes: Bool, _ seed: UInt64) throws {
        let files = [("a.flac", "b.flac"), ("b.flac", "a.flac"), ("d/c.flac", "e/c.flac"), ("e/c.flac", "d/c.flac")]
        try move(files, portable: { "p\($0)" }, hasInodes: hasInodes, seed: seed)
    }

    @Test(arguments: [false, true], 0..<20)
    func namesThatGoAround(_ hasInodes: Bool, _ seed: UInt64) throws {
        let names = (0..<5).map { "x/\($0).flac" }
        let files = names.indices.map { (names[$0], names[($0 + 1) % 5]) }
        try move(files, portable: { "p\($0)" }, hasInodes: hasInodes, seed: seed)
    }

    private static let silence = ["cd1/01", "cd1/02", "cd1/03", "cd2/01", "cd2/02", "cd2/03"]

    /// Silence is the same everywhere.
    @Test(
        arguments: [
            ["B/cd1/01", "B/cd1/02", "B/cd1/03", "B/cd2/01", "B/cd2/02", "B/cd2/03"],
            ["A/cd1/x/01", "A/cd1/x/02", "A/cd1/x/03", "A/cd2/y/01", "A/cd2/y/02", "A/cd2/y/03"],
            ["C/x/cd1/01", "C/x/cd1/02", "C/x/cd1/03", "D/cd2/01", "D/cd2/02", "D/cd2/03"],
        ],
        0..<20
    )
    func oneSoundIsToldApartByPlaces(_ targets: [String], _ seed: UInt64) throws {
        let files = zip(Self.silence, targets).map { ("A/\($0).flac", "\($1).flac") }
        try move(files, portable: { _ in "silence" }, hasInodes: false, seed: seed)
    }

    /// Names of the same letters in two forms.
    @Test(arguments: 0..<20)
    func oneSoundIsToldApartByForms(_ seed: UInt64) throws {
        let names = ["\u{e9}", "e\u{301}", "\u{dc}", "U\u{308}"]
        func scanned(_ folder: String) -> [ScannedFile] {
            names.map { file("\(folder)/\($0).flac", portable: "silence") }
        }
        try library.scan { try library.add(scanned("A")) }
        try library.age(by: 7_200)
        let numbers = try names.map { try library.number("A/\($0).flac") }
        var random = SeededGenerator(seed)
        let files = scanned("B").shuffled(using: &random)
        try library.scan { try library.apply([.removal(uri: "A")] + files.map { .file($0) }) }
        #expect(try names.map { try library.number("B/\($0).flac") } == numbers)
    }

    /// Where neither names nor directories stay, the file system knows.
    @Test(arguments: 0..<20)
    func oneSoundIsToldApartByInodes(_ seed: UInt64) throws {
        let files = zip(Self.silence, ["q", "w", "e/r", "t", "e/y", "u"]).map { ("A/\($0).flac", "\($1).flac") }
        try move(files, portable: { _ in "silence" }, hasInodes: true, seed: seed)
    }

    /// Half an exchange would have one's stickers replaced by the other one's.
    @Test func movesAreToldWhenAllAreKnown() throws {
        try library.scan {
            try library.add([file("a.flac", portable: "1", inode: 1), file("b.flac", portable: "2", inode: 2)])
        }
        let scan = try library.writer.beginScan("", rereads: false)
        #expect(
            try library.apply([.file(file("b.flac", portable: "1", inode: 1)), .removal(uri: "a.flac")]).moves.count
                == 1
        )
        #expect(try library.reader.moves(after: 0).moves == [])
        try library.apply([.file(file("a.flac", portable: "2", inode: 2))])
        try library.writer.endScan(scan)
        #expect(
            Set(try library.reader.moves(after: 0).moves) == [
                .init(from: "a.flac", to: "b.flac"), .init(from: "b.flac", to: "a.flac"),
            ]
        )
    }

    /// A scan that is given up for another one leaves nothing unsaid.
    @Test func anotherScanSettlesWhatOneLeft() throws {
        try library.scan { try library.add([file("a/1.flac", portable: "p"), file("a/2.flac", portable: "p")]) }
        try library.age(by: 7_200)
        _ = try library.writer.beginScan("", rereads: false)
        try library.apply([.removal(uri: "a"), .file(file("b/1.flac", portable: "p"))])
        try library.apply([.file(file("b/2.flac", portable: "p"))])
        try library.writer.endScan(library.writer.beginScan("b", rereads: false))
        #expect(
            Set(try library.reader.moves(after: 0).moves) == [
                .init(from: "a/1.flac", to: "b/1.flac"), .init(from: "a/2.flac", to: "b/2.flac"),
            ]
        )
    }
}
