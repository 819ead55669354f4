internal import LibraryIndex
internal import LibraryScan
internal import MediaHeaders
internal import MusicDirectories
internal import Songs
private import Synchronization

/// Writes a scan's results to the index, and sums up the changes.
final class IndexSink: LibrarySink {
    private let library: Library
    private let music: MusicDirectory
    private let sum = Mutex(LibraryOutcome())

    init(_ library: Library, _ music: MusicDirectory) {
        self.library = library
        self.music = music
    }

    /// The changes since the last call.
    func takeOutcome() -> LibraryOutcome {
        sum.withLock { sum in
            defer { sum = LibraryOutcome() }
            return sum
        }
    }

    func folders() throws -> [ExactText: KnownFolder] { try library.reader.folders() }

    func known(in directory: String) throws -> [ExactText: KnownFile] { try library.reader.files(in: directory) }

    func store(_ batch: ScanBatch) throws {
        var changes: [LibraryChange] = []
        changes.reserveCapacity(batch.files.count + batch.folders.count)
        for var file in batch.files {
            if file.kind == .playlist, file.cueSheet != nil { file.tracks = music.tracks(ofSheet: file.uri) }
            changes.append(.file(file))
        }
        for uri in batch.removedFiles + batch.removedFolders { changes.append(.removal(uri: uri)) }
        for folder in batch.folders { changes.append(.directory(SeenDirectory(folder))) }
        add(try library.writer.apply(changes))
    }

    func add(_ outcome: LibraryOutcome) { sum.withLock { $0.add(outcome) } }
}

extension SeenDirectory {
    fileprivate init(_ folder: ScannedFolder) {
        self.init(uri: folder.uri, modified: Int(folder.modified / 1_000_000_000), inode: 0)
        fingerprint = folder.fingerprint
        isMountPoint = folder.isMountPoint
        cover = folder.cover
        problem = folder.problem
    }
}

extension LibraryOutcome {
    fileprivate mutating func add(_ other: LibraryOutcome) {
        added += other.added
        changed += other.changed
        removed += other.removed
        moves += other.moves
    }
}
