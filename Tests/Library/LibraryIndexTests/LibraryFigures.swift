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
        for form in [LibraryWalk.Form.uris, .lines(.all), .lines(TagMask([.artist, .title]))] {
            var count = 0
            measure("listall \(form)", times: 3) {
                var walk = try LibraryWalk(reader, "")
                count = 0
                var bytes: [UInt8] = []
                while try walk?.appendPage(form, limit: 500, to: &bytes) ?? false {
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
