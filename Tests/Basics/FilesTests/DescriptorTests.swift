import AudioTypes
import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

struct DescriptorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func readsNoMoreThanAllowed() throws {
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try folder.write(bytes, to: "file")
        #expect(try fileContents(folder.file("file"), atMost: 300_000) == bytes)
        #expect(throws: SystemError.tooLarge) { try fileContents(folder.file("file"), atMost: 299_999) }
    }

    /// The system makes it up while it is read, and gives 0 for its size.
    @Test func readsWhatHasNoSize() throws {
        #expect(try FileStatus(of: "/proc/self/mountinfo").size == 0)
        #expect(try !fileContents("/proc/self/mountinfo", atMost: 1 << 20).isEmpty)
        #expect(throws: SystemError.tooLarge) { try fileContents("/proc/self/mountinfo", atMost: 16) }
    }

    @Test func readsOnlyFilesWhole() throws {
        #expect(throws: SystemError.isFolder) { try fileContents(folder.path, atMost: 100) }
        try #require(unsafe mkfifo(folder.file("pipe"), 0o600) == 0)
        // It has no writer, so waiting for one would never end.
        #expect(throws: SystemError.notAFile) { try fileContents(folder.file("pipe"), atMost: 100) }
        #expect(throws: SystemError.notAFile) { try fileContents("/dev/zero", atMost: 100) }
        #expect(throws: SystemError.noSuchFile) { try fileContents(folder.file("none"), atMost: 100) }
        #expect(throws: SystemError.noSuchFile) { try fileContents("", atMost: 100) }
        #expect(throws: SystemError.noSuchFile) { try fileContents("/proc/self/mountinfo\0x", atMost: 100) }
    }

    /// Files are opened for others only where permissions let everyone, so that nothing is told of others' files.
    @Test func readsForOthersWhatTheyMayRead() throws {
        let other = FileReaders.user(getuid() &+ 12_345)
        let owner = FileReaders.user(getuid())
        let path = folder.file("below/file")
        try folder.makeFolder("below")
        try folder.write([7], to: "below/file")
        let link = folder.file("link")
        try #require(unsafe symlink("./below/../below//file", link) == 0)
        for (folders, file, isReadable) in [
            (0o755, 0o644, true), (0o711, 0o444, true), (0o755, 0o640, false), (0o755, 0o604, false),
            (0o755, 0o400, false), (0o750, 0o644, false), (0o705, 0o644, false), (0o700, 0o644, false),
        ] as [(UInt32, UInt32, Bool)] {
            for place in [folder.path, folder.file("below")] {
                try #require(unsafe chmod(folder.path, 0o755) == 0 && chmod(folder.file("below"), 0o755) == 0)
                try #require(unsafe chmod(path, file) == 0 && chmod(place, folders) == 0)
                for name in [path, link] {
                    for readers in [other, .everybody] {
                        if isReadable {
                            #expect(try bytes(name, readers) == [7])
                        } else {
                            #expect(throws: SystemError.permissionDenied, "\(folders) \(file)") {
                                try bytes(name, readers)
                            }
                        }
                    }
                }
                // Its owner may.
                #expect(try bytes(path, owner) == [7])
            }
        }
    }

    private func bytes(_ path: String, _ readers: FileReaders) throws -> [UInt8] {
        let place = try #require(FilePath(bytes: path.utf8))
        return try Descriptor(place, readableBy: readers).bytes(at: 0, count: 10)
    }

    /// Nor does an answer tell of anything in a folder that others cannot enter, by whatever way the path goes.
    @Test func tellsOthersNothingOfHiddenFolders() throws {
        let hidden = folder.file("hidden")
        try folder.makeFolder("hidden")
        try folder.makeFolder("hidden/below")
        try folder.write([7], to: "file")
        try folder.write([7], to: "hidden/file")
        for (link, target) in [
            ("out", "../file"), ("hidden/out", "../file"), ("to-hidden", "hidden/file"), ("loop", "loop"),
            ("through", "hidden/out"), ("process", "/proc/self/cwd"), ("root", "/"),
        ] { try #require(unsafe symlink(target, folder.file(link)) == 0) }
        try #require(unsafe mkfifo(folder.file("pipe"), 0o666) == 0 && chmod(folder.file("pipe"), 0o666) == 0)
        try #require(unsafe chmod(hidden, 0o700) == 0)
        for name in [
            "hidden/file", "hidden/none", "hidden/out", "hidden/../file", "hidden/below/../../file", "hidden/none/../x",
            "to-hidden", "through", "process/status", "root/proc/self/status", "file/", "file/.", "pipe", ".", "",
        ] {
            #expect(throws: SystemError.permissionDenied, "\(name)") { try bytes(folder.file(name), .everybody) }
        }
        #expect(try bytes(folder.file("./file"), .everybody) == [7])
        #expect(try bytes(folder.file("root") + folder.file("file"), .everybody) == [7])
        #expect(throws: SystemError(ELOOP)) { try bytes(folder.file("loop"), .everybody) }
        for name in ["none", "none/file", "out"] {
            #expect(throws: SystemError.noSuchFile, "\(name)") { try bytes(folder.file(name), .everybody) }
        }
        for path in [
            "/proc/self/status", "/proc/version", "/sys/kernel/uevent_seqnum", "/dev/zero", "/dev/fd/0", "/dev/null",
            "/proc/self/fd/0", "//proc/version", "/./proc/version",
        ] {
            #expect(throws: SystemError.permissionDenied, "\(path)") { try bytes(path, .everybody) }
        }
        #expect(throws: SystemError.noSuchFile) { try bytes("relative", .everybody) }
    }

    /// A link that is exchanged all the time leads to a hidden file in one moment, and to a readable one in the next.
    @Test func neverReadsForOthersWhatALinkComesToLeadTo() throws {
        try folder.write([7], to: "file")
        try folder.write([8], to: "secret")
        try #require(unsafe chmod(folder.file("secret"), 0o600) == 0)
        let (link, next, targets) = (folder.file("link"), folder.file("next"), ["file", "secret"])
        try #require(unsafe symlink("file", link) == 0)
        let hasEnded = Mutex(false)
        // The tasks' threads may all be taken by tests.
        let exchanging = Thread {
            var count = 0
            while !hasEnded.withLock(\.self) {
                count += 1
                _ = unsafe symlink(targets[count % 2], next)
                _ = unsafe rename(next, link)
            }
        }
        exchanging.start()
        defer { hasEnded.withLock { $0 = true } }
        var counts: [Bool: Int] = [:]
        while counts[true, default: 0] < 200 || counts[false, default: 0] < 200 {
            let found = try? bytes(link, .everybody)
            #expect(found == nil || found == [7])
            counts[found != nil, default: 0] += 1
        }
    }

    @Test func isClosedWithItsOwner() throws {
        try folder.write([1], to: "file")
        var number: Int32 = -1
        do {
            let file = try Descriptor(folder.file("file"), .reading)
            number = file.number
            #expect(file.realPath?.bytes == Array(folder.file("file").utf8))
            do {
                let other = Descriptor(borrowing: number)
                #expect(try other.bytes(at: 0, count: 5) == [1])
            }
            #expect(try file.bytes(at: 0, count: 5) == [1])
        }
        // Another test may have been given the number meanwhile.
        #expect(Descriptor(borrowing: number).realPath?.bytes != Array(folder.file("file").utf8))
    }

    @Test func writesAtPlaces() throws {
        let file = try Descriptor(folder.file("file"), .changing)
        try file.write(Array("world".utf8), at: 6)
        try file.write(Array("hello ".utf8), at: 0)
        #expect(try file.contents(atMost: 20) == Array("hello world".utf8))
        try file.truncate(to: 5)
        #expect(try file.status.size == 5)
        #expect(try file.status.permissions == 0o600)
        try #require(unsafe unlink(folder.file("file")) == 0)
        #expect(try file.status.nameCount == 0)
    }

    /// A pipe that is full makes a non-blocking writer wait, not fail.
    @Test func writesWholeWhereTheReaderIsSlow() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let end = ends[1]
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        let thread = Task.detached { try Descriptor(adopting: end).write(bytes) }
        let reading = Descriptor(adopting: ends[0])
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let count = try reading.read(into: &buffer), count > 0 { read += buffer[..<count] }
        try await thread.value
        #expect(read == bytes)
    }

    @Test func anErrorSpeaksTheSystemsWords() throws {
        #expect(SystemError.noSuchFile.description == "No such file or directory")
        #expect(throws: SystemError(ENOTDIR)) { _ = try Descriptor("/dev/null", .folder) }
        #expect(throws: SystemError.exists) { _ = try Descriptor("/dev/null", .new(permissions: 0o600)) }
    }

    @Test func findsTheFolderOfAPath() {
        #expect(Files.folder(of: "/a/b") == "/a")
        #expect(Files.folder(of: "/a") == "/")
        #expect(Files.folder(of: "a") == ".")
    }

    @Test func isWithinByWholeNames() throws {
        func path(_ text: String) throws -> FilePath { try #require(FilePath(bytes: text.utf8)) }
        #expect(try path("/a/b").isWithin(path("/a")))
        #expect(try path("/a").isWithin(path("/a")))
        #expect(try !path("/ab").isWithin(path("/a")))
        #expect(try !path("/a").isWithin(path("/a/b")))
        #expect(try path("/a").isWithin(path("/")))
    }
}

extension TemporaryFolder {
    func write(_ bytes: [UInt8], to name: String) throws {
        try Descriptor(file(name), .rewriting(permissions: 0o644)).write(bytes)
    }

    func link(_ name: String, to target: String) throws {
        try #require(unsafe symlink(target, file(name)) == 0)
    }

    func makeFolder(_ name: String) throws { try #require(unsafe mkdir(file(name), 0o755) == 0) }
}
