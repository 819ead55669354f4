import Glibc
import LibraryScan
import MediaHeaders
import Synchronization
import TestSupport
import Testing
import Threads

/// What must not be lost, whatever happens.
@Suite struct ScannerFaultTests {
    struct Refusal: Error {}

    @Test func emptyOrMissingRootLosesNothing() throws {
        let fixture = try ScanFixture()
        try fixture.write("1.mp3")
        try fixture.scan()
        try fixture.rename("1.mp3", to: "../kept")
        #expect(throws: ScanError.emptyRoot(fixture.root)) { try fixture.scan() }
        #expect(fixture.library.files == ["1.mp3"])
        try #require(unsafe rmdir(fixture.root) == 0)
        #expect(throws: ScanError.self) { try fixture.scan() }
        #expect(fixture.library.files == ["1.mp3"])
    }

    @Test func whatWasMountedAndIsNotLosesNothing() throws {
        let fixture = try ScanFixture()
        try fixture.write("nas/1.mp3")
        try fixture.write("2.mp3")
        try fixture.scan()
        fixture.library.pretend("nas", KnownFolder(fingerprint: .none, isMountPoint: true))
        try fixture.remove("nas/1.mp3")
        try fixture.scan()
        #expect(fixture.library.files == ["2.mp3", "nas/1.mp3"])
        #expect(fixture.library.current.problems["nas"]?.contains("mounted") == true)
        // It is still known to be one.
        try fixture.scan()
        #expect(fixture.library.files == ["2.mp3", "nas/1.mp3"])
    }

    /// What was copied from a file system to the disk is no file system any more.
    @Test(arguments: ["nas/", ""]) func whatWasMountedMayLieOnTheDisk(_ place: String) throws {
        let fixture = try ScanFixture()
        try fixture.write(place + "1.mp3")
        try fixture.write(place + "2.mp3")
        try fixture.scan()
        fixture.library.pretend(String(place.dropLast()), KnownFolder(fingerprint: .none, isMountPoint: true))
        try fixture.remove(place + "1.mp3")
        try fixture.write(place + "3.mp3")
        try fixture.scan()
        #expect(fixture.library.files == [place + "2.mp3", place + "3.mp3"])
        try fixture.remove(place + "2.mp3")
        try fixture.scan()
        #expect(fixture.library.files == [place + "3.mp3"])
    }

    @Test func ofAnotherDirectoryNothingIsKept() throws {
        let fixture = try ScanFixture()
        try fixture.write("1.mp3")
        try fixture.scan()
        fixture.library.pretend("", KnownFolder(fingerprint: .none, isMountPoint: true))
        try fixture.rename("1.mp3", to: "../kept")
        #expect(throws: ScanError.isUnmounted(fixture.root)) { try fixture.scan() }
        var options = LibraryScanner.Options(root: fixture.root)
        options.isAnotherRoot = true
        try LibraryScanner(options, sink: fixture.library, examiner: NoExaminer()).scan()
        #expect(fixture.library.files == [])
    }

    /// One that cannot be listed, one that cannot be entered, and one that can be neither.
    @Test(arguments: [0o000, 0o444, 0o311] as [mode_t])
    func unreadableDirectoryLosesNothing(_ mode: mode_t) async throws {
        let fixture = try ScanFixture()
        try fixture.write("a/1.mp3")
        try fixture.write("a/b/2.mp3")
        try fixture.write("3.mp3")
        try fixture.scan()
        fixture.setMode("a", mode)
        defer { fixture.setMode("a", 0o755) }
        try await asOtherUser { try fixture.scan() }
        #expect(fixture.library.files == ["3.mp3", "a/1.mp3", "a/b/2.mp3"])
        #expect(fixture.library.current.problems["a"]?.contains("ermission") == true)
        // Nothing but its mode has changed then.
        fixture.setMode("a", 0o755)
        try await asOtherUser { try fixture.scan([.init("", isRecursive: false)]) }
        #expect(fixture.library.files == ["3.mp3", "a/1.mp3", "a/b/2.mp3"])
        #expect(fixture.library.current.problems == [:])
    }

