import Foundation
import Songs
import Testing

@testable import LibraryIndex

/// What the library keeps between changes, in memory and on the disk.
struct UpkeepTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    /// The counts of `stats` are known until something changes.
    @Test func countsAreKept() throws {
        #expect(library.library.knownStats == nil)
        try library.add([file("a/x.flac", [(.artist, "A")]), file("a/y.flac", [(.artist, "B")])])
        let stats = try library.reader.stats()
        #expect(stats.songs == 2 && stats.artists == 2)
        #expect(library.library.knownStats == stats)
        try library.add([file("b/z.flac")])
        #expect(library.library.knownStats == nil)
        #expect(try library.reader.stats().songs == 3)
    }

    /// A scan leaves no long log on the disk.
    @Test func theLogIsEmptiedAfterAScan() throws {
        let log = library.path + "-wal"
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
        }
        let scan = try library.writer.beginScan("", rereads: false)
        try library.add((0..<200).map { file("a/\($0).flac", [(.title, "Song \($0)")]) })
        #expect(try size() > 100_000)
        try library.writer.endScan(scan)
        #expect(try size() == 0)
    }
}
