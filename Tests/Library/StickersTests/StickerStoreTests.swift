import Stickers
import TestTiming
import Testing

@Suite struct StickerStoreTests {
    private var store = StickerStore()

    @Test mutating func settingGettingDeleting() {
        #expect(store.set(.song, "a", "rating", to: "5") == ["set", "song", "a", "rating", "5"])
        #expect(store.set(.song, "a", "rating", to: "5") == nil)
        #expect(store.set(.song, "a", "x", to: "a=b") != nil)
        #expect(store.set(.song, "a", "", to: "1") == nil)
        #expect(store.get(.song, "a", "rating") == "5")
        #expect(store.get(.playlist, "a", "rating") == nil)
        #expect(store.list(.song, "a").map { "\($0.name)=\($0.value)" } == ["rating=5", "x=a=b"])
        #expect(store.count == 2)
        #expect(store.delete(.song, "a", "no") == nil)
        #expect(store.delete(.song, "b") == nil)
        #expect(store.delete(.song, "a", "x") == ["delete", "song", "a", "x"])
        #expect(store.delete(.song, "a") == ["delete", "song", "a"])
        #expect(store.list(.song, "a").isEmpty)
        #expect(store.names().isEmpty)
        #expect(store.count == 0)
    }

    /// The same letters in another form are another file's name, and another sticker's.
    @Test mutating func lettersThatAreComposedOtherwise() {
        let (one, two) = ("\u{e9}", "e\u{301}")
        for uri in [one, two] {
            for name in [one, two] { _ = store.set(.song, uri, name, to: "\(uri.utf8.count)\(name.utf8.count)") }
        }
        #expect(store.count == 4)
        #expect(store.get(.song, two, one) == "32")
        #expect(store.names().map(\.utf8.count) == [3, 2])
        #expect(store.list(.song, one).map(\.value) == ["23", "22"])
        #expect(store.find(.song, below: "", two).map(\.value) == ["33", "23"])
        let descending = StickerSort(.uri, isDescending: true)
        #expect(store.find(.song, below: "", two, sortedBy: descending).map(\.value) == ["23", "33"])
        #expect(store.move(.song, one, to: two)?.map(\.utf8.count) == [4, 4, 2, 3])
        #expect(store.list(.song, two).map(\.value) == ["23", "22"])
        #expect(store.delete(.song, one) == nil)
    }

