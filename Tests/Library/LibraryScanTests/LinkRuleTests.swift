import LibraryScan
import TestSupport
import Testing

/// Which links are followed: those that lead inside, and those that lead out, each as is configured.
@Suite struct LinkRuleTests {
    struct Rule: Sendable {
        let followsInside: Bool
        let followsOutside: Bool
    }

    static let all = [true, false].flatMap { inside in
        [true, false].map { Rule(followsInside: inside, followsOutside: $0) }
    }

    private func makeMusic() throws -> (ScanFixture, outside: String) {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        try FileBytes.write(MadeMedia.mp3(frames: 5), to: outside + "/o.mp3")
        try fixture.write("real/1.mp3")
        try fixture.link("in", to: "real")
        try fixture.link("in.mp3", to: "real/1.mp3")
        try fixture.link("out", to: outside)
        try fixture.link("out.mp3", to: outside + "/o.mp3")
        return (fixture, outside)
    }

    @Test(arguments: all) func scanFollowsWhatItMay(_ rule: Rule) throws {
        let (fixture, _) = try makeMusic()
        var options = LibraryScanner.Options(root: fixture.root)
        options.followsInsideLinks = rule.followsInside
        options.followsOutsideLinks = rule.followsOutside
        let scanner = LibraryScanner(options, sink: fixture.library, examiner: NoExaminer())
        try scanner.scan()
        let inside = rule.followsInside ? ["in.mp3", "in/1.mp3"] : []
        let outside = rule.followsOutside ? ["out.mp3", "out/o.mp3"] : []
        #expect(fixture.library.files == (inside + outside + ["real/1.mp3"]))
        // By their names, too.
        try scanner.scan([.init("in"), .init("out")])
        #expect(fixture.library.files == (inside + outside + ["real/1.mp3"]))
        // What was followed before, and is not any more, is gone.
        try fixture.scanner().scan()
        try scanner.scan()
        #expect(fixture.library.files == (inside + outside + ["real/1.mp3"]))
    }

    @Test(arguments: all) func watcherFollowsWhatItMay(_ rule: Rule) async throws {
        let (fixture, outside) = try makeMusic()
        let told = Told()
        let watcher = try LibraryWatcher(
            root: fixture.root,
            followsInsideLinks: rule.followsInside,
            followsOutsideLinks: rule.followsOutside
        ) { told.add($0) }
        try FileBytes.write(MadeMedia.mp3(frames: 5), to: outside + "/new.mp3")
        try fixture.write("real/2.mp3")
        let expected = Set((rule.followsInside ? ["in"] : []) + (rule.followsOutside ? ["out"] : []) + ["real"])
        try await told.wait(for: expected)
        #expect(Set(told.all.map(\.uri)) == expected)
        withExtendedLifetime(watcher) {}
    }
}
