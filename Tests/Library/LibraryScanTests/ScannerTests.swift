import Charsets
import Glibc
import LibraryScan
import MediaHeaders
import TestSupport
import Testing

/// A music directory for one test, and a scanner over it.
struct ScanFixture {
    let folder: TemporaryFolder
    let root: String
    let library: MemoryLibrary

    /// Small, so that a few files are several batches.
    static let batchSize = 64

    init(check: @escaping @Sendable (Int, ScanBatch) throws -> Void = { _, _ in }) throws {
        folder = try TemporaryFolder()
        root = try folder.makeFolder("music")
        library = MemoryLibrary(check: check)
    }

    func scanner(
        followsOutsideLinks: Bool = true,
        readsAll: Bool = false,
        charsets: CharsetRules = CharsetRules()
    ) -> LibraryScanner {
        var options = LibraryScanner.Options(root: root)
        options.charsets = charsets
        options.followsOutsideLinks = followsOutsideLinks
        options.readsAll = readsAll
        options.batchSize = Self.batchSize
        return LibraryScanner(options, sink: library, examiner: NoExaminer())
    }

    /// - Returns: The URIs of the files that were read, sorted.
    @discardableResult func scan(_ parts: [LibraryScanner.Part] = [.init("")]) throws -> [String] {
        let before = library.current.taken.count
        try scanner().scan(parts)
        return library.current.taken[before...].sorted()
    }