    @Test func linksToWhatCannotBeReachedAreProblemsOfTheirOwn() async throws {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        try FileBytes.write(MadeMedia.mp3(frames: 5), to: outside + "/o.mp3")
        _ = unsafe mkdir(outside + "/inner", 0o755)
        try FileBytes.write(MadeMedia.mp3(frames: 5), to: outside + "/inner/i.mp3")
        try fixture.write("1.mp3")
        try fixture.link("file.mp3", to: outside + "/o.mp3")
        try fixture.link("folder", to: outside + "/inner")
        let all = ["1.mp3", "file.mp3", "folder/i.mp3"]
        try fixture.scan()
        #expect(fixture.library.files == all)
        _ = unsafe chmod(outside, 0o700)
        _ = unsafe chown(outside, 0, 0)
        try fixture.write("2.mp3")
        try fixture.link("late.mp3", to: outside + "/o.mp3")
        try await asOtherUser { try fixture.scan() }
        // What was known stays, and what lies beside is found.
        #expect(fixture.library.files == ["1.mp3", "2.mp3", "file.mp3", "folder/i.mp3", "late.mp3"])
        #expect(fixture.library.current.rows["file.mp3"]?.problem == nil)
        #expect(fixture.library.current.rows["late.mp3"]?.problem?.contains("ermission") == true)
        #expect(fixture.library.current.problems["folder"]?.contains("ermission") == true)
        _ = unsafe chmod(outside, 0o755)
        #expect(try await asOtherUser { try fixture.scan() } == ["late.mp3"])
        #expect(fixture.library.current.rows["late.mp3"]?.problem == nil)
        #expect(fixture.library.current.problems == [:])
    }

    @Test func fileThatCouldNotBeReadIsReadByTheNextScan() async throws {
        let fixture = try ScanFixture()
        try fixture.write("a/1.mp3")
        try fixture.write("a/2.mp3")
        try fixture.write("b/3.mp3")
        try fixture.write("b/damaged.mp3", Array("hello".utf8))
        fixture.setMode("a/2.mp3", 0)
        try await asOtherUser { try fixture.scan() }
        #expect(fixture.library.current.rows["a/2.mp3"]?.problem?.contains("ermission") == true)
        #expect(try await asOtherUser { try fixture.scan() } == ["a/2.mp3"])
        fixture.setMode("a/2.mp3", 0o644)
        #expect(try await asOtherUser { try fixture.scan() } == ["a/2.mp3"])
        #expect(fixture.library.current.rows["a/2.mp3"]?.problem == nil)
        #expect(try await asOtherUser { try fixture.scan() } == [])
    }

    @Test func errorOfADiskIsNotTakenForTheEndOfAFile() throws {
        // Nothing can be read at its beginning.
        let descriptor = unsafe open("/proc/self/mem", O_RDONLY)
        defer { close(descriptor) }
        var reader = HeaderReader()
        var file = ScannedFile(uri: "1.mp3", size: 100_000, modified: 0, inode: 0)
        #expect(reader.read(descriptor, into: &file) == .unknown)
        #expect(reader.failure == EIO)
        #expect(reader.read(MadeMedia.mp3(), into: &file) == .complete)
        #expect(reader.failure == 0)
    }

    @Test func batchesNeverGetAheadOfTheirFiles() throws {
        let folders = Mutex<Set<String>>([])
        let early = Mutex<[String]>([])
        let fixture = try ScanFixture { _, batch in
            // A directory's files come before it or with it.
            let done = folders.withLock { folders in
                defer { folders.formUnion(batch.folders.map(\.uri)) }
                return folders
            }
            let late = batch.files.map(\.uri).filter { uri in done.contains(String(uri.prefix(3))) }
            early.withLock { $0 += late }
        }
        for number in 0..<300 { try fixture.write("\(100 + number / 3)/\(number).mp3", MadeMedia.mp3(frames: 3)) }
        try fixture.scan()
        #expect(fixture.library.files.count == 300)
        #expect(early.withLock(\.self) == [])
    }

