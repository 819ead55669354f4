import Files
import Glibc
import TestSupport
import Testing

struct FileTreeTests {
    /// What opening a file of the tree gives: its bytes, or why it is not opened.
    private enum Outcome: Equatable {
        case bytes([UInt8])
        case outside
        case inside(String)
        case system(SystemError)
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["music", "music/album", "elsewhere", "music2"] { try folder.makeFolder(name) }
        try folder.write([1], to: "music/album/song")
        try folder.write([2], to: "elsewhere/song")
        try folder.write([3], to: "music2/song")
        try folder.link("music/in", to: "album")
        try folder.link("music/out", to: "../elsewhere")
        try folder.link("music/sibling", to: folder.file("music2"))
        try folder.link("music/album/back", to: "../out")
        try folder.link("music/dead", to: "nowhere")
    }

    private func open(_ name: String, inside: Bool, outside: Bool, root: String = "music") -> Outcome {
        let tree = FileTree(root: folder.file(root), followsInside: inside, followsOutside: outside)
        do {
            return .bytes(try tree.open(name, .reading).contents(atMost: 10))
        } catch let refusal as FileTree.Refusal {
            return switch refusal {
            case .outside: .outside
            case .inside(let name): .inside(name)
            case .system(let error): .system(error)
            }
        } catch {
            return .system((error as? SystemError) ?? SystemError(0))
        }
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func followsWhatIsFollowed(_ inside: Bool, _ outside: Bool) {
        #expect(open("album/song", inside: inside, outside: outside) == .bytes([1]))
        #expect(open("in/song", inside: inside, outside: outside) == (inside ? .bytes([1]) : .inside("in/song")))
        #expect(open("out/song", inside: inside, outside: outside) == (outside ? .bytes([2]) : .outside))
        #expect(open("sibling/song", inside: inside, outside: outside) == (outside ? .bytes([3]) : .outside))
        #expect(open("album/back/song", inside: inside, outside: outside) == (outside ? .bytes([2]) : .outside))
        #expect(open("dead", inside: inside, outside: outside) == .system(.noSuchFile))
        #expect(open("", inside: inside, outside: outside) == .system(.isFolder))
    }

    /// A link inside leads to one that leads out: both have to be followed.
    @Test func whatLeadsOutIsNotFoundThroughAnotherLink() {
        #expect(open("in/back/song", inside: false, outside: true) == .inside("in"))
        #expect(open("in/back/song", inside: true, outside: true) == .bytes([2]))
    }

    @Test func theRootMayBeALink() throws {
        try folder.link("linked", to: "music")
        #expect(open("album/song", inside: false, outside: false, root: "linked") == .bytes([1]))
        #expect(open("album/song", inside: false, outside: false, root: "linked/") == .bytes([1]))
        #expect(open("out/song", inside: false, outside: false, root: "linked") == .outside)
    }

    /// The system tells of every opening but one that only names a file.
    @Test func whatIsRefusedIsNotOpened() throws {
        let notifier = Descriptor(adopting: inotify_init1(Int32(IN_NONBLOCK)))
        let watch = unsafe inotify_add_watch(notifier.number, folder.file("elsewhere/song"), UInt32(IN_OPEN))
        try #require(watch >= 0)
        var buffer = [UInt8](repeating: 0, count: 4096)
        #expect(open("out/song", inside: true, outside: false) == .outside)
        #expect(try notifier.read(into: &buffer) == nil)
        #expect(open("out/song", inside: false, outside: true) == .bytes([2]))
        #expect(try notifier.read(into: &buffer) != nil)
    }

    @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
    func aRuleForNamesIsTheSame(_ inside: Bool, _ outside: Bool) throws {
        let tree = FileTree(root: folder.file("music"), followsInside: inside, followsOutside: outside)
        let rule = tree.linkRule
        let open = try Descriptor(folder.file("music"), .folder)
        var allowed: [String: Bool] = [:]
        try open.forEachEntry { entry in
            guard entry.kind == .link || (try? entry.status(followsLink: false).kind) == .link else { return }
            let name = entry.text ?? ""
            allowed[name] = rule.allows(entry)
            #expect(rule.allows(Array(name.utf8CString), in: open) == allowed[name])
        }
        // Where one that leads nowhere would lead cannot be told, and matters only when not all are treated alike.
        #expect(allowed == ["in": inside, "out": outside, "sibling": outside, "dead": inside && outside])
    }
}
