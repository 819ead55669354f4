package import AudioSessions
internal import AudioTypes
internal import Files
private import Glibc
internal import MPRIS
internal import MediaExpansion
package import NIOCore
internal import PictureValues
package import PictureWorkers
internal import ServerArtwork
package import ServerBasics
internal import Settings
package import Threads

/// The artwork that sessions tell of, made small, as files that other programs of the user can read: one for each session.
///
/// It is read only when it is to be shown, with the rights of the client that told, and is kept until the session tells
/// of another. What cannot be had is not fetched again for a while. Belongs to the server's event loop.
package final class SessionCovers {
    private let folder: String
    private let work: WorkThreads
    private let loop: any EventLoop
    /// `nil` where no pictures are made.
    private let store: PictureStore?
    private let configuration: CurrentConfiguration
    private unowned let delegate: any NowPlayingDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var covers: [SessionID: Cover] = [:]
    /// Sessions of which something is being read, or was a moment ago, whether or not they tell of it still.
    private var busy: Set<SessionID> = []
    private var failures: [Failed: HostTime] = [:]
    private var lookCount = 0
    private var hasTidied = false

    private struct Cover {
        var wanted: ToldArtwork
        /// The artwork that was looked for last, with or without success; `nil` once it is to be looked for.
        var known: ToldArtwork?
        /// The number of that look.
        var look = 0
        /// The picture's file name; `nil` until it is made, and where it cannot be.
        var file: String?
        /// Files of earlier artwork, which go once the next is there.
        var leftovers: Set<String> = []
        /// Raised when other artwork is wanted.
        var interrupt: Interrupt?
    }

    private struct Failed: Hashable {
        let location: String
        let reader: ArtworkReader
    }

    /// In bytes: larger pictures are not read.
    package static let largest = 10 << 20
    /// In seconds: what fetching a picture may take.
    private static let patience = 10.0
    /// In seconds: a session's next picture is not fetched before.
    private static let pause = 1.0
    /// In seconds: an address that failed is not asked again before.
    private static let forgiveness = 600.0
    /// Addresses that failed.
    private static let failureLimit = 200
    /// The longest side of covers, in pixels.
    private static let side = 512

    /// - Parameter folder: Made when it is needed; what other processes left in it goes.
    package init(
        folder: String,
        _ store: PictureStore?,
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any NowPlayingDelegate
    ) {
        (self.folder, self.store, self.work, self.loop) = (folder, store, work, loop)
        (self.configuration, self.delegate) = (configuration, delegate)
    }

    /// The address of the cover of a session's media; `nil` while it is looked for, and where there is none.
    package func address(of id: SessionID, _ artwork: ToldArtwork?) -> String? {
        guard let artwork else {
            remove(id)
            return nil
        }
        if covers[id]?.wanted != artwork { want(artwork, for: id) }
        return covers[id]?.file.map { fileURL(folder + "/" + $0) }
    }

    /// A session is gone, or tells of no artwork any more.
    package func remove(_ id: SessionID) {
        guard let cover = covers.removeValue(forKey: id) else { return }
        cover.interrupt?.raise()
        remove(cover.leftovers.union([cover.file].compactMap(\.self)))
    }

    private func want(_ artwork: ToldArtwork, for id: SessionID) {
        var cover = covers[id] ?? Cover(wanted: artwork)
        cover.wanted = artwork
        // Also what is being looked for, whose interruption is no failure, and what was there before.
        cover.known = nil
        cover.interrupt?.raise()
        if let file = cover.file { cover.leftovers.insert(file) }
        cover.file = nil
        covers[id] = cover
        if !busy.contains(id) { look(for: artwork, of: id) }
    }

    private func look(for artwork: ToldArtwork, of id: SessionID) {
        covers[id]?.known = artwork
        guard let store, let source = source(of: artwork) else { return }
        tidy()
        let (onLoop, folder, interrupt) = (onLoop, folder, Interrupt())
        // Panels keep a picture by its address, so each has its own.
        lookCount += 1
        let name = "\(getpid())-\(id.rawValue)-\(lookCount).jpg"
        let look = lookCount
        busy.insert(id)
        covers[id]?.look = look
        covers[id]?.interrupt = interrupt
        work.submit(to: .artworkOfSessions(artwork.file == nil ? "" : artwork.location)) {
            // The time that it waited for a thread does not count.
            let limit = Interrupt(after: Self.patience, with: interrupt)
            let picture = interrupt.isRaised ? nil : Self.picture(source, store, limit)
            let isMade = picture.map { writeCover($0, named: name, in: folder) } ?? false
            onLoop { $0.found(isMade ? name : nil, artwork, of: id, look) }
        }
    }

    private func found(_ file: String?, _ artwork: ToldArtwork, of id: SessionID, _ look: Int) {
        _ = onLoop(in: Self.pause) { $0.mayLookAgain(for: id) }
        // Other artwork may be wanted by now, or none.
        guard covers[id]?.look == look, covers[id]?.known == artwork else {
            return remove(Set([file].compactMap(\.self)))
        }
        covers[id]?.interrupt = nil
        // A file may be there, or be another one, the next time that its session tells.
        if file == nil, artwork.file == nil { remember(Failed(location: artwork.location, reader: artwork.reader)) }
        remove(covers[id]?.leftovers ?? [])
        covers[id]?.leftovers = []
        covers[id]?.file = file
        delegate.sessionCoverMade()
    }

    private func mayLookAgain(for id: SessionID) {
        busy.remove(id)
        guard let cover = covers[id], cover.wanted != cover.known else { return }
        look(for: cover.wanted, of: id)
    }

    private func remember(_ failed: Failed) {
        let now = loop.hostTime
        if failures.count >= Self.failureLimit { failures = failures.filter { $0.value > now } }
        if failures.count >= Self.failureLimit { failures = [:] }
        failures[failed] = now + Self.forgiveness
    }

    private func hasFailed(_ failed: Failed) -> Bool { failures[failed].map { $0 > loop.hostTime } ?? false }

    private func remove(_ files: Set<String>) {
        guard !files.isEmpty else { return }
        work.submit(to: .housekeeping) { [folder] in
            for file in files { try? AtomicFile.remove(folder + "/" + file) }
        }
    }

    private func tidy() {
        if hasTidied { return }
        hasTidied = true
        work.submit(to: .housekeeping) { [folder] in
            for file in (try? fileNames(in: folder)) ?? [] where !file.hasPrefix("\(getpid())-") {
                try? AtomicFile.remove(folder + "/" + file)
            }
        }
    }

    // MARK: Reading, on threads that block

    private enum Source: Sendable {
        case address(String, HTTPOptions)
        case file(FilePath, ArtworkReader.Files)
    }

    /// The source that is read; `nil` where the client may not read it, and where it has failed.
    private func source(of artwork: ToldArtwork) -> Source? {
        if let file = artwork.file { return artwork.reader.files == .none ? nil : .file(file, artwork.reader.files) }
        guard artwork.isAddress, let reach = artwork.reader.reach,
            !hasFailed(Failed(location: artwork.location, reader: artwork.reader))
        else { return nil }
        var options = configuration.value.stream.http
        options.access = NetworkAccess(reach, configuration.value.fetching)
        return .address(artwork.location, options)
    }

    private static func picture(_ source: Source, _ store: PictureStore, _ interrupt: Interrupt) -> [UInt8]? {
        let order = PictureOrder(side: side)
        switch source {
        case .address(let address, let options):
            let fetch = fetchingDocuments(options, interrupt: interrupt)
            guard let document = try? fetch(address, address, largest), let found = FetchedPicture(document.bytes)
            else { return nil }
            return try? store.picture(order, ofParts: [found.bytes], madeOf: [found.name])
        case .file(let path, let files):
            guard let file = try? open(path, files), let status = try? file.status, status.kind == .file,
                status.size <= largest,
                let head = try? file.bytes(at: 0, count: min(status.size, PictureKind.headLength)),
                PictureKind(head: head).isPicture
            else { return nil }
            return try? store.picture(order, of: file)
        }
    }

    private static func open(_ path: FilePath, _ files: ArtworkReader.Files) throws -> Descriptor {
        switch files {
        case .none: throw SystemError(EACCES)
        case .ofUser(let user): try Descriptor(path, readableBy: .user(user))
        case .all: try Descriptor(path, .reading)
        }
    }
}

/// Writes a cover for other programs of the user; blocks.
package func writeCover(_ bytes: [UInt8], named name: String, in folder: String) -> Bool {
    makeFolders(folder)
    return (try? AtomicFile.make(folder + "/" + name, isNew: false) { try $0.write(bytes) }) != nil
}
