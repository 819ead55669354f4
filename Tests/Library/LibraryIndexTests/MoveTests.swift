import LibraryIndex
import MediaHeaders
import Songs
import Testing

/// Files that are retagged, moved or renamed keep their number, and are told as moved.
@Suite struct MoveTests {
    private let library: TemporaryLibrary
    private let number: Int

    init() throws {
        let library = try TemporaryLibrary()
        self.library = library
        try library.scan {
            try library.add([file("a/1.flac", [(.title, "One")], portable: "p1"), file("a/2.flac", portable: "p2")])
        }
        number = try #require(try library.number("a/1.flac"))
    }

    private func seen(_ uri: String, _ names: [String]) -> LibraryChange {
        .directory(SeenDirectory(uri: uri, modified: 2, inode: 2, contents: Set(names.map { ExactText($0) })))
    }

    private func expectMoved(to uri: String, isToCopy: Bool = false, _ outcome: LibraryOutcome) throws {
        #expect(outcome.moves == [.init(from: "a/1.flac", to: uri, isToCopy: isToCopy)])
        #expect(try library.number(uri) == number)
        #expect(try library.number("a/1.flac") == nil)
        #expect(try library.reader.song(uri)?.values(of: .title) == ["One"])
        #expect(try library.uris(["title", "One"]) == [uri])
        #expect(try library.songs().count == 2)
        #expect(try library.reader.moves(after: 0).moves == outcome.moves)
    }

    private var moved: ScannedFile { file("b/new.flac", [(.title, "One")], portable: "p1") }

