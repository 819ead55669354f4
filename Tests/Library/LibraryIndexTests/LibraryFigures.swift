import Foundation
import LibraryIndex
import MediaHeaders
import SongFilters
import Songs
import Testing

/// What queries of 100,000 songs cost; run it from a release build.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil)) struct LibraryFigures {
    @Test func hundredThousandSongs() throws {
        let temporary = try TemporaryLibrary()
        try fill(temporary)
        temporary.library.close()
        let size = try FileManager.default.attributesOfItem(atPath: temporary.path)[.size] as? Int ?? 0
        print("size: \(size / 1_000_000) MB")
        measure("open, first reply", times: 5) {
            let library = try Library(path: temporary.path)
            _ = try library.reader.stats()
            library.close()
        }
        temporary.library = try Library(path: temporary.path)
        try queries(temporary.reader)
    }

    /// What searches of a part of the library cost, beside those of all of it; at most 1.5 times as much in all.
    @Test func limitedSearches() throws {
        let temporary = try TemporaryLibrary()
        try fill(temporary)
        var reader = temporary.reader
        let artists = try reader.list("")?.compactMap { entry in
            if case .directory(let uri, lastModified: _) = entry { uri } else { nil }
        }
        let folders = try #require(artists)
        let queries: [(words: [String], mode: SongFilter.Mode)] = [
            (["any", "ghtsundö"], .folded(.all)), (["any", "kalon"], .folded(.all)), (["any", "the"], .folded(.all)),
            (["artist", "sun"], .folded(.all)), (["(title =~ '^Kalon')"], .exact), (["file", "sunnor"], .folded(.all)),
            (["(genre == 'Jazz')"], .exact), (["(genre != 'Jazz')"], .exact),
            (["(genre == 'Jazz')", "sort", "Title", "window", "0:50"], .exact),
            (["any", "the", "window", "0:50"], .folded(.all)),
            (["any", "the", "sort", "Title", "window", "0:50"], .folded(.all)),
        ]
        func costs(_ reader: LibraryReader) throws -> [Double] {
            try queries.map { query in
                try cost {
                    let found = try reader.find(SongQuery(query.words, query.mode))
                    var bytes: [UInt8] = []
                    try reader.appendLines(of: found, tags: .all, to: &bytes)
                }
            }
        }
        let all = try costs(reader)
        for (name, step) in [("1 of 500", 500), ("1 of 20", 20), ("half", 2), ("all", 1)] {
            let parts = folders.enumerated().filter { $0.offset.isMultiple(of: step) }.map { LibraryPart.folder($0.1) }
            var visible: VisibleSongs?
            let making = try cost(times: 3) { visible = try temporary.reader.visibleSongs(of: parts) }
            reader.visible = visible
            let some = try costs(reader)
            print(
                "\(name): \(visible?.count ?? 0) songs, \(visible?.byteCount ?? 0) bytes, made in \(brief(making)) ms"
            )
            for (query, pair) in zip(queries, zip(all, some)) {
                print("    \(query.words): \(brief(pair.0)) -> \(brief(pair.1)) ms, \(brief(pair.1 / pair.0)) times")
            }
            let ratio = some.reduce(0, +) / all.reduce(0, +)
            print("    together \(brief(ratio)) times")
            #expect(ratio <= 1.5, "\(name)")
        }
    }

    private func brief(_ number: Double) -> Double { (number * 100).rounded() / 100 }

    /// The median, in milliseconds of processor time.
    private func cost(times: Int = 5, _ body: () throws -> Void) rethrows -> Double {
        var costs: [Double] = []
        for _ in 0..<times {
            let start = processorTime()
            try body()
            costs.append((processorTime() - start) * 1_000)
        }
        return costs.sorted()[times / 2]
    }

    @Test func writing() throws { try fill(try TemporaryLibrary()) }

    private func fill(_ temporary: TemporaryLibrary) throws {
        var batch: [LibraryChange] = []
        var cost = 0.0
        func write() throws {
            let start = processorTime()
            _ = try temporary.writer.apply(batch)
            cost += processorTime() - start
            batch = []
        }
        let scan = try temporary.writer.beginScan("", rereads: false)
        for album in PlausibleLibrary(songs: 100_000) {
            let directory = SeenDirectory(uri: parent(album[0].uri), modified: 1_600_000_000, inode: 1)
            batch += album.map { .file($0) } + [.directory(directory)]
            if batch.count > 2_000 { try write() }
        }
        try write()
        print("write everything: \(Int(cost * 1_000)) ms")
        measure("end the scan", times: 1) { try temporary.writer.endScan(scan) }
    }

    private func queries(_ reader: LibraryReader) throws {
        let before = privateMemory()
        let artist = try reader.songs(reader.find(SongQuery(["(genre == 'Jazz')", "window", "100:101"], .exact)))[0]
            .values(of: .artist)[0]
        try find(reader, "find artist X", ["artist", artist], .exact)
        try find(reader, "find (artist == X) AND (album ...)", ["(artist == \"\(artist)\")", "album", "x"], .exact)
        try find(reader, "search any rare", ["any", "ghtsundö"])
        try find(reader, "search any common", ["any", "kalon"])
        try find(reader, "search any commonest", ["any", "the"])
        try find(reader, "search any two letters", ["any", "ka"])
        try find(reader, "search any none", ["any", "xyzzyqw"])
        try find(reader, "search artist part", ["artist", "sun"])
        try find(reader, "search title starts_with", ["(title starts_with 'ka')"])
        try find(reader, "search title =~", ["(title =~ '^Kalon')"])
        try find(reader, "search file part", ["file", "sunnor"])
        try find(reader, "find genre not", ["(genre != 'Jazz')"], .exact)
        for sort in ["Title", "-Title", "Album", "Artist", "Date", "Track", "Last-Modified", "-Added"] {
            try find(reader, "all sorted by \(sort), window", ["(base '')", "sort", sort, "window", "0:50"])
            try find(reader, "genre sorted by \(sort), window", ["(genre == 'Jazz')", "sort", sort, "window", "0:50"])
        }
        try find(reader, "search any common sort window", ["any", "the", "sort", "Title", "window", "0:50"])
        try find(reader, "search any common window", ["any", "the", "window", "0:50"])
        try find(reader, "search any rare sort window", ["any", "ghtsundö", "sort", "Title", "window", "0:50"])
        measure("count all") { _ = try reader.count(nil) }
        measure("count artist X") { _ = try reader.count(SongFilter(["artist", artist], .exact)) }
        measure("count genre") { _ = try reader.count(SongFilter(["genre", "Jazz"], .exact)) }
        measure("count group artist") { _ = try reader.count(nil, group: .artist) }
        measure("list genre") { _ = try reader.list(.genre) }
        measure("list artist") { _ = try reader.list(.artist) }
        measure("list album") { _ = try reader.list(.album) }
        measure("list title") { _ = try reader.list(.title) }
        measure("list albumartistsort") { _ = try reader.list(.albumArtistSort) }
        measure("list album group albumartist") { _ = try reader.list(.album, groups: [.albumArtist]) }
        measure("list album group date group artist") { _ = try reader.list(.album, groups: [.date, .albumArtist]) }
        measure("list album artist X") { _ = try reader.list(.album, SongFilter(["artist", artist], .exact)) }
        measure("list title album group composer") { _ = try reader.list(.title, groups: [.composer]) }
        measure("stats") { _ = try reader.stats() }
        measure("lsinfo root") { _ = try reader.list("") }
        for form in [LibraryCursor.Form.uris, .lines(.all), .lines(TagMask([.artist, .title]))] {
            var count = 0
            measure("listall \(form)", times: 3) {
                var cursor = try LibraryCursor(reader, "")
                count = 0
                var bytes: [UInt8] = []
                while try cursor?.appendPage(form, limit: 500, to: &bytes) ?? false {
                    count += bytes.count
                    bytes.removeAll(keepingCapacity: true)
                }
            }
            print("    \(count / 1_000) kB")
        }
        measure("find everything") { _ = try reader.songs(below: "") }
        let after = privateMemory()
        print("memory: \(before) -> \(after) kB private dirty")
    }

    private func find(
        _ reader: LibraryReader,
        _ name: String,
        _ words: [String],
        _ mode: SongFilter.Mode = .folded(.all)
    ) throws {
        var count = 0
        var bytes: [UInt8] = []
        measure(name) {
            let found = try reader.find(SongQuery(words, mode))
            count = found.count
            bytes.removeAll(keepingCapacity: true)
            try reader.appendLines(of: found, tags: .all, to: &bytes)
        }
        print("    \(count) songs, \(bytes.count / 1_000) kB")
    }

    private func measure(_ name: String, times: Int = 7, _ body: () throws -> Void) {
        var costs: [Double] = []
        for _ in 0..<times {
            let start = processorTime()
            do { try body() } catch { Issue.record("\(name): \(error)") }
            costs.append((processorTime() - start) * 1_000)
        }
        let median = costs.sorted()[costs.count / 2]
        print("\(name): \((median * 100).rounded() / 100) ms (first \((costs[0] * 100).rounded() / 100))")
    }

    private func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func privateMemory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}
