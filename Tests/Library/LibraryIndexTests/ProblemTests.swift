import LibraryIndex
import MediaHeaders
import Songs
import Testing

/// Files that cannot be used.
@Suite struct ProblemTests {
    @Test func directoryThatHoldsNothingThatCanBeShownIsNotShown() throws {
        let library = try TemporaryLibrary()
        try library.add([ScannedFile(uri: "a/kept/1.mp3", size: 1, modified: 1, inode: 1)])
        for uri in ["a/kept", "a/left out", "a/deep"] {
            var folder = SeenDirectory(uri: uri, modified: 1, inode: 0)
            folder.problem = "cannot be read"
            try library.apply([.directory(folder)])
        }
        try library.add([ScannedFile(uri: "a/deep/inside/2.mp3", size: 1, modified: 1, inode: 2)])
        try library.apply([.directory(SeenDirectory(uri: "a/empty/inside", modified: 1, inode: 0))])
        let shown = try library.reader.list("a")
        #expect(shown == ["a/deep", "a/kept"].map { .directory(uri: $0, lastModified: 1) })
        var reply: [UInt8] = []
        var cursor = try #require(try LibraryCursor(library.reader, ""))
        while try cursor.appendPage(.uris, limit: 10, to: &reply) {}
        let lines = String(decoding: reply, as: UTF8.self).split(separator: "\n")
        #expect(!lines.contains("directory: a/left out"))
        #expect(!lines.contains("directory: a/empty/inside"))
        #expect(lines.contains("directory: a/deep/inside"))
    }

    @Test func whatStillCannotBeReadIsNoNews() throws {
        let library = try TemporaryLibrary()
        var file = ScannedFile(uri: "a/1.mp3", size: 10, modified: 0, inode: 7)
        (file.problem, file.isUnread) = ("cannot be opened", true)
        #expect(try library.apply([.file(file)]).added == 1)
        #expect(try library.apply([.file(file)]).isEmpty)
        #expect(try library.reader.problems().map(\.reason) == ["cannot be opened"])
        file.problem = "cannot be read"
        #expect(try library.apply([.file(file)]).changed == 1)
        (file.problem, file.isUnread, file.modified) = (nil, false, 1)
        #expect(try library.apply([.file(file)]).changed == 1)
        #expect(try library.reader.problems() == [])
        #expect(try library.songs().map(\.uri) == ["a/1.mp3"])
    }
}