    /// All at once: names may be exchanged, and what has nothing takes nothing away.
    @Test mutating func movingMany() throws {
        for uri in ["a", "b", "c", "d"] { _ = store.set(.song, uri, "n", to: uri) }
        _ = store.set(.song, "d", "old", to: "x")
        _ = store.set(.song, "e", "n", to: "e")
        _ = store.set(.playlist, "a", "n", to: "list")
        let moves = [("a", "b"), ("b", "a"), ("c", "d"), ("nothing", "e"), ("d", "d")]
        let record = store.move(.song, moves.map { StickerStore.Move(from: $0.0, to: $0.1) })
        #expect(store.find(.song, below: "", "n").map { "\($0.uri)=\($0.value)" } == ["a=b", "b=a", "d=c", "e=e"])
        #expect(store.get(.song, "d", "old") == nil)
        #expect(store.get(.playlist, "a", "n") == "list")
        var replayed = StickerStore()
        for uri in ["a", "b", "c", "d"] { _ = replayed.set(.song, uri, "n", to: uri) }
        _ = replayed.set(.song, "d", "old", to: "x")
        _ = replayed.set(.song, "e", "n", to: "e")
        _ = replayed.set(.playlist, "a", "n", to: "list")
        // A single one: half of it would lose what was taken away and not yet put elsewhere.
        let isKnown = try replayed.apply(#require(record))
        #expect(isKnown)
        #expect(Set(replayed.records) == Set(store.records))
    }

    /// What is there already keeps what is said of it, and gets the rest; at once with whatever else moves.
    @Test mutating func merging() throws {
        var replayed = StickerStore()
        let before = [
            ("original", "rating", "1"), ("original", "play", "2"), ("copy", "rating", "3"), ("copy", "note", "mine"),
            ("a", "rating", "4"), ("b", "rating", "5"), ("b", "note", "b"), ("x", "rating", "6"), ("x", "note", "x"),
            ("y", "rating", "7"),
        ]
        for (uri, name, value) in before {
            let record = store.set(.song, uri, name, to: value)
            _ = try replayed.apply(#require(record))
        }
        let record = store.move(
            .song,
            [
                .init(from: "original", to: "copy", isMerged: true), .init(from: "a", to: "b"),
                .init(from: "b", to: "a", isMerged: true),
                // One after the other.
                .init(from: "x", to: "z", isMerged: true), .init(from: "y", to: "z"),
            ]
        )
        func all(_ uri: String) -> [String] { store.list(.song, uri).map { "\($0.name)=\($0.value)" } }
        #expect(all("copy") == ["note=mine", "play=2", "rating=3"])
        #expect(all("original") == [])
        #expect(all("a") == ["note=b", "rating=5"])
        #expect(all("b") == ["rating=4"])
        #expect(all("z") == ["note=x", "rating=7"])
        #expect(store.count == 8)
        let isKnown = try replayed.apply(#require(record))
        #expect(isKnown)
        #expect(Set(replayed.records) == Set(store.records))
    }

    @Test(
        arguments: [
            (nil, 5, "5"), ("3", 5, "8"), ("3", -5, "-2"), ("12 stars", 1, "13"), ("x", -1, "-1"), (" 7", 1, "8"),
            ("9223372036854775807", 1, "9223372036854775807"), ("99999999999999999999", -1, "9223372036854775806"),
        ] as [(String?, Int, String)]
    )
    mutating func counting(_ old: String?, _ amount: Int, _ expected: String) {
        if let old { _ = store.set(.song, "a", "n", to: old) }
        _ = store.increase(.song, "a", "n", by: amount)
        #expect(store.get(.song, "a", "n") == expected)
    }

    private static let values = ["a": "5", "d/a": "12", "d/b": "abc", "d2/c": "7 up", "e": "ABC", "f": "-3"]

    @Test(
        arguments: [
            ("", nil, ["a", "d/a", "d/b", "d2/c", "e", "f"]), ("d", nil, ["d/a", "d/b"]), ("d/", nil, ["d/a", "d/b"]),
            ("a", nil, []), ("no", nil, []),
            ("", StickerCondition(.equal, "5"), ["a"]), ("", .init(.less, "5"), ["d/a", "f"]),
            ("", .init(.greater, "5"), ["d/b", "d2/c", "e"]), ("d", .init(.greater, "12"), ["d/b"]),
            ("", .init(.contains, "b"), ["d/b", "e"]),
            ("", .init(.contains, ""), ["a", "d/a", "d/b", "d2/c", "e", "f"]),
            ("", .init(.startsWith, "aB"), ["d/b", "e"]), ("", .init(.startsWith, "b"), []),
            ("", .init(.numberEqual, "7"), ["d2/c"]), ("", .init(.numberEqual, "x"), ["d/b", "e"]),
            ("", .init(.numberLess, "5"), ["d/b", "e", "f"]), ("", .init(.numberGreater, "5"), ["d/a", "d2/c"]),
        ] as [(String, StickerCondition?, [String])]
    )
    mutating func finding(_ base: String, _ condition: StickerCondition?, _ expected: [String]) {
        for (uri, value) in Self.values { _ = store.set(.song, uri, "n", to: value) }
        _ = store.set(.song, "other", "m", to: "5")
        _ = store.set(.playlist, "list", "n", to: "5")
        #expect(store.find(.song, below: base, "n", where: condition).map(\.uri) == expected)
    }

    @Test(arguments: [
        ("uri", ["a", "d/a", "d/b", "d2/c", "e", "f"]), ("-uri", ["f", "e", "d2/c", "d/b", "d/a", "a"]),
        ("value", ["f", "d/a", "a", "d2/c", "e", "d/b"]), ("-value", ["d/b", "e", "d2/c", "a", "d/a", "f"]),
        ("value_int", ["f", "d/b", "e", "a", "d2/c", "d/a"]), ("-value_int", ["d/a", "d2/c", "a", "e", "d/b", "f"]),
    ])
    mutating func sorting(_ name: String, _ expected: [String]) throws {
        for (uri, value) in Self.values { _ = store.set(.song, uri, "n", to: value) }
        let sort = try #require(StickerSort(name))
        #expect(store.find(.song, below: "", "n", sortedBy: sort).map(\.uri) == expected)
        #expect(store.find(.song, below: "", "n", sortedBy: sort, window: 1..<3).map(\.uri) == Array(expected[1..<3]))
        #expect(store.find(.song, below: "", "n", sortedBy: sort, window: 5..<Int.max).map(\.uri) == [expected[5]])
        #expect(store.find(.song, below: "", "n", sortedBy: sort, window: 9..<10).isEmpty)
    }

    @Test func wordsOfTheProtocol() {
        #expect(StickerSort("name") == nil)
        #expect(StickerSort("--uri") == nil)
        #expect(StickerType("foo") == nil)
        #expect(StickerType("Song") == nil)
        #expect(StickerType("albumartist")?.name == "AlbumArtist")
        #expect(StickerType.all.count == 15)
        #expect(StickerType.all.filter(\.isTag).count == 12)
        for type in StickerType.all { #expect(StickerType(type.name) == type) }
    }

    @Test mutating func namesAndTheirTypes() {
        _ = store.set(.song, "a", "n", to: "1")
        _ = store.set(.song, "b", "n", to: "1")
        _ = store.set(.playlist, "l", "n", to: "1")
        _ = store.set(.playlist, "l", "m", to: "1")
        #expect(store.names() == ["m", "n"])
        #expect(store.names(of: .song) == ["n"])
        #expect(store.namesAndTypes().map { "\($0.name) \($0.type.name)" } == ["m playlist", "n playlist", "n song"])
        #expect(store.namesAndTypes(of: .song).map { "\($0.name) \($0.type.name)" } == ["n song"])
        _ = store.delete(.song, "a")
        #expect(store.names(of: .song) == ["n"])
        _ = store.delete(.song, "b")
        #expect(store.names(of: .song) == [])
    }

    /// Any sequence of changes, replayed from its records or from a dump, gives the same store.
    @Test(arguments: 0..<20 as Range<UInt64>)
    mutating func recordsGiveTheStoreAgain(_ seed: UInt64) {
        var generator = Generator(state: seed)
        var records: [StickerStore.Record] = []
        let types = [StickerType.song, .playlist, .filter]
        for _ in 0..<400 {
            let type = types.randomElement(using: &generator) ?? .song
            let (uri, other) = ("u\(generator.next() % 6)", "u\(generator.next() % 6)")
            let name = "n\(generator.next() % 4)"
            let record: StickerStore.Record? =
                switch generator.next() % 8 {
                case 0: store.delete(type, uri)
                case 1: store.delete(type, uri, name)
                case 2: store.increase(type, uri, name, by: Int(generator.next() % 9) - 4)
                case 3: store.move(type, uri, to: other)
                case 4:
                    store.move(
                        type,
                        [
                            .init(from: uri, to: other, isMerged: true),
                            .init(from: other, to: "u\(generator.next() % 6)"),
                        ]
                    )
                default: store.set(type, uri, name, to: "\(generator.next() % 5)")
                }
            if let record { records.append(record) }
        }
        var replayed = StickerStore()
        for record in records { #expect(apply(record, &replayed)) }
        var dumped = StickerStore()
        for record in store.records { #expect(apply(record, &dumped)) }
        for copy in [replayed, dumped] {
            #expect(Set(copy.records) == Set(store.records))
            #expect(copy.count == store.count)
            #expect(copy.namesAndTypes().map(\.name) == store.namesAndTypes().map(\.name))
            for type in types {
                for name in store.names() {
                    #expect(copy.find(type, below: "", name) == store.find(type, below: "", name))
                }
            }
        }
    }

    @Test(arguments: [
        [], ["set"], ["set", "song", "a", "n"], ["set", "foo", "a", "n", "v"], ["delete", "song"],
        ["bad", "song", "a"], ["merge", "song"], ["merge", "song", "a", "b"], ["merge", "song", "a", "b", "1", "c"],
        ["set", "song", "a", "n", "v", "w"],
    ])
    mutating func recordsThatMakeNoSenseAreRefused(_ record: [String]) {
        let isUnderstood = store.apply(record)
        #expect(!isUnderstood)
        #expect(store.count == 0)
    }

    /// A hundred thousand stickers are set and changed in the time of a few.
    @Test mutating func manyStickersCostNoMoreEach() {
        func fill(_ range: Range<Int>) -> Double {
            let start = threadSeconds()
            for index in range {
                _ = store.set(.song, "artist/album/song \(index).flac", "rating", to: "\(index % 10)")
            }
            return threadSeconds() - start
        }
        let first = fill(0..<10_000)
        _ = fill(10_000..<90_000)
        let last = fill(90_000..<100_000)
        #expect(store.count == 100_000)
        #expect(last < first * 10 + 0.2)
        #expect(store.find(.song, below: "", "rating", where: .init(.numberGreater, "8"), window: 0..<50).count == 50)
        let kept = store
        #expect(store.delete(.song, "artist/album/song 5.flac") != nil)
        #expect(kept.count == 100_000)
    }
}

private func apply(_ record: StickerStore.Record, _ store: inout StickerStore) -> Bool { store.apply(record) }

private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
