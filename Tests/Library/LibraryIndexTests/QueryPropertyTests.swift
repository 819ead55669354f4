import LibraryIndex
import LibraryScan
import SongFilters
import Songs
import Testing

/// What the library finds is what the filters' own matcher finds among all songs.
@Suite struct QueryPropertyTests {
    @Test(arguments: 1...40) func queriesFindWhatTheMatcherFinds(_ seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let library = try TemporaryLibrary()
        try library.add(randomFiles(&random))
        let songs = try library.songs()
        var reader = library.reader
        // In half of them nothing is sorted that can be walked through.
        if seed.isMultiple(of: 2) { reader.sortLimit = 0 }
        var hits = 0
        for _ in 0..<60 {
            let words = randomQuery(&random)
            let mode =
                [SongFilter.Mode.exact, .folded(.all), .folded(.caseOnly)].randomElement(using: &random) ?? .exact
            let query: SongQuery
            do { query = try SongQuery(words, mode) } catch { continue }
            let wanted = try query.select(songs, song: \.self).map(\.uri)
            guard let numbers = try unlessNowhere(query.filter, { try reader.find(query) }) else {
                #expect(wanted.isEmpty || query.filter.base?.hasSuffix("/") == true, "\(words) \(mode)")
                continue
            }
            let found = try reader.songs(numbers).map(\.uri)
            #expect(found == wanted, "\(words) \(mode)")
            if !found.isEmpty { hits += 1 }
        }
        if songs.count >= 20 { #expect(hits > 5) }
    }

    @Test(arguments: 1...20) func countsAndListsAreThoseOfTheSongs(_ seed: UInt64) throws {
        var random = SeededGenerator(seed &+ 1_000)
        let library = try TemporaryLibrary()
        try library.add(randomFiles(&random))
        let all = try library.songs()
        var reader = library.reader
        // In half of them everything that is found is much.
        if seed.isMultiple(of: 2) { reader.sortLimit = 0 }
        for _ in 0..<30 {
            let filter = Bool.random(using: &random) ? try? SongFilter(randomFilter(&random), .folded(.all)) : nil
            let matcher = filter?.matcher()
            let songs = all.filter { matcher?.matches($0) ?? true }
            guard let count = try unlessNowhere(filter, { try reader.count(filter) }) else {
                #expect(songs.isEmpty || filter?.base?.hasSuffix("/") == true)
                continue
            }
            #expect(count.songs == songs.count)
            #expect(count.milliseconds == songs.reduce(0) { $0 + milliseconds($1) })

            var tags = TagType.allCases.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)).map(
                \.self
            )
            if Bool.random(using: &random) { tags = [.album, .albumArtist] }
            let lines = try library.reader.list(tags[0], filter, groups: Array(tags.dropFirst()))
            #expect(String(decoding: lines, as: UTF8.self) == listing(songs, tags), "\(tags)")

            let groups = try library.reader.count(filter, group: tags[0])
            for group in groups {
                let members = songs.flatMap { song in
                    values(song, tags[0]).filter { $0 == group.value }.map { _ in song }
                }
                #expect(group.songs == members.count)
                #expect(group.milliseconds == members.reduce(0) { $0 + milliseconds($1) })
            }
            #expect(Set(groups.map(\.value)) == Set(songs.flatMap { values($0, tags[0]) }))
        }
    }

    /// What a library answers; `nil` when a filter is about a directory that is not there.
    private func unlessNowhere<Answer>(_ filter: SongFilter?, _ body: () throws -> Answer) throws -> Answer? {
        do {
            return try body()
        } catch LibraryError.nothingThere(let uri) {
            #expect(uri == filter?.base)
            return nil
        }
    }

    private func milliseconds(_ song: Song) -> Int { song.duration.map { Int(($0 * 1000).rounded()) } ?? 0 }

    private func values(_ song: Song, _ tag: TagType) -> [String] {
        for tag in [tag] + tag.substitutes {
            let values = song.values(of: tag)
            if !values.isEmpty { return values }
        }
        return [""]
    }

    private func listing(_ songs: [Song], _ tags: [TagType]) -> String {
        let tags = Array(tags.dropFirst().reversed()) + [tags[0]]
        var rows: Set<[[UInt8]]> = []
        for song in songs {
            var found: [[[UInt8]]] = [[]]
            for tag in tags { found = found.flatMap { row in values(song, tag).map { row + [Array($0.utf8)] } } }
            rows.formUnion(found)
        }
        var lines = ""
        var last: [[UInt8]] = []
        let sorted = rows.sorted { left, right in
            for (a, b) in zip(left, right) where a != b { return a.lexicographicallyPrecedes(b) }
            return false
        }
        for row in sorted {
            var isNew = last.isEmpty
            for (index, value) in row.enumerated() {
                isNew = isNew || last[index] != value || index == row.count - 1
                if isNew { lines += "\(tags[index].name): \(String(decoding: value, as: UTF8.self))\n" }
            }
            last = row
        }
        return lines
    }
}
