import Files
import Glibc
import TestSupport
import Testing

struct FolderEntryTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
        try folder.makeFolder("folder")
        try folder.link("link", to: "file")
        try folder.link("dead", to: "nowhere")
        try folder.write([], to: "...")
    }

    /// Each reading starts at the beginning, and shows neither `.` nor `..`.
    @Test func showsEachNameEachTime() throws {
        let open = try Descriptor(folder.path, .folder)
        for _ in 0..<2 {
            var names: Set<String> = []
            try open.forEachEntry { names.insert($0.text ?? "") }
            #expect(names == ["file", "folder", "link", "dead", "..."])
        }
        #expect(try Set(fileNames(in: folder.path)) == ["file", "folder", "link", "dead", "..."])
    }

    @Test func showsWhatTheNamesLeadTo() throws {
        var kinds: [String: [FileStatus.Kind?]] = [:]
        try Descriptor(folder.path, .folder).forEachEntry { entry in
            let direct = try? entry.status(followsLink: false).kind
            let followed = try? entry.status(followsLink: true).kind
            kinds[entry.text ?? ""] = [direct, followed]
            // File systems need not say it, but what they say is true.
            if let kind = entry.kind { #expect(kind == direct) }
        }
        #expect(
            kinds == [
                "file": [.file, .file], "folder": [.folder, .folder], "link": [.link, .file], "dead": [.link, nil],
                "...": [.file, .file],
            ]
        )
    }

    @Test func opensWhatItShows() throws {
        var contents: [UInt8]?
        try Descriptor(folder.path, .folder).forEachEntry { entry in
            if entry.text == "link" { contents = try? entry.open(.reading).contents(atMost: 10) }
        }
        #expect(contents == [1, 2, 3])
    }

    @Test func namesAreBytes() throws {
        let name: [UInt8] = Array(folder.file("").utf8) + [0xff, 0x61]
        let path = name.map(CChar.init(bitPattern:)) + [0]
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        close(file)
        var found: [[UInt8]] = []
        try Descriptor(folder.path, .folder).forEachEntry { entry in
            guard entry.text == nil else { return }
            found.append(entry.name)
            var names: [UInt8] = [1]
            entry.appendName(to: &names)
            #expect(names == [1, 0xff, 0x61])
            #expect(entry.repairedText == "\u{fffd}a")
        }
        #expect(found == [[0xff, 0x61]])
    }

    @Test func whatIsNoFolderCannotBeListed() throws {
        let file = try Descriptor(folder.file("file"), .reading)
        #expect(throws: SystemError.notInAFolder) { try file.forEachEntry { _ in } }
        #expect(throws: SystemError.noSuchFile) { try fileNames(in: folder.file("none")) }
    }
}