    func write(_ name: String, _ bytes: [UInt8] = MadeMedia.mp3(frames: 5)) throws {
        let path = root + "/" + name
        var parent = root
        for part in name.split(separator: "/").dropLast() {
            parent += "/" + part
            _ = unsafe mkdir(parent, 0o755)
        }
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o644)
        try #require(file >= 0)
        defer { close(file) }
        try #require(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    func remove(_ name: String) throws { try #require(unsafe unlink(root + "/" + name) == 0) }
    func link(_ name: String, to target: String) throws { try #require(unsafe symlink(target, root + "/" + name) == 0) }
    func setMode(_ name: String, _ mode: mode_t) { _ = unsafe chmod(root + "/" + name, mode) }
    func makeFolder(_ name: String) throws { try #require(unsafe mkdir(root + "/" + name, 0o755) == 0) }
    func rename(_ name: String, to other: String) throws {
        try #require(unsafe Glibc.rename(root + "/" + name, root + "/" + other) == 0)
    }
    func exchange(_ name: String, _ other: String) throws {
        try LibraryScanTests.exchange(root + "/" + name, root + "/" + other)
    }
}

@Suite struct ScannerTests {
    @Test func onlyWhatChangedIsReadAgain() throws {
        let fixture = try ScanFixture()
        for name in ["a/1.mp3", "a/2.mp3", "b/c/3.mp3", "4.mp3"] { try fixture.write(name) }
        try fixture.write("a/notes.txt", [1])
        #expect(try fixture.scan() == ["4.mp3", "a/1.mp3", "a/2.mp3", "b/c/3.mp3"])
        let questions = fixture.library.current.questions
        #expect(try fixture.scan() == [])
        // Fingerprints alone told.
        #expect(fixture.library.current.questions == questions)
        try fixture.write("a/2.mp3", MadeMedia.mp3(frames: 6))
        try fixture.write("b/5.mp3")
        #expect(try fixture.scan() == ["a/2.mp3", "b/5.mp3"])
        try fixture.remove("a/1.mp3")
        #expect(try fixture.scan() == [])
        #expect(fixture.library.files == ["4.mp3", "a/2.mp3", "b/5.mp3", "b/c/3.mp3"])
        try fixture.rename("b", to: "z")
        #expect(try fixture.scan() == ["z/5.mp3", "z/c/3.mp3"])
        #expect(fixture.library.files == ["4.mp3", "a/2.mp3", "z/5.mp3", "z/c/3.mp3"])
        #expect(fixture.library.current.folders.keys.sorted() == ["", "a", "z", "z/c"])
        try fixture.scanner(readsAll: true).scan()
        #expect(fixture.library.current.taken.count == 4 + 2 + 2 + 4)
    }

    private func song(_ title: String, in charset: Charset) throws -> [UInt8] {
        let text = try #require(charset.bytes(of: title))
        return MadeMedia.mp3(frames: 5) + Array("TAG".utf8) + text + [UInt8](repeating: 0, count: 125 - text.count)
    }

    /// None of these titles has the letters that it takes to judge it alone.
    @Test func theSongsOfAFolderAreJudgedTogether() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let fixture = try ScanFixture()
        for (number, title) in ["Ода", "Дом", "Жук", "Мост"].enumerated() {
            try fixture.write("kino/\(number).mp3", song(title, in: charset))
            try fixture.write("one \(number)/a.mp3", song(title, in: charset))
        }
        for (number, title) in ["Été", "Déjà", "À moi", "Forêt", "Noël", "Ça va", "L’élève"].enumerated() {
            try fixture.write("fr/\(number).mp3", song(title, in: .windows1252))
        }
        try fixture.scan()
        func titles() -> [String: String] { fixture.library.current.rows.compactMapValues { $0.tags.first?.1 } }
        let found = titles()
        #expect((0..<4).map { found["kino/\($0).mp3"] } == ["Ода", "Дом", "Жук", "Мост"])
        #expect(found["one 0/a.mp3"] == "Îäà")
        #expect((0..<7).map { found["fr/\($0).mp3"] } == ["Été", "Déjà", "À moi", "Forêt", "Noël", "Ça va", "L’élève"])
        let koi = try #require(Charset(named: "koi8-r"))
        let rules = CharsetRules(places: ["one 0": charset, "kino/": koi])
        try fixture.scanner(readsAll: true, charsets: rules).scan()
        #expect(titles()["one 0/a.mp3"] == "Ода")
        #expect(titles()["one 1/a.mp3"] == "Äîì")
        #expect(titles()["kino/0.mp3"] == koi.text([0xce, 0xe4, 0xe0]))
    }

    @Test func aCueSheetInAnotherCharacterSetKeepsItsIdentity() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let fixture = try ScanFixture()
        let sheet = try #require(charset.bytes(of: "TITLE \"Группа крови\"\nFILE \"a.flac\" WAVE\n"))
        try fixture.write("album.cue", sheet)
        try fixture.scan()
        let row = try #require(fixture.library.current.rows["album.cue"])
        #expect(row.cueSheet?.contains("Группа крови") == true)
        #expect(
            row.portableID == PortableID(sheet: String(String.UnicodeScalarView(sheet.map { Unicode.Scalar($0) }))).text
        )
    }

    @Test func filesAreOfTheirKindsAndCoversAreNamed() throws {
        let fixture = try ScanFixture()
        try fixture.write("a/1.mp3")
        try fixture.write("a/list.m3u", Array("1.mp3\n".utf8))
        try fixture.write("a/album.cue", Array("FILE \"1.mp3\" MP3\n".utf8))
        try fixture.write("a/Folder.JPG", MadeMedia.jpeg(width: 3, height: 2))
        try fixture.write("a/film.mkv", [1, 2, 3])
        try fixture.scan()
        let rows = fixture.library.current.rows
        #expect(rows["a/1.mp3"]?.kind == .audio)
        #expect(rows["a/1.mp3"]?.problem == nil)
        #expect(rows["a/list.m3u"]?.kind == .playlist)
        #expect(rows["a/album.cue"]?.cueSheet == "FILE \"1.mp3\" MP3\n")
        #expect(rows["a/Folder.JPG"]?.kind == .image)
        #expect(rows["a/Folder.JPG"]?.width == 3)
        #expect(rows["a/film.mkv"]?.problem == "unknown")
        #expect(fixture.library.current.covers["a"] == "Folder.JPG")
        try fixture.write("a/cover.png", MadeMedia.png)
        #expect(try fixture.scan() == ["a/cover.png"])
        #expect(fixture.library.current.covers["a"] == "cover.png")
    }

    @Test func ignoredAndHiddenFilesAreLeftOut() throws {
        let fixture = try ScanFixture()
        for name in [
            "a/1.mp3", "a/skip.mp3", "a/sub/skip.mp3", "a/sub/2.mp3", ".hidden.mp3", ".dots/3.mp3", "b/skip.mp3",
        ] {
            try fixture.write(name)
        }
        try fixture.write("a/.mpdignore", Array("# words\nskip*  \n".utf8))
        try fixture.scan()
        #expect(fixture.library.files == [".dots/3.mp3", "a/1.mp3", "a/sub/2.mp3", "b/skip.mp3"])
        try fixture.write(".mpdignore", Array("sub\n".utf8))
        try fixture.scan()
        #expect(fixture.library.files == [".dots/3.mp3", "a/1.mp3", "b/skip.mp3"])
        try fixture.remove(".mpdignore")
        try fixture.remove("a/.mpdignore")
        try fixture.scan()
        #expect(
            fixture.library.files == [
                ".dots/3.mp3", "a/1.mp3", "a/skip.mp3", "a/sub/2.mp3", "a/sub/skip.mp3", "b/skip.mp3",
            ]
        )
    }

    @Test func linksAreFollowedAndNeverInCircles() throws {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        try FileBytes.write(MadeMedia.mp3(frames: 5), to: outside + "/o.mp3")
        try fixture.write("a/1.mp3")
        try fixture.link("a/up", to: "..")
        try fixture.link("again", to: "a")
        try fixture.link("third", to: "a")
        try fixture.link("out", to: outside)
        try fixture.link("out.mp3", to: outside + "/o.mp3")
        try fixture.link("gone.mp3", to: "nowhere")
        try fixture.scan()
        #expect(fixture.library.files == ["a/1.mp3", "again/1.mp3", "out.mp3", "out/o.mp3", "third/1.mp3"])
        let circle = "links to a directory that contains it"
        #expect(fixture.library.current.problems == ["a/up": circle, "again/up": circle, "third/up": circle])
        // A part is seen as the whole is.
        for part in ["a/up", "third", "again/up/a"] { #expect(try fixture.scan([.init(part)]) == []) }
        #expect(fixture.library.files == ["a/1.mp3", "again/1.mp3", "out.mp3", "out/o.mp3", "third/1.mp3"])
        try fixture.scanner(followsOutsideLinks: false).scan()
        #expect(fixture.library.files == ["a/1.mp3", "again/1.mp3", "third/1.mp3"])
    }

    @Test func directoryIsShownWhereverALinkLeadsToIt() throws {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        for name in ["1.mp3", "2.mp3"] { try FileBytes.write(MadeMedia.mp3(frames: 5), to: "\(outside)/\(name)") }
        try fixture.link("L1", to: outside)
        try fixture.link("L2", to: outside)
        try fixture.scan()
        #expect(fixture.library.files == ["L1/1.mp3", "L1/2.mp3", "L2/1.mp3", "L2/2.mp3"])
        #expect(try fixture.scan([.init("L2"), .init("L1")]) == [])
        try #require(unsafe unlink(outside + "/2.mp3") == 0)
        try fixture.scan()
        #expect(fixture.library.files == ["L1/1.mp3", "L2/1.mp3"])
        // What has become a circle is gone.
        try fixture.remove("L1")
        try fixture.link("L1", to: ".")
        try fixture.scan()
        #expect(fixture.library.files == ["L2/1.mp3"])
        #expect(fixture.library.current.folders.keys.sorted() == ["", "L1", "L2"])
        #expect(fixture.library.current.problems.keys.sorted() == ["L1"])
    }

    @Test(.timeLimit(.minutes(5))) func linksBetweenDirectoriesDoNotMultiply() throws {
        let fixture = try ScanFixture()
        // Ten ways from each of twelve directories to the next: a thousand billions of paths.
        for number in 0..<12 {
            try fixture.write("\(number)/song.mp3")
            for link in 0..<10 where number < 11 { try fixture.link("\(number)/l\(link)", to: "../\(number + 1)") }
        }
        try fixture.scan()
        let shown = fixture.library.files
        #expect(Set(shown).isSuperset(of: (0..<12).map { "\($0)/song.mp3" }))
        for number in 0..<11 {
            #expect(Set(shown).isSuperset(of: (0..<10).map { "\(number)/l\($0)/song.mp3" }))
        }
        #expect(shown.count < 1000)
        #expect(fixture.library.current.problems.count <= 1000)
        #expect(try fixture.scan() == [])
        #expect(fixture.library.files == shown)
    }

    @Test(.timeLimit(.minutes(5))) func linksFromEachDirectoryToAllOthersDoNotMultiply() throws {
        let fixture = try ScanFixture()
        for number in 0..<20 { try fixture.write("\(number)/song.mp3", MadeMedia.mp3(frames: 2)) }
        for from in 0..<20 { for to in 0..<20 where to != from { try fixture.link("\(from)/\(to)", to: "../\(to)") } }
        try fixture.scan()
        let shown = Set(fixture.library.files)
        let direct = (0..<20).flatMap { from in (0..<20).filter { $0 != from }.map { "\(from)/\($0)/song.mp3" } }
        #expect(shown.isSuperset(of: direct))
        #expect(shown.count < 20 * 80)
        #expect(fixture.library.current.problems.count <= 1000)
    }

    @Test func namesThatAreNoTextAreProblems() throws {
        let fixture = try ScanFixture()
        try fixture.write("good.mp3")
        for name in [[0x62, 0xff, 0x2e, 0x6d, 0x70, 0x33], Array("line\nfeed.mp3".utf8)] {
            let path = Array(fixture.root.utf8) + [0x2f] + name + [0]
            let file = unsafe open(path.map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o644)
            try #require(file >= 0)
            close(file)
        }
        try fixture.scan()
        let rows = fixture.library.current.rows
        #expect(rows.keys.sorted() == ["b\\xff.mp3", "good.mp3", "line\\x0afeed.mp3"])
        #expect(rows["b\\xff.mp3"]?.problem?.contains("UTF-8") == true)
        #expect(try fixture.scan() == [])
    }

    @Test func damagedAndEmptyFilesAreProblems() throws {
        let fixture = try ScanFixture()
        try fixture.write("empty.mp3", [])
        try fixture.write("text.mp3", Array("hello".utf8))
        try fixture.write("bad.png", Array("hello, I am no picture at all".utf8))
        try fixture.scan()
        let rows = fixture.library.current.rows
        #expect(rows["empty.mp3"]?.problem == "is empty")
        #expect(rows["text.mp3"]?.problem == "unknown")
        #expect(rows["bad.png"]?.problem?.contains("picture") == true)
    }

    /// More than the walk may be ahead of the writer.
    @Test(.timeLimit(.minutes(5))) func manyDirectoriesWithoutFilesDoNotHoldItUp() throws {
        let fixture = try ScanFixture()
        for number in 0..<10 * ScanFixture.batchSize { try fixture.makeFolder("\(number)") }
        try fixture.scan()
        #expect(fixture.library.current.folders.count == 1 + 10 * ScanFixture.batchSize)
    }

    @Test func directoriesTooDeepAreProblems() throws {
        let fixture = try ScanFixture()
        var name = ""
        for _ in 0..<120 { name += "d/" }
        try fixture.write(name + "1.mp3")
        try fixture.write("d/2.mp3")
        try fixture.scan()
        #expect(fixture.library.files == ["d/2.mp3"])
        #expect(fixture.library.current.problems.values.contains("is nested too deeply"))
    }

    @Test func partsAreScannedAlone() throws {
        let fixture = try ScanFixture()
        for name in ["a/1.mp3", "a/b/2.mp3", "c/3.mp3"] { try fixture.write(name) }
        try fixture.scan()
        for name in ["a/4.mp3", "a/b/5.mp3", "a/new/deep/6.mp3", "c/7.mp3"] { try fixture.write(name) }
        // Only what is new below.
        #expect(try fixture.scan([.init("a", isRecursive: false)]) == ["a/4.mp3", "a/new/deep/6.mp3"])
        #expect(try fixture.scan([.init("a")]) == ["a/b/5.mp3"])
        try fixture.write("c/8.mp3")
        #expect(try fixture.scan([.init("c/8.mp3")]) == ["c/7.mp3", "c/8.mp3"])
        try fixture.remove("c/3.mp3")
        try fixture.remove("c/7.mp3")
        try fixture.remove("c/8.mp3")
        try #require(unsafe rmdir(fixture.root + "/c") == 0)
        try fixture.scan([.init("c")])
        #expect(fixture.library.files.allSatisfy { $0.hasPrefix("a/") })
    }
}
