import Files
import Glibc
import TestSupport
import Testing

struct AtomicFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    private func contents() throws -> [UInt8] { try fileContents(path, atMost: 1 << 20) }
    private func names() throws -> [String] { try fileNames(in: folder.path).sorted() }

    @Test func replacesAFileAndKeepsItsPermissions() throws {
        try AtomicFile.write([1, 2], to: path, access: .asBefore)
        try #require(unsafe chmod(path, 0o640) == 0)
        try AtomicFile.write([3], to: path, access: .asBefore)
        #expect(try contents() == [3])
        #expect(try FileStatus(of: path).permissions == 0o640)
        #expect(try names() == ["file"])
    }

    @Test func aPrivateFileIsItsOwnersAlone() throws {
        try AtomicFile.write([1], to: path, access: .onlyOwner)
        #expect(try FileStatus(of: path).permissions == 0o600)
        try #require(unsafe chmod(path, 0o644) == 0)
        try AtomicFile.write([2], to: path, access: .onlyOwner)
        #expect(try FileStatus(of: path).permissions == 0o600)
    }

    /// Whoever is killed while a new file is made leaves nothing in the folder.
    @Test func aNewFileHasNoNameBeforeItIsWhole() throws {
        try AtomicFile.make(path, isNew: true) { file in
            try file.write([1, 2])
            #expect(try names() == [])
        }
        #expect(try contents() == [1, 2])
        let mask = umask(0)
        umask(mask)
        #expect(try FileStatus(of: path).permissions == 0o666 & ~UInt32(mask))
        #expect(throws: SystemError.exists) { try AtomicFile.make(path, isNew: true) { try $0.write([3]) } }
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try AtomicFile.make(folder.file("other"), isNew: true) { _ in throw Failure() }
        }
        #expect(try names() == ["file"] && contents() == [1, 2])
    }

    @Test func aLinkStaysOne() throws {
        try folder.write([1], to: "target")
        try folder.link("file", to: "target")
        try AtomicFile.write([2], to: path, access: .asBefore)
        #expect(try FileStatus(of: path, followsLink: false).kind == .link)
        #expect(try fileContents(folder.file("target"), atMost: 10) == [2])
        #expect(try names() == ["file", "target"])
    }

    @Test func aNewFileReplacesNone() throws {
        try AtomicFile.write([1], to: path, access: .asBefore, isNew: true)
        #expect(throws: SystemError.exists) {
            try AtomicFile.write([2], to: path, access: .asBefore, isNew: true)
        }
        #expect(try contents() == [1])
        try AtomicFile.write([3], to: folder.file("other"), access: .asBefore)
        #expect(throws: SystemError.exists) { try AtomicFile.rename(folder.file("other"), toNew: path) }
        try AtomicFile.rename(folder.file("other"), toNew: folder.file("third"))
        #expect(try names() == ["file", "third"])
    }

    /// A folder cannot be replaced by a file.
    @Test(arguments: [nil, ".new"]) func aFailureLeavesNothingBehind(_ suffix: String?) throws {
        try folder.makeFolder("file")
        #expect(throws: SystemError.isFolder) {
            try AtomicFile.write([1], to: path, access: .onlyOwner, temporarySuffix: suffix)
        }
        #expect(try names() == ["file"])
        #expect(throws: SystemError.noSuchFile) {
            try AtomicFile.write([1], to: folder.file("none/file"), access: .onlyOwner, temporarySuffix: suffix)
        }
    }

    /// What another process left, or put in the way, is neither written to nor kept.
    @Test func aLeftoverIsNotWrittenThrough() throws {
        try folder.write([9], to: "precious")
        try folder.link("file.new", to: "precious")
        try AtomicFile.write([1], to: path, access: .onlyOwner, temporarySuffix: ".new")
        #expect(try contents() == [1])
        #expect(try fileContents(folder.file("precious"), atMost: 10) == [9])
        #expect(try names() == ["file", "precious"])
    }

    /// With several writers at once, each reader sees one writer's file, whole.
    @Test func theFileIsAlwaysWhole() async throws {
        let path = path
        try AtomicFile.write([UInt8](repeating: 0, count: 50_000), to: path, access: .onlyOwner)
        try await withThrowingTaskGroup { group in
            for writer in 1...4 {
                group.addTask {
                    for _ in 0..<20 {
                        let bytes = [UInt8](repeating: UInt8(writer), count: 50_000 + writer)
                        try AtomicFile.write(bytes, to: path, access: .onlyOwner)
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let bytes = try fileContents(path, atMost: 1 << 20)
                    let writer = try #require(bytes.first)
                    #expect(bytes.count == 50_000 + Int(writer) && bytes.allSatisfy { $0 == writer })
                }
            }
            try await group.waitForAll()
        }
        #expect(try names() == ["file"])
    }

    @Test func makesMissingFolders() throws {
        makeFolders(folder.file("a/b/c"))
        #expect(try FileStatus(of: folder.file("a/b/c")).kind == .folder)
        #expect(try FileStatus(of: folder.file("a")).permissions == 0o700)
    }

    @Test func namesOfDamagedFilesEnd() throws {
        for number in 1...9 {
            #expect(damagedName(for: path) == "\(path).damaged-\(number)")
            try folder.write([], to: "file.damaged-\(number)")
        }
        #expect(damagedName(for: path) == "\(path).damaged-9")
    }
}
