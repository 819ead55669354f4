import LibraryIndex
import MediaHeaders
import Songs
import Testing

/// Estimated durations are measured later; until then, and where that cannot be done, they stay.
@Suite struct DurationTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    private func mp3(_ uri: String, _ duration: Double, isExact: Bool = false, portable: String? = nil) -> ScannedFile {
        var file = file(uri, [(.title, uri)], duration: duration, portable: portable ?? uri)
        file.codec = "mp3"
        file.isExactlyTimed = isExact
        return file
    }

    private func measure(_ seconds: Double?) throws -> Int {
        try library.writer.setDurations(
            library.reader.estimatedSongs(limit: 1).map { MeasuredSong($0, seconds: seconds) }
        )
    }

    @Test func whatIsMeasuredIsShownEverywhere() throws {
        try library.add([mp3("a.mp3", 10), mp3("b.mp3", 20, isExact: true), mp3("d/c.mp3", 30)])
        #expect(try library.reader.estimatedSongs(limit: 5).map(\.uri) == ["a.mp3", "d/c.mp3"])
        #expect(try measure(12.3456) == 1)
        #expect(try library.reader.song("a.mp3")?.duration == 12.346)
        #expect(try library.reader.song("a.mp3")?.values(of: .title) == ["a.mp3"])
        #expect(try library.reader.count(nil).milliseconds == 62_346)
        #expect(try library.reader.estimatedSongs(limit: 5).map(\.uri) == ["d/c.mp3"])
        #expect(try measure(nil) == 0)
        #expect(try library.reader.song("d/c.mp3")?.duration == 30)
        #expect(try library.reader.estimatedSongs(limit: 5) == [], "not tried again")
    }

    @Test func anEstimateThatWasRightIsNoChange() throws {
        try library.add([mp3("a.mp3", 10)])
        #expect(try measure(10.0001) == 0)
        #expect(try library.reader.estimatedSongs(limit: 5) == [])
    }

    @Test func aFileThatHasChangedMeanwhileIsMeasuredAgain() throws {
        try library.add([mp3("a.mp3", 10)])
        let old = try library.reader.estimatedSongs(limit: 1)
        var new = mp3("a.mp3", 50)
        new.size = 5_000
        try library.add([new])
        #expect(try library.writer.setDurations(old.map { MeasuredSong($0, seconds: 11) }) == 0)
        #expect(try library.reader.song("a.mp3")?.duration == 50)
        #expect(try library.reader.estimatedSongs(limit: 5).map(\.size) == [5_000])
    }

    @Test func otherTagsLeaveItExact() throws {
        try library.add([mp3("a.mp3", 10)])
        _ = try measure(12)
        var retagged = mp3("a.mp3", 10)
        retagged.tags = [(.title, "New")]
        try library.add([retagged])
        #expect(try library.reader.song("a.mp3")?.duration == 12)
        #expect(try library.reader.estimatedSongs(limit: 5) == [])
        try library.add([mp3("a.mp3", 10, portable: "another")])
        #expect(try library.reader.song("a.mp3")?.duration == 10)
        #expect(try library.reader.estimatedSongs(limit: 5).count == 1)
    }

    @Test func tracksEndWhereTheirFileDoes() throws {
        var sheet = file("a.cue")
        sheet.kind = .playlist
        sheet.tracks = [.init(number: 1, file: "a.mp3", range: .init(start: 4), tags: [])]
        try library.add([mp3("a.mp3", 10), sheet])
        _ = try measure(12)
        #expect(try library.songs().map(\.uri) == ["a.cue/track0001"])
        #expect(try library.songs().map(\.duration) == [8])
    }
}