    @Test func scanThatWasCutOffGoesOnBehindTheLastBatch() throws {
        // The first time, the library fails after each of the first batches in turn.
        for failing in 1...3 {
            let isFailing = Atomic(true)
            let shared = Shared(isFailing)
            let fixture = try ScanFixture { number, _ in
                if number >= failing, shared.flag.load(ordering: .relaxed) { throw Refusal() }
            }
            for number in 0..<600 { try fixture.write("\(number / 10)/\(number).mp3", MadeMedia.mp3(frames: 2)) }
            #expect(throws: Refusal.self) { try fixture.scan() }
            let kept = fixture.library.files.count
            #expect(kept >= (failing - 1) * ScanFixture.batchSize)
            shared.flag.store(false, ordering: .relaxed)
            let read = try fixture.scan()
            #expect(fixture.library.files.count == 600)
            #expect(read.count == 600 - kept)
            #expect(try fixture.scan() == [])
        }
    }

    @Test func cancelledScanKeepsWhatItReadAndTakesNothingOut() throws {
        let control = ScanControl()
        let fixture = try ScanFixture { _, _ in control.cancel() }
        for number in 0..<600 { try fixture.write("\(number / 10)/\(number).mp3", MadeMedia.mp3(frames: 2)) }
        try fixture.scanner().scan(control: control)
        let kept = fixture.library.files.count
        #expect((1..<600).contains(kept))
        #expect(control.progress.filesRead >= kept)
        // Already cancelled: nothing happens.
        try fixture.scanner().scan(control: control)
        #expect(fixture.library.files.count == kept)
        let rest = ScanControl()
        try LibraryScanner(.init(root: fixture.root), sink: fixture.library, examiner: NoExaminer())
            .scan(control: rest)
        #expect(fixture.library.files.count == 600)
        #expect(rest.progress.fraction == 1)
    }

    @Test func heldScanWritesWhatItHasAndGoesOn() async throws {
        let control = ScanControl()
        let fixture = try ScanFixture { number, _ in if number == 1 { control.pause() } }
        for number in 0..<1000 { try fixture.write("\(number / 10)/\(number).mp3", MadeMedia.mp3(frames: 2)) }
        async let scan: Void = WorkThread.run(named: "scan") { try fixture.scanner().scan(control: control) }
        // When it is held, what was read comes in, and then no more.
        var count = -1
        while !control.progress.isPaused || fixture.library.files.count != count
            || count != control.progress.filesRead
        {
            count = fixture.library.files.count
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(count < 1000)
        control.resume()
        try await scan
        #expect(fixture.library.files.count == 1000)
    }

    @Test func filesThatChangeWhileTheyAreReadAreFoundAgain() async throws {
        let fixture = try ScanFixture()
        for number in 0..<200 { try fixture.write("a/\(number).mp3", MadeMedia.mp3(frames: 3)) }
        let isOver = Shared(Atomic(false))
        let root = fixture.root
        async let writer: Void = WorkThread.run(named: "writer") {
            var frames = 3
            while !isOver.flag.load(ordering: .relaxed) {
                frames = frames % 40 + 1
                let name = "\(root)/a/\(frames * 4).mp3"
                try? FileBytes.write(MadeMedia.mp3(frames: frames), to: name)
            }
        }
        for _ in 0..<20 { try fixture.scan() }
        isOver.flag.store(true, ordering: .relaxed)
        try await writer
        try fixture.scan()
        for (uri, row) in fixture.library.current.rows {
            let (_, file) = MadeMedia.read(try FileBytes.read(root + "/" + uri))
            #expect(row.size == file.size)
            #expect(row.portableID == file.portableID)
        }
    }
}

/// An atomic that closures can share.
final class Shared: Sendable {
    let flag: Atomic<Bool>

    init(_ flag: consuming Atomic<Bool>) { self.flag = flag }
}
