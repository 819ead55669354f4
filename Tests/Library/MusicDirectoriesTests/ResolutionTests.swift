import AudioTypes
import Foundation
import Glibc
import MusicDirectories
import Songs
import TestSupport
import Testing
import Threads

/// Nothing outside the music directory is ever shown.
@Suite struct ResolutionTests {
    private let music: MusicFixture

    init() throws {
        music = try MusicFixture()
        try music.write("a/b/song.flac")
        try music.write("100%.flac")
        try music.write("Ä ö.flac")
        try music.write("%2e%2e.flac")
        try music.folder.write("secret.flac", "s")
        _ = try music.folder.makeFolder("music2")
        try music.folder.write("music2/other.flac", "s")
        try music.link("a/up", to: "..")
        try music.link("a/inside.flac", to: "../100%.flac")
        try music.link("a/absolute.flac", to: music.path + "/a/b/song.flac")
        try music.link("out.flac", to: "../secret.flac")
        try music.link("outabs.flac", to: music.folder.file("secret.flac"))
        try music.link("outdir", to: "..")
        try music.link("sibling", to: music.folder.file("music2"))
        try music.link("chain", to: "a/chain2")
        try music.link("a/chain2", to: "../../secret.flac")
        try music.link("root", to: "/")
        try music.link("broken", to: "nowhere")
        try music.link("self", to: "self")
    }

    private func failure(_ uri: String, _ directory: MusicDirectory? = nil) -> MusicDirectoryError? {
        do throws(MusicDirectoryError) {
            _ = try (directory ?? music.directory).resolve(uri)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", ""), ("/", ""), ("a", "/a"), ("a/b/song.flac", "/a/b/song.flac"), ("100%.flac", "/100%.flac"),
        ("Ä ö.flac", "/Ä ö.flac"), ("%2e%2e.flac", "/%2e%2e.flac"), ("a/inside.flac", "/100%.flac"),
        ("a/absolute.flac", "/a/b/song.flac"), ("a/up", ""), ("a/up/a/b", "/a/b"),
    ])
    func insideIsFound(_ uri: String, _ expected: String) throws {
        let real = try #require(realPath(music.path))
        #expect(String(decoding: try music.directory.resolve(uri).bytes, as: UTF8.self) == real + expected)
    }

