import Foundation
import Glibc
import LibraryScan
import Synchronization
import TestSupport
import Testing

/// What a watcher has told, and who waits for it.
final class Told: Sendable {
    private let parts = Mutex<[LibraryScanner.Part]>([])
    private let count = Mutex(0)

    func add(_ parts: [LibraryScanner.Part]) {
        self.parts.withLock { $0 += parts }
        count.withLock { $0 += 1 }
    }

    var all: [LibraryScanner.Part] { parts.withLock(\.self) }
    var deliveries: Int { count.withLock(\.self) }
    func forget() { parts.withLock { $0 = [] } }

    /// Waits until it was told more than so many times.
    func wait(forMoreThan count: Int) async throws {
        let deadline = ContinuousClock.now + .patience
        while deliveries <= count {
            try #require(ContinuousClock.now < deadline, "told \(count) times only")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits until all these have been told of.
    func wait(for uris: Set<String>) async throws {
        let deadline = ContinuousClock.now + .patience
        while !uris.isSubset(of: all.map(\.uri)) {
            try #require(ContinuousClock.now < deadline, "told of \(all.map(\.uri)) in place of \(uris)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

@Suite struct WatcherTests {
    private func watch(_ fixture: ScanFixture, _ told: Told) throws -> LibraryWatcher {
        try LibraryWatcher(root: fixture.root, followsOutsideLinks: true) { told.add($0) }
    }

    @Test func changesAreToldByDirectory() async throws {
        let fixture = try ScanFixture()
        try fixture.write("a/1.mp3")
        try fixture.write("b/2.mp3")
        let told = Told()
        let watcher = try watch(fixture, told)
        #expect(watcher.unwatched == [])
        try fixture.write("a/3.mp3")
        try await told.wait(for: ["a"])
        #expect(told.all == [.init("a", isRecursive: false)])
        told.forget()
        try fixture.remove("b/2.mp3")
        try await told.wait(for: ["b"])
        told.forget()
        try fixture.rename("a/3.mp3", to: "b/3.mp3")
        try await told.wait(for: ["a", "b"])
        told.forget()
        // In directories that were not there, however many at once.
        try fixture.write("n/m/4.mp3")
        try await told.wait(for: [""])
        told.forget()
        try fixture.write("n/m/5.mp3")
        try await told.wait(for: ["n/m"])
        told.forget()
        try fixture.rename("n", to: "a/n")
        try await told.wait(for: ["", "a"])
        told.forget()
        try fixture.write("a/n/m/6.mp3")
        try await told.wait(for: ["a/n/m"])
        told.forget()
        try fixture.write("a/.mpdignore", Array("x\n".utf8))
        try await told.wait(for: ["a"])
        #expect(told.all == [.init("a")])
        // What the library does not show is not told of, so it is the later one alone.
        told.forget()
        try fixture.write("b/notes.txt")
        try fixture.write("b/.hidden.mp3")
        try fixture.write("a/7.mp3")
        try await told.wait(for: ["a"])
        #expect(told.all == [.init("a", isRecursive: false)])
    }

    /// Names of the same letters in two forms.
    @Test func lettersThatAreComposedOtherwise() async throws {
        let fixture = try ScanFixture()
        let names = ["\u{dc}", "U\u{308}"]
        for name in names { try fixture.write("\(name)/1.mp3") }
        let told = Told()
        let watcher = try watch(fixture, told)
        #expect(watcher.unwatched == [])
        for name in names {
            told.forget()
            try fixture.write("\(name)/2.mp3")
            try await told.wait(for: [name])
            #expect(told.all.map { Array($0.uri.utf8) } == [Array(name.utf8)])
        }
        told.forget()
        for name in names { try fixture.write("\(name)/3.mp3") }
        try await told.wait(for: [names[0]])
        #expect(Set(told.all.map { Array($0.uri.utf8) }) == Set(names.map { Array($0.utf8) }))
    }

    @Test func linksAreWatched() async throws {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        try fixture.write("a/1.mp3")
        let told = Told()
        let watcher = try watch(fixture, told)
        try fixture.link("a/out", to: outside)
        try await told.wait(for: ["a"])
        told.forget()
        try FileBytes.write(MadeMedia.mp3(), to: outside + "/o.mp3")
        try await told.wait(for: ["a/out"])
        withExtendedLifetime(watcher) {}
    }

    @Test func directoryThatTookAnothersPlaceIsWatched() async throws {
        let fixture = try ScanFixture()
        for name in ["a/1.mp3", "a/in/2.mp3", "c/3.mp3", "d/4.mp3"] { try fixture.write(name) }
        try fixture.makeFolder("b")
        let told = Told()
        let watcher = try watch(fixture, told)
        // Over an empty one.
        try fixture.rename("a", to: "b")
        try await told.wait(for: ["", "b"])
        try await expectChangesAreTold(of: ["b", "b/in"], fixture, told)
        // Two for each other.
        try fixture.exchange("b", "c")
        try await told.wait(for: ["b", "c"])
        try await expectChangesAreTold(of: ["b", "c", "c/in"], fixture, told)
        // A link that leads elsewhere then.
        try fixture.link("link", to: "b")
        try await told.wait(for: ["link"])
        try fixture.link("other", to: "d")
        try await told.wait(for: ["other"])
        told.forget()
        try fixture.rename("other", to: "link")
        try await told.wait(for: ["link"])
        try await expectChangesAreTold(of: ["b", "c", "d", "link"], fixture, told)
        #expect(watcher.unwatched == [])
    }

    private func expectChangesAreTold(of folders: Set<String>, _ fixture: ScanFixture, _ told: Told) async throws {
        for folder in folders.sorted() {
            told.forget()
            try fixture.write(folder + "/new.mp3")
            try await told.wait(for: [folder])
            told.forget()
            try fixture.remove(folder + "/new.mp3")
            try await told.wait(for: [folder])
        }
    }

    @Test func directoryIsToldOfWhereverALinkLeadsToIt() async throws {
        let fixture = try ScanFixture()
        let outside = try fixture.folder.makeFolder("outside")
        _ = try fixture.folder.makeFolder("outside/deep")
        for name in ["L1", "L2", "L3"] { try fixture.link(name, to: outside) }
        let told = Told()
        let watcher = try watch(fixture, told)
        for name in ["L4", "L5"] { try fixture.link(name, to: outside) }
        try await told.wait(for: ["L4", "L5"])
        told.forget()
        try FileBytes.write(MadeMedia.mp3(), to: outside + "/o.mp3")
        try await told.wait(for: ["L1", "L2", "L3", "L4", "L5"])
        told.forget()
        try FileBytes.write(MadeMedia.mp3(), to: outside + "/deep/d.mp3")
        try await told.wait(for: ["L1/deep", "L2/deep", "L3/deep", "L4/deep", "L5/deep"])
        told.forget()
        try fixture.makeFolder("L1/in")
        try await told.wait(for: ["L1/in", "L2/in", "L3/in", "L4/in", "L5/in"])
        told.forget()
        try fixture.remove("L1")
        try await told.wait(for: [""])
        told.forget()
        try FileBytes.write(MadeMedia.mp3(), to: outside + "/in/i.mp3")
        try await told.wait(for: ["L2/in", "L3/in", "L4/in", "L5/in"])
        #expect(!told.all.contains { $0.uri.hasPrefix("L1") })
        withExtendedLifetime(watcher) {}
    }

    /// Nothing is told of as if it lay in itself.
    @Test func circlesAreNotFollowed() async throws {
        let fixture = try ScanFixture()
        try fixture.write("a/b/1.mp3")
        try fixture.link("a/before", to: "..")
        let told = Told()
        let watcher = try watch(fixture, told)
        try fixture.link("a/b/up", to: "../..")
        try await told.wait(for: ["a/b/up"])
        told.forget()
        try fixture.write("a/b/2.mp3")
        try fixture.makeFolder("c")
        try await told.wait(for: ["", "a/b", "c"])
        #expect(Set(told.all.map(\.uri)) == ["", "a/b", "c"])
        withExtendedLifetime(watcher) {}
    }

    @Test func directoryThatMayBeReadAgainIsWatched() async throws {
        let fixture = try ScanFixture()
        try fixture.write("a/b/1.mp3")
        fixture.setMode("a", 0)
        let told = Told()
        let watcher = try await asOtherUser { try watch(fixture, told) }
        fixture.setMode("a", 0o755)
        try await told.wait(for: [""])
        try await expectChangesAreTold(of: ["a", "a/b"], fixture, told)
        withExtendedLifetime(watcher) {}
    }

    @Test func burstIsToldOnceForEachDirectory() async throws {
        let fixture = try ScanFixture()
        for number in 0..<10 { try fixture.write("\(number)/0.mp3", [1]) }
        let told = Told()
        let watcher = try watch(fixture, told)
        for number in 0..<10_000 { try fixture.write("\(number % 10)/\(number).mp3", [1]) }
        try await told.wait(for: Set((0..<10).map(String.init)))
        // A few times for ten seconds of writing, not thousands.
        #expect(told.all.count <= 10 * told.deliveries)
        #expect(told.deliveries <= 20)
        withExtendedLifetime(watcher) {}
    }

    @Test func lostEventsMeanEverything() async throws {
        let text = String(decoding: try FileBytes.read("/proc/sys/fs/inotify/max_queued_events"), as: UTF8.self)
        let limit = try #require(Int(text.filter(\.isNumber)))
        try #require(limit <= 100_000)
        let fixture = try ScanFixture()
        try fixture.write("a/1.mp3")
        try fixture.write("a/2.mp3")
        let told = Told()
        let gate = Gate()
        let watcher = try LibraryWatcher(root: fixture.root, followsOutsideLinks: true) { parts in
            told.add(parts)
            gate.wait()
        }
        try fixture.remove("a/2.mp3")
        try await told.wait(for: ["a"])
        // The watcher waits now; the system remembers so many events and no more, two for each renaming.
        for number in 0..<limit / 2 + 1 {
            try fixture.rename("a/\(1 + number % 2).mp3", to: "a/\(2 - number % 2).mp3")
        }
        try fixture.write("late/1.mp3")
        told.forget()
        gate.open()
        try await told.wait(for: [""])
        #expect(told.all == [.init("")])
        // The directory whose making was lost is watched.
        told.forget()
        try fixture.write("late/2.mp3")
        try await told.wait(for: ["late"])
        withExtendedLifetime(watcher) {}
    }

    /// As when a disk is plugged in later, or for a while not at all.
    @Test func aRootThatIsNotThereIsAwaited() async throws {
        let fixture = try ScanFixture()
        let told = Told()
        let watcher = try LibraryWatcher(root: fixture.root + "/media/disk/music", followsOutsideLinks: true) {
            told.add($0)
        }
        for round in 0..<2 {
            // Nothing of this concerns it.
            try fixture.write("other/1.mp3")
            try fixture.write("media/other/2.mp3")
            try fixture.write("made/music/a/3.mp3")
            try fixture.rename("made", to: "media/disk")
            try await told.wait(for: [""])
            #expect(Set(told.all) == [.init("")])
            #expect(watcher.unwatched == [])
            told.forget()
            try fixture.write("media/disk/music/a/4.mp3")
            try await told.wait(for: ["a"])
            #expect(told.all == [.init("a", isRecursive: false)])
            told.forget()
            try fixture.rename("media/disk/music", to: "unplugged\(round)")
            try await told.wait(for: [""])
            try fixture.rename("media", to: "gone\(round)")
            told.forget()
        }
        // From nothing, a directory at a time.
        try fixture.write("media/disk/music/b/5.mp3")
        try await told.wait(for: [""])
        told.forget()
        try fixture.write("media/disk/music/b/6.mp3")
        try await told.wait(for: ["b"])
        withExtendedLifetime(watcher) {}
    }

    /// A path that is made at the very time when the watcher looks for it.
    @Test func aPathThatAppearsMeanwhileIsWatched() async throws {
        for _ in 0..<2 {
            var watched: [(fixture: ScanFixture, told: Told, watcher: LibraryWatcher)] = []
            for _ in 0..<20 {
                let (fixture, told) = (try ScanFixture(), Told())
                let making = Thread { try? fixture.write("media/disk/music/a/1.mp3") }
                making.start()
                let watcher = try LibraryWatcher(root: fixture.root + "/media/disk/music", followsOutsideLinks: true) {
                    told.add($0)
                }
                watched.append((fixture: fixture, told: told, watcher: watcher))
            }
            // One that watches nothing may tell once that it began, and never again.
            for round in 0..<2 {
                let known = watched.map(\.told.deliveries)
                for (fixture, _, _) in watched { try fixture.write("media/disk/music/\(round).mp3") }
                for (index, (_, told, watcher)) in watched.enumerated() {
                    try await told.wait(forMoreThan: known[index])
                    withExtendedLifetime(watcher) {}
                }
            }
        }
    }
}

/// Holds a thread until it is opened.
final class Gate: Sendable {
    private let isOpen = Watched(false)

    func open() { isOpen.withLock { $0 = true } }
    func wait() { _ = isOpen.waitBlocking(within: .patience) { $0 } }
}
