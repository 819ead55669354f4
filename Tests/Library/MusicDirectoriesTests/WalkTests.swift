import Glibc
import MusicDirectories
import Songs
import Testing

@Suite struct WalkTests {
    private func walked(_ music: MusicFixture, _ uri: String = "") throws -> [String] {
        var found: [String] = []
        try music.directory.walk(uri) { found.append($0.uri) }
        return found
    }

    @Test func linksBetweenDirectoriesDoNotMultiply() throws {
        let music = try MusicFixture()
        for index in 0..<12 {
            try music.write("d\(index)/song.flac")
            for other in 0..<12 where other != index { try music.link("d\(index)/to\(other)", to: "../d\(other)") }
        }
        let songs = try walked(music).filter { $0.hasSuffix(".flac") }
        // Each by itself and through every link that leads to it, and in some of the places behind more links than one.
        let near = (0..<12).flatMap { index in
            ["d\(index)/song.flac"] + (0..<12).filter { $0 != index }.map { "d\(index)/to\($0)/song.flac" }
        }
        #expect(Set(songs).isSuperset(of: near))
        #expect(songs.count <= 12 * 64)
        #expect(Set(songs).count == songs.count)
    }

    @Test func numbersSortByValueAndNothingElseIsCollected() throws {
        let music = try MusicFixture()
        for name in ["10 x.mp3", "9 x.mp3", "1 x.mp3", "n/2.ogg", "n/11.ogg"] { try music.write(name) }
        #expect(try walked(music) == ["1 x.mp3", "9 x.mp3", "10 x.mp3", "n", "n/2.ogg", "n/11.ogg"])
        struct Stop: Error {}
        var count = 0
        #expect(throws: Stop.self) {
            try music.directory.walk("") { _ in
                count += 1
                if count == 2 { throw Stop() }
            }
        }
        #expect(count == 2)
    }

    @Test(.enabled("root may read everything") { geteuid() != 0 })
    func anUnreadableDirectoryHidesOnlyItself() throws {
        let music = try MusicFixture()
        for name in ["a/x.flac", "b/x.flac", "c/x.flac"] { try music.write(name) }
        _ = unsafe chmod(music.path + "/b", 0)
        defer { _ = unsafe chmod(music.path + "/b", 0o700) }
        #expect(try walked(music) == ["a", "a/x.flac", "b", "c", "c/x.flac"])
    }

    @Test func hiddenFilesAreLeftOutAndHiddenDirectoriesAreNot() throws {
        let music = try MusicFixture()
        for name in ["...Band/x.flac", "a/._x.flac", "a/x.flac", "a/.list.m3u"] { try music.write(name) }
        #expect(try walked(music) == ["...Band", "...Band/x.flac", "a", "a/x.flac"])
        #expect(try music.directory.listFiles("a").map(\.name) == ["._x.flac", ".list.m3u", "x.flac"])
    }

    @Test func namesThatCannotGoOverTheProtocolAreLeftOut() throws {
        let music = try MusicFixture()
        try music.write("good.flac")
        try music.write("bad\nname.flac")
        let path =
            Array((music.path + "/").utf8CString.dropLast()) + [CChar(bitPattern: 0xff), 0x2e, 0x6d, 0x70, 0x33, 0]
        let descriptor = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        #expect(try walked(music) == ["good.flac"])
        #expect(try music.directory.listFiles("").map(\.name) == ["good.flac"])
    }
}