    @Test(arguments: [
        "..", ".", "../secret.flac", "a/../../secret.flac", "a/..", "a/./b", "/etc/passwd", "//", "a//b", "a/", "/a",
        "a\0b", "a/b/song.flac\0.flac", "a\nb", "file:///etc/passwd", "http://host/a",
    ])
    func malformedIsRefused(_ uri: String) { #expect(failure(uri) == .malformed(uri)) }

    @Test(arguments: [
        "out.flac", "outabs.flac", "outdir", "outdir/secret.flac", "outdir/music2/other.flac", "sibling", "chain",
        "root",
        "sibling/other.flac", "root/etc/passwd", "a/up/out.flac", "a/up/outdir/secret.flac",
    ])
    func linksOutAreRefusedUnlessFollowed(_ uri: String) {
        #expect(failure(uri) == .outside(uri))
        #expect(failure(uri, music.openDirectory) == nil)
    }

    @Test(arguments: [
        "nowhere", "broken", "a/b/song.flac/x", "%2e%2e", "%2e%2e/secret.flac", "a%2fb", "..%2fsecret.flac",
    ])
    func whatIsNotThereIsSaid(_ uri: String) { #expect(failure(uri) == .doesNotExist(uri)) }

    @Test func aCircleOfLinksIsAnError() { #expect(failure("self") == .inaccessible("self", errno: ELOOP)) }

    @Test func everyFunctionIsHeldToIt() {
        let directory = music.directory
        for uri in ["out.flac", "outdir/secret.flac", "../secret.flac"] {
            #expect(throws: MusicDirectoryError.self) { try directory.song(uri) }
            #expect(throws: MusicDirectoryError.self) { try directory.unexamined(uri) }
            #expect(throws: MusicDirectoryError.self) { try directory.readComments(uri) }
            #expect(throws: MusicDirectoryError.self) { try directory.picture(uri) }
        }
        for uri in ["outdir", "sibling", "root", "..", "/etc"] {
            #expect(throws: MusicDirectoryError.self) { try directory.list(uri) }
            #expect(throws: MusicDirectoryError.self) { try directory.listFiles(uri) }
            #expect(throws: MusicDirectoryError.self) { try directory.walk(uri) { _ in } }
            #expect(throws: MusicDirectoryError.self) { try directory.coverFile(uri + "/x") }
        }
    }

    @Test func linksOutAreNotListed() throws {
        let listed = try music.directory.list("").map(\.uri)
        #expect(listed == ["%2e%2e.flac", "100%.flac", "Ä ö.flac", "a"])
        #expect(try music.directory.listFiles("").map(\.name) == ["%2e%2e.flac", "100%.flac", "a", "Ä ö.flac"])
        #expect(try music.openDirectory.list("").map(\.uri).contains("out.flac"))
    }

    @Test func linksInsideAreRefusedUnlessFollowed() throws {
        try music.link("a/inner", to: "b")
        let none = MusicDirectory(root: music.path, followsInsideLinks: false, followsOutsideLinks: false)
        let outer = MusicDirectory(root: music.path, followsInsideLinks: false, followsOutsideLinks: true)
        for directory in [none, outer] {
            for uri in ["a/inside.flac", "a/absolute.flac", "a/up", "a/up/a/b", "a/inner/song.flac"] {
                #expect(failure(uri, directory) == .doesNotExist(uri))
                #expect(throws: MusicDirectoryError.doesNotExist(uri)) {
                    try directory.resolve(directory.mediaEntry(for: Song(uri: uri)))
                }
            }
            #expect(throws: MusicDirectoryError.doesNotExist("a/inner")) { try directory.list("a/inner") }
            for uri in ["", "a", "a/b/song.flac", "100%.flac"] { #expect(failure(uri, directory) == nil) }
            #expect(try directory.list("a").map(\.uri) == ["a/b"])
        }
        #expect(failure("out.flac", none) == .outside("out.flac"))
        for uri in ["out.flac", "sibling/other.flac", "chain"] { #expect(failure(uri, outer) == nil) }
        // By way of one that is not followed.
        #expect(failure("a/up/sibling/other.flac", outer) == .doesNotExist("a/up"))
    }

    /// A link that another program changes all the time never leads out, whenever it is looked at.
    @Test func aSwappedLinkNeverLeadsOut() async throws {
        try music.write("in/cover.png", "inside")
        try music.write("in/list.m3u", "inside.flac\n")
        _ = try music.folder.makeFolder("elsewhere")
        try music.folder.write("elsewhere/cover.png", "SECRET")
        let (link, swap, outside) = (music.path + "/swap", music.path + "/swap2", music.folder.file("elsewhere"))
        try music.link("swap", to: "in")
        /// How often it was changed; `nil` when that is to end.
        let rounds = Watched<Int?>(0)
        let failure = Watched<Int32>(0)
        async let end: Void = WorkThread.run(named: "swapper") {
            while let round = rounds.current {
                let target = round.isMultiple(of: 2) ? outside : "in"
                guard unsafe symlink(target, swap) == 0, unsafe rename(swap, link) == 0 else {
                    return failure.withLock { $0 = errno }
                }
                rounds.withLock { if $0 != nil { $0 = round + 1 } }
            }
        }
        var (found, refused) = (0, 0)
        // On a busy disk a round takes its time.
        while found < 200 || refused < 200 || rounds.current ?? 0 < 10, failure.current == 0 {
            do throws(MusicDirectoryError) {
                guard let cover = try music.directory.coverFile("swap/x.flac") else { continue }
                let bytes = try cover.bytes(at: 0, count: 100)
                #expect(String(decoding: bytes, as: UTF8.self) == "inside")
                found += 1
            } catch {
                refused += 1
            }
        }
        rounds.withLock { $0 = nil }
        try await end
        #expect(failure.current == 0)
    }

    @Test func errorsAreOneLine() {
        let errors: [MusicDirectoryError] = [
            .doesNotExist("a\nb"), .malformed(""), .outside("x"), .notPlayable("x"), .inaccessible("x", errno: EACCES),
        ]
        for error in errors { #expect(!error.description.contains("\n")) }
        #expect(errors[4].description == "x: Permission denied")
    }

    @Test func pathsBecomeURIs() {
        let directory = music.directory
        #expect(directory.uri(ofPath: music.path + "/a/b") == "a/b")
        #expect(directory.uri(ofPath: music.path + "/a/../c") == "c")
        #expect(directory.uri(ofPath: music.path + "/../secret.flac") == nil)
        #expect(directory.uri(ofPath: music.path + "2/other.flac") == nil)
        #expect(directory.uri(ofPath: music.path) == nil)
        #expect(directory.uri(ofPath: "/etc/passwd") == nil)
    }
}

func realPath(_ path: String) -> String? {
    guard let result = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(result) }
    return unsafe String(cString: result)
}
