internal import Authorization
internal import Caching
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import PlaylistStore
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Settings
internal import SongFilters
internal import Songs
internal import Threads

/// The songs that clients with limited libraries see, one set for each scope.
///
/// A set is made on a thread when a client asks, and kept until the library or the scope's playlists change. Belongs to the
/// server's event loop, where asking a set for a URI costs some comparisons.
final class LibraryScopes {
    /// Charged by their bytes.
    private var sets = BoundedCache<LibraryScope, VisibleSongs>(capacity: 0)
    /// Counts the changes of the library, and of stored playlists.
    private var (libraryChanges, playlistChanges) = (0, 0)

    /// Everything is looked up again.
    func libraryChanged() {
        libraryChanges += 1
        sets.removeAll { _ in true }
    }

    func playlistsChanged() {
        playlistChanges += 1
        sets.removeAll { !$0.playlists.isEmpty }
    }

    /// The visible songs of scopes, as far as they are known.
    func visible(in scope: LibraryScope) -> VisibleSongs? { sets.value(for: scope) }

    /// Changes with everything that sets depend on.
    var state: [Int] { [libraryChanges, playlistChanges] }

    /// Keeps a set, in place of those that were not used for longest.
    ///
    /// - Parameters:
    ///   - state: The `state` from before it was made; a set that was overtaken is not kept.
    ///   - limit: In bytes, of all sets that are kept.
    func keep(_ visible: VisibleSongs, of scope: LibraryScope, madeIn state: [Int], limit: Int) {
        guard state == self.state, visible.byteCount <= limit else { return }
        sets.capacity = limit
        sets.keep(visible, for: scope, cost: visible.byteCount)
    }
}

extension ServerAssembly {
    /// Carries out a request that has passed the access check, within the part of the library that the client sees.
    func limitLibrary(
        of connection: any ClientConnection,
        to scope: LibraryScope,
        for command: Command,
        _ arguments: [String],
        _ body: @escaping () throws -> Outcome
    ) throws -> Outcome {
        let client = connection.client
        client.visible = VisibleSongs.none
        switch command.library.need(arguments) {
        case .withheld:
            throw AckError(
                .permission,
                "you don't have permission for \"\(command.name)\" with a limited library"
            )
        case .none: return try body()
        case .limited: return try withVisibleSongs(in: scope, for: connection, body)
        case .named(let names):
            return try withVisibleSongs(in: scope, for: connection) { [client, media] in
                try client.require(names, in: media)
                return try body()
            }
        }
    }

    private func withVisibleSongs(
        in scope: LibraryScope,
        for connection: any ClientConnection,
        _ body: @escaping () throws -> Outcome
    ) throws -> Outcome {
        let client = connection.client
        if let known = scopes.visible(in: scope) {
            client.visible = known
            return try body()
        }
        guard let library = upkeep.library else { return try body() }
        let (state, playlists) = (scopes.state, media.playlists)
        return try jobs.perform(for: connection, on: scope.workQueue) {
            try library.read { try $0.visibleSongs(of: scope.libraryParts(playlists)) }
        } then: { [unowned self, client] visible in
            scopes.keep(visible, of: scope, madeIn: state, limit: limits.maxScopeBytes)
            client.visible = visible
            return try body()
        }
    }
}

extension LibraryScope {
    var workQueue: WorkQueue {
        if !playlists.isEmpty { return .playlists }
        return filters.contains(where: \.hasPatterns) ? .expressions : .index
    }

    private var filters: [SongFilter] {
        parts.compactMap { part in
            if case .filter(let expression) = part { try? SongFilter([expression], .exact) } else { nil }
        }
    }

    /// The parts as the index knows them; what is not there, or is no filter, is nothing.
    ///
    /// Reads playlists: blocks.
    func libraryParts(_ playlists: StoredPlaylists?) -> [LibraryPart] {
        parts.compactMap { part in
            switch part {
            case .folder(let uri): .folder(uri)
            case .filter(let expression): (try? SongFilter([expression], .exact)).map { .filter($0) }
            case .item(let identifier): .item(identifier)
            case .playlist(let name): ((try? playlists?.read(name)) ?? nil).map { .songs($0.map(\.uri)) }
            }
        }
    }
}
