internal import AudioTypes
private import CLinux
internal import Files
private import Glibc
internal import Songs
private import Synchronization

/// The watcher's thread: adds directories to inotify, and turns its events into directories to be scanned.
///
/// If the music directory does not exist, it waits for it to appear.
final class DirectoryWatch: Sendable {
    private struct State {
        var tree = WatchTree()
        var unwatched: Set<ExactText> = []
        /// Directories with changes; `nil` when changes may be anywhere.
        var changed: Set<ExactText>? = []
        /// Directories to be scanned recursively.
        var deeply: Set<ExactText> = []
        /// The destinations of links that were followed.
        var destinations: Set<[UInt8]> = []
        var mounts: Set<[UInt8]> = []
        var links: LinkRule
        /// While the root does not exist: the directories on the path to it, and the name awaited in each.
        var awaited: [Int32: String] = [:]

        var hasNews: Bool { changed?.isEmpty != true || !deeply.isEmpty }
    }

    /// Passed to the thread that runs the watch.
    private let initial = Mutex<State?>(nil)
    private let shownUnwatched = Mutex<[String]>([])
    private let notifier: Int32
    private let root: String
    private let kinds = FileKinds()
    private let mountTable = MountTable()

    /// How long events must pause before changes are reported, and how long the report is delayed at most, in
    /// seconds.
    private static let (lull, patience) = (0.3, 3.0)
    private static let depthLimit = 100
    private static let mask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR | IN_EXCL_UNLINK
    )
    private static let awaitingMask = UInt32(
        IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    )
    /// File systems that other machines may change (statfs(2)): NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Ceph, Coda, NCP.
    private static let networks: Set<UInt32> = [
        0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x5346_414f, 0x00c3_6400, 0x7375_7245,
        0x564c,
    ]

    init(root: String, followsInsideLinks: Bool, followsOutsideLinks: Bool) throws(WatchError) {
        self.root = root
        let links = LinkRule(
            root: FilePath(bytes: root.utf8),
            followsInside: followsInsideLinks,
            followsOutside: followsOutsideLinks
        )
        notifier = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard notifier >= 0 else { throw .system(errno) }
        var state = State(links: links)
        begin(&state)
        show(state)
        initial.withLock { [state] in $0 = state }
    }

    deinit { close(notifier) }

    /// The last known URIs of directories that cannot be watched; never waits for a disk.
    var unwatched: [String] { shownUnwatched.withLock(\.self) }

    private func show(_ state: State) {
        let uris = state.unwatched.map(\.text).sorted()
        shownUnwatched.withLock { $0 = uris }
    }

    // MARK: - Directories

    /// Watches the root and everything below, or waits for a missing root to appear.
    private func begin(_ state: inout State) {
        var known: [FileStatus.Identity?]?
        // Further parts of the path may appear, or be exchanged, while watches are being added.
        for _ in 0..<Self.depthLimit {
            if let folder = try? OpenFolder(root) {
                forgetAwaited(&state)
                state.links.root = folder.realPath ?? state.links.root
                addRoot(folder, &state)
                break
            }
            guard let missing = MissingFolder(root) else { continue }
            let identities = missing.identities
            if identities == known { break }
            known = identities
            forgetAwaited(&state)
            for (folder, name) in missing.way {
                if let watch = add(folder, Self.awaitingMask) { state.awaited[watch] = name }
            }
        }
        state.mounts = mounts(state)
    }

    private func forgetAwaited(_ state: inout State) {
        for watch in state.awaited.keys { inotify_rm_watch(notifier, watch) }
        state.awaited = [:]
    }

    private func addRoot(_ folder: OpenFolder, _ state: inout State) {
        guard mayWatch(folder), let watch = add(folder) else {
            state.unwatched.insert(ExactText(""))
            return
        }
        state.tree.setWatch(watch, of: WatchTree.root)
        addChildren(of: folder, WatchTree.root, "", depth: 0, &state)
    }

    private func mayWatch(_ folder: OpenFolder) -> Bool {
        !Self.networks.contains(segue_file_system(folder.descriptor.number))
    }

    /// - Returns: The watch descriptor; `nil` when there are too many watches.
    private func add(_ folder: OpenFolder, _ mask: UInt32 = DirectoryWatch.mask) -> Int32? {
        let watch = unsafe inotify_add_watch(notifier, folder.descriptor.link, mask)
        return watch < 0 ? nil : watch
    }

    private func addChildren(
        of folder: OpenFolder,
        _ node: WatchTree.Node,
        _ uri: String,
        depth: Int,
        _ state: inout State
    ) {
        guard depth < Self.depthLimit, let status = try? folder.status, let names = try? folder.subfolders() else {
            return
        }
        // In a scan's order, so that both leave out the same directories.
        for name in names.sorted() { add(name, in: folder, status, node, uri, depth: depth + 1, &state) }
    }

    private func add(
        _ name: String,
        in folder: OpenFolder,
        _ status: FileStatus,
        _ node: WatchTree.Node,
        _ uri: String,
        depth: Int,
        _ state: inout State
    ) {
        let cName = Array(name.utf8CString)
        let path = uri.isEmpty ? name : uri + "/" + name
        var child = try? OpenFolder(cName, in: folder, followsLink: false)
        var linkCount = state.tree.links(to: node)
        if child == nil {
            linkCount += 1
            guard state.links.allows(cName, in: folder.descriptor) else { return }
            child = try? OpenFolder(cName, in: folder, followsLink: true)
            if let place = child?.realPath { state.destinations.insert(place.bytes) }
        }
        guard let child, let inner = try? child.status else { return }
        if inner.device != status.device, !mayWatch(child) {
            state.unwatched.insert(ExactText(path))
            return
        }
        guard let watch = add(child) else {
            state.unwatched.insert(ExactText(path))
            return
        }
        // As in a scan: never within itself, and in a limited number of places.
        guard !state.tree.lies(node, in: watch), !state.tree.isCrowd(watch, behind: linkCount) else {
            if state.tree.places(of: watch).isEmpty { inotify_rm_watch(notifier, watch) }
            return
        }
        let place = state.tree.child(name, of: node) ?? state.tree.add(name, to: node, watch: watch, links: linkCount)
        addChildren(of: child, place, path, depth: depth, &state)
    }

    /// Opens a watched directory by its URI.
    private func open(_ uri: String) -> OpenFolder? {
        try? OpenFolder(uri.isEmpty ? root : root + "/" + uri)
    }

    /// Starts over when events may have been lost.
    private func restart(_ state: inout State) {
        let wasThere = state.awaited.isEmpty
        for watch in state.tree.watches { inotify_rm_watch(notifier, watch) }
        forgetAwaited(&state)
        state.tree = WatchTree()
        state.unwatched = []
        state.destinations = []
        begin(&state)
        if wasThere || state.awaited.isEmpty { state.changed = nil }
    }

    // MARK: - Mounts

    private func mounts(_ state: State) -> Set<[UInt8]> {
        mountTable.mounts(concerning: state.destinations.union([state.links.root?.bytes ?? Array(root.utf8)]))
    }

    /// Starts over after a relevant mount or unmount, which inotify does not report.
    private func lookAtMounts(_ state: inout State) {
        // While the root is missing, any mount may make it appear through a link.
        if !state.awaited.isEmpty || mounts(state) != state.mounts { restart(&state) }
    }

    // MARK: - Events

    func run(until end: Int32, _ deliver: ([LibraryScanner.Part]) -> Void) {
        guard var state = initial.withLock({ $0.take() }) else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var first: HostTime?
        while true {
            let lull = first.map { min(.now + Self.lull, $0 + Self.patience) }
            let ready = Readiness.wait(
                for: [.readable(notifier), .readable(end), .urgent(mountTable.descriptor)],
                until: lull
            )
            let (hasEvents, hasEnded, hasMounts) = (ready[0], ready[1], ready[2])
            if hasEnded { return }
            if hasEvents || hasMounts {
                if hasEvents { readEvents(&buffer, &state) }
                if hasMounts { lookAtMounts(&state) }
                show(state)
                if state.hasNews { first = first ?? .now }
            }
            guard let since = first, !hasEvents && !hasMounts || HostTime.now - since > Self.patience else { continue }
            first = nil
            let parts = Self.parts(&state)
            if !parts.isEmpty { deliver(parts) }
        }
    }

    /// The parts to scan.
    private static func parts(_ state: inout State) -> [LibraryScanner.Part] {
        defer {
            state.changed = []
            state.deeply = []
        }
        guard let changed = state.changed else { return [LibraryScanner.Part("")] }
        let deeply = state.deeply.filter { !isBelow($0.text, state.deeply) }
        let alone = changed.filter { !deeply.contains($0) && !isBelow($0.text, deeply) }
        return alone.map(\.text).sorted().map { LibraryScanner.Part($0, isRecursive: false) }
            + deeply.map(\.text).sorted().map { LibraryScanner.Part($0) }
    }

    private static func isBelow(_ uri: String, _ folders: Set<ExactText>) -> Bool {
        if folders.isEmpty { return false }
        var uri = uri
        while !uri.isEmpty {
            uri = parent(of: uri)
            if folders.contains(ExactText(uri)) { return true }
        }
        return false
    }

    /// Reads and handles all pending events.
    private func readEvents(_ buffer: inout [UInt8], _ state: inout State) {
        while true {
            let count = unsafe read(notifier, &buffer, buffer.count)
            guard count > 0 else { return }
            var place = 0
            while let event = Event(buffer[..<count], at: place) {
                place = event.end
                handle(event, &state)
            }
        }
    }

    private func handle(_ event: Event, _ state: inout State) {
        if event.has(IN_Q_OVERFLOW) { return restart(&state) }
        if let name = state.awaited[event.watch] {
            // An event without a name is about the directory itself.
            if event.name == nil || event.name == name { restart(&state) }
            return
        }
        for node in state.tree.places(of: event.watch) where state.tree.contains(node) {
            let uri = state.tree.uri(of: node)
            if event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_UNMOUNT) || event.has(IN_IGNORED) {
                // For all but the root, the parent directory reports the change, except for an unmount.
                if node == WatchTree.root { return restart(&state) }
                if event.has(IN_UNMOUNT) { state.changed?.insert(ExactText(parent(of: uri))) }
                if event.has(IN_IGNORED) { remove(node, &state) }
            } else if let name = event.name {
                change(event, name, node, uri, &state)
            }
        }
    }

    private func change(_ event: Event, _ name: String, _ node: WatchTree.Node, _ uri: String, _ state: inout State) {
        let isCreation = event.has(IN_CREATE) || event.has(IN_MOVED_TO)
        let isFolder = event.has(IN_ISDIR) || state.tree.child(name, of: node) != nil
        let made =
            isCreation && !isFolder
            ? try? open(uri)?.descriptor.status(of: Array(name.utf8CString), followsLink: false) : nil
        if isFolder || made?.kind == .link { return changeFolder(event, name, node, uri, &state) }
        if name == ".mpdignore" {
            state.deeply.insert(ExactText(uri))
            return
        }
        // A file that is being written is reported again when it is complete; a further hard link is complete at once.
        if event.has(IN_CREATE), made.map({ $0.nameCount > 1 }) != true { return }
        guard !name.hasPrefix("."), kinds.kind(of: Array(name.utf8)[...]) != nil else { return }
        state.changed?.insert(ExactText(uri))
    }

    private func changeFolder(
        _ event: Event,
        _ name: String,
        _ node: WatchTree.Node,
        _ uri: String,
        _ state: inout State
    ) {
        state.changed?.insert(ExactText(uri))
        if let child = state.tree.child(name, of: node) {
            if event.has(IN_ATTRIB) {
                // If its permissions now allow reading, nothing in it was watched before.
                guard state.tree.isLeaf(child) else { return }
            } else {
                // Even when an entry disappears, another one may have its name by now: two may have been exchanged.
                remove(child, &state)
            }
        }
        guard let folder = open(uri), let status = try? folder.status else { return }
        let depth = uri.utf8.count { $0 == UInt8(ascii: "/") } + 1
        add(name, in: folder, status, node, uri, depth: depth, &state)
        let isMade = event.has(IN_CREATE) || event.has(IN_MOVED_TO)
        guard isMade || !event.has(IN_ATTRIB) && state.tree.child(name, of: node) != nil else { return }
        // It may contain files already, and the library may know an earlier directory of that name.
        state.deeply.insert(ExactText(uri.isEmpty ? name : uri + "/" + name))
    }

    private func remove(_ node: WatchTree.Node, _ state: inout State) {
        for watch in state.tree.remove(node) { inotify_rm_watch(notifier, watch) }
    }
}

/// One event in the format of read(2).
private struct Event {
    let watch: Int32
    private let mask: UInt32
    let name: String?
    let end: Int

    init?(_ bytes: ArraySlice<UInt8>, at place: Int) {
        guard place + 16 <= bytes.endIndex else { return nil }
        func word(_ offset: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + offset + $1]) << (8 * UInt32($1)) }
        }
        watch = Int32(bitPattern: word(0))
        mask = word(4)
        let length = Int(word(12))
        guard place + 16 + length <= bytes.endIndex else { return nil }
        end = place + 16 + length
        let text = bytes[place + 16..<end].prefix { $0 != 0 }
        name = text.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }

    func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }
    func has(_ flag: UInt32) -> Bool { mask & flag != 0 }
}