    /// A copy that a scan has seen before may have something said of it; one that has just come cannot.
    @Test(arguments: [false, true]) func aCopyTakesThePlace(_ isSettledLater: Bool) throws {
        let copy = file("b/copy.flac", [(.title, "One")], portable: "p1")
        try library.scan { try library.add([copy]) }
        let outcome =
            isSettledLater
            ? try library.scan { try library.apply([.removal(uri: "a/1.flac")]) }
            : try library.apply([.removal(uri: "a/1.flac")])
        #expect(outcome.moves == [.init(from: "a/1.flac", to: "b/copy.flac", isToCopy: true)])
        #expect(try library.reader.moves(after: 0).moves == outcome.moves)
        // And on from there: both names are that file's.
        try library.scan { try library.apply([.removal(uri: "b"), .file(file("c/1.flac", portable: "p1"))]) }
        #expect(
            try library.reader.moves(after: 0).moves == [
                .init(from: "a/1.flac", to: "c/1.flac", isToCopy: true), .init(from: "b/copy.flac", to: "c/1.flac"),
            ]
        )
    }

    @Test func goneFirst() throws {
        #expect(try library.apply([.removal(uri: "a/1.flac")]).removed == 1)
        #expect(try library.uris(["title", "One"]) == [])
        try expectMoved(to: "b/new.flac", try library.apply([.file(moved)]))
    }

    @Test func comeFirst() throws {
        let outcome = try library.apply([.file(moved)])
        #expect(outcome.added == 1 && outcome.moves.isEmpty)
        try expectMoved(to: "b/new.flac", try library.apply([seen("a", ["2.flac"])]))
    }

    @Test func inOneBatch() throws {
        try expectMoved(to: "b/new.flac", try library.apply([.file(moved), seen("a", ["2.flac"])]))
    }

    @Test func theTimeItCameStays() throws {
        try library.setAdded("a/1.flac", 1_000)
        try library.apply([.file(moved), .removal(uri: "a/1.flac")])
        #expect(try library.reader.song("b/new.flac")?.added == 1_000)
        try library.apply([.removal(uri: "b")])
        try library.add([file("c/again.flac", portable: "p1")])
        #expect(try library.reader.song("c/again.flac")?.added == 1_000)
    }

    @Test func aDirectoryThatWasRenamed() throws {
        let outcome = try library.apply([
            .removal(uri: "a"), .file(file("c/d/1.flac", [(.title, "One")], portable: "p1")),
            .file(file("c/d/2.flac", portable: "p2")),
        ])
        #expect(
            Set(outcome.moves) == [
                .init(from: "a/1.flac", to: "c/d/1.flac"), .init(from: "a/2.flac", to: "c/d/2.flac"),
            ]
        )
        #expect(try library.reader.list("a") == nil)
        #expect(try library.number("c/d/1.flac") == number)
    }

    @Test func retaggedInPlace() throws {
        let outcome = try library.add([file("a/1.flac", [(.title, "Eins")], portable: "p1")])
        #expect(outcome.changed == 1 && outcome.moves.isEmpty)
        #expect(try library.number("a/1.flac") == number)
        #expect(try library.uris(["title", "One"]) == [])
        #expect(try library.uris(["title", "Eins"]) == ["a/1.flac"])
    }

    /// `mv 1 3; mv 2 1`, in whichever order that is seen: each keeps its own number.
    @Test(arguments: [false, true], [false, true])
    func namesThatWereExchanged(_ isNewNameFirst: Bool, _ isRemovalFirst: Bool) throws {
        let second = try #require(try library.number("a/2.flac"))
        var changes: [LibraryChange] = [
            .file(file("a/1.flac", portable: "p2")), .file(file("a/3.flac", [(.title, "One")], portable: "p1")),
        ]
        if isNewNameFirst { changes.reverse() }
        let contents = seen("a", ["1.flac", "3.flac"])
        changes = isRemovalFirst ? [.removal(uri: "a/2.flac")] + changes + [contents] : changes + [contents]
        try library.scan { try library.apply(changes) }
        #expect(
            try Set(library.reader.moves(after: 0).moves) == [
                .init(from: "a/1.flac", to: "a/3.flac"), .init(from: "a/2.flac", to: "a/1.flac"),
            ]
        )
        #expect(try library.number("a/3.flac") == number)
        #expect(try library.number("a/1.flac") == second)
    }

    @Test func aFileThatTookTheNameKeepsWhatIsSaidOfIt() throws {
        // Another sound is under the name for long when the one that had it comes back.
        try library.scan { try library.apply([.file(file("a/1.flac", portable: "other"))]) }
        try library.age(by: 100)
        let outcome = try library.scan { try library.apply([.file(moved)]) }
        #expect(outcome.moves == [])
        #expect(try library.number("b/new.flac") == number)
    }

    @Test func copiesAreNoMoves() throws {
        #expect(try library.scan { try library.apply([.file(moved), seen("a", ["1.flac", "2.flac"])]) }.moves == [])
        #expect(try library.reader.duplicates() == [["a/1.flac", "b/new.flac"]])
        #expect(try library.number("a/1.flac") == number)
    }

    @Test func whatComesBackKeepsItsNumber() throws {
        try library.apply([.removal(uri: "a")])
        let outcome = try library.add([file("a/1.flac", portable: "p1")])
        #expect(outcome.added == 1 && outcome.moves.isEmpty)
        #expect(try library.number("a/1.flac") == number)
    }

    // MARK: - Several of one sound

    @Test(arguments: [
        (["b/1.flac", "a/x.flac", "c/y.flac"], "b/1.flac"), (["a/x.flac", "c/y.flac"], "a/x.flac"),
        (["d/x.flac", "c/y.flac"], "c/y.flac"),
    ])
    func theTwinIsTheOneOfTheNameThenOfTheDirectoryThenTheNewest(_ uris: [String], _ twin: String) throws {
        let outcome = try library.scan {
            try library.apply(uris.map { .file(file($0, portable: "p1")) } + [.removal(uri: "a/1.flac")])
        }
        #expect(outcome.moves == [.init(from: "a/1.flac", to: twin)])
        #expect(try library.number(twin) == number)
        #expect(try library.songs().count == uris.count + 1)
    }

    @Test(arguments: [("e/1.flac", "a/1.flac"), ("b/new.flac", "b/x.flac"), ("e/new.flac", "c/y.flac")])
    func whatComesBackIsTheOneOfTheNameThenOfTheDirectoryThenTheNewest(_ uri: String, _ was: String) throws {
        try library.add([file("b/x.flac", portable: "p1"), file("c/y.flac", portable: "p1")])
        try library.age(by: 7_200)
        for gone in ["a/1.flac", "b/x.flac", "c/y.flac"] {
            try library.scan { try library.apply([.removal(uri: gone)]) }
        }
        let outcome = try library.scan { try library.add([file(uri, portable: "p1")]) }
        #expect(outcome.moves == [.init(from: was, to: uri)])
    }

    /// A copy that has been there for long is a file of its own.
    @Test func aFileThatIsThereIsNotTakenOver() throws {
        try library.scan { try library.add([file("b/copy.flac", portable: "p1")]) }
        try library.age(by: 7_200)
        let copy = try library.number("b/copy.flac")
        let outcome = try library.scan { try library.apply([.removal(uri: "a/1.flac")]) }
        #expect(outcome.moves == [] && outcome.removed == 1)
        #expect(try library.number("b/copy.flac") == copy)
    }

    /// Copied to another file system and then removed, and seen after each.
    @Test func aSlowMoveIsOne() throws {
        try library.age(by: 60)
        try library.scan { try library.apply([.file(moved)]) }
        let outcome = try library.scan { try library.apply([.removal(uri: "a/1.flac")]) }
        try expectMoved(to: "b/new.flac", isToCopy: true, outcome)
    }

    /// Two that came together are copies, whenever one of them goes.
    @Test func copiesThatCameTogetherStayApart() throws {
        try library.scan { try library.add([file("b/3.flac", portable: "p3"), file("c/3.flac", portable: "p3")]) }
        #expect(try library.scan { try library.apply([.removal(uri: "b/3.flac")]) }.moves == [])
        #expect(
            try library.scan { try library.add([file("d/3.flac", portable: "p3")]) }.moves.map(\.from) == ["b/3.flac"]
        )
    }

    // MARK: - What is remembered

    @Test func movesAreRememberedUntilTheyWereFollowed() throws {
        try library.apply([.file(moved), .removal(uri: "a/1.flac")])
        try library.apply([.file(file("c/d.flac", portable: "p1")), .removal(uri: "b")])
        library.library.close()
        library.library = try Library(path: library.path)
        let moves = try library.reader.moves(after: 0)
        #expect(moves.moves == [.init(from: "a/1.flac", to: "c/d.flac")], "as if it were one")
        #expect(
            try library.reader.moves(after: 0, isRepeated: true).moves == [
                .init(from: "a/1.flac", to: "c/d.flac"), .init(from: "b/new.flac", to: "c/d.flac"),
            ],
            "what followed the first one only finds its way as well"
        )
        #expect(try library.reader.moves(after: moves.last).moves == [])
        try library.writer.forgetMoves(through: moves.last)
        #expect(try library.reader.moves(after: 0).moves == [])
        try library.apply([.file(file("e.flac", portable: "p1")), .removal(uri: "c")])
        let later = try library.reader.moves(after: moves.last)
        #expect(later.moves == [.init(from: "c/d.flac", to: "e.flac")], "numbers are not used again")
    }

    /// What was told before leaves alone what has come to the old places since.
    @Test func whatIsToldAgainTakesNothingFromOthers() throws {
        try library.scan {
            try library.apply([
                .file(file("a/1.flac", portable: "p2")), .file(file("a/3.flac", portable: "p1")),
                seen("a", ["1.flac", "3.flac"]),
            ])
        }
        let exchange: [LibraryOutcome.Move] = [
            .init(from: "a/1.flac", to: "a/3.flac"), .init(from: "a/2.flac", to: "a/1.flac"),
        ]
        #expect(try library.reader.moves(after: 0, isRepeated: true).moves == exchange)
        try library.add([file("a/2.flac", portable: "new")])
        #expect(try library.reader.moves(after: 0, isRepeated: true).moves == [exchange[0]])
        #expect(try library.reader.moves(after: 0).moves == exchange)
    }

    /// A sticker at a place belongs to the file still, however it is tagged meanwhile.
    @Test func formerPlacesAreKnown() throws {
        try library.apply([.file(moved), .removal(uri: "a/1.flac")])
        let found = Identification.one(uri: moved.uri, portableID: "p1")
        #expect(try library.reader.identify(["a/1.flac", moved.uri]) == [found, found])
        var retagged = moved
        retagged.tags = [(.title, "Another")]
        try library.apply([.file(retagged)])
        #expect(try library.reader.identify(["a/1.flac"]) == [found])
        try library.apply([.file(file("a/1.flac", portable: "p9"))])
        #expect(try library.reader.identify(["a/1.flac"]) == [.one(uri: "a/1.flac", portableID: "p9")])
    }

    @Test func thereAndBackIsNoMove() throws {
        try library.apply([.file(moved), .removal(uri: "a/1.flac")])
        try library.apply([.file(file("a/1.flac", portable: "p1")), .removal(uri: "b")])
        #expect(try library.reader.moves(after: 0).moves == [])
    }

    @Test func tracksMoveWithTheirFile() throws {
        func whole(_ uri: String) -> ScannedFile {
            var whole = file(uri, duration: 100, portable: "p3")
            whole.tracks = [
                .init(number: 1, file: uri, range: .init(start: 0, end: 60), tags: []),
                .init(number: 2, file: uri, range: .init(start: 60), tags: []),
            ]
            return whole
        }
        try library.add([whole("a/whole.flac")])
        try library.apply([.file(whole("b/whole.flac")), .removal(uri: "a/whole.flac")])
        #expect(
            try library.reader.moves(after: 0).moves.map(\.to) == [
                "b/whole.flac", "b/whole.flac/track0001", "b/whole.flac/track0002",
            ]
        )
        #expect(try library.reader.song("b/whole.flac/track0002")?.duration == 40)
    }

    @Test func onlySoManyAreRemembered() throws {
        try library.apply([.removal(uri: "a/1.flac")])
        try library.age(by: 10)
        try library.apply([.removal(uri: "a/2.flac")])
        var writer = library.writer
        writer.goneLimit = 1
        try writer.endScan(writer.beginScan("", rereads: false))
        #expect(
            try library.reader.identify(["a/1.flac", "a/2.flac"]) == [
                .none(portableID: nil, was: []), .none(portableID: "p2", was: ["a/2.flac"]),
            ]
        )
    }
}
