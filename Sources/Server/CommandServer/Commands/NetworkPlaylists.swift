internal import AudioTypes
internal import Configuration
internal import HTTP
internal import LineProtocol
internal import MediaFiles
internal import Mixing
internal import NIOCore
internal import Playlists
internal import Songs
internal import Zones

/// Playlists that URLs name.
extension Client {
    /// Fetches a playlist and goes on with its songs.
    ///
    /// - Parameter url: Of http or https; nothing else is to be opened for a client.
    func withRemotePlaylist(_ url: String, _ body: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        try fetch(url, { MediaList(playlist: url, network: $0) }, body)
    }

    /// What a URL that may be added stands for: a playlist's songs, where its name says that it leads to one.
    func withSongs(ofURL song: Song, _ body: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        // Manifests are media, and nearly all files with that name are manifests.
        guard namesRemotePlaylist(song.uri), pathExtension(of: song.uri)?.lowercased() != "m3u8" else {
            return try body([song])
        }
        return try fetch(song.uri, { MediaList(arguments: [song.uri], network: $0) }, body)
    }

    private func fetch(
        _ url: String,
        _ expand: @escaping @Sendable (@escaping DocumentFetch) -> MediaList,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        let (options, log) = (server.streamOptions(of: zone).http, server.parts.log)
        return try server.performOnNetwork(for: self) { interrupt in
            let list = expand(fetchingDocuments(options, interrupt: interrupt))
            guard !list.entries.isEmpty else { throw ackError(for: list.problems, whileFetching: url) }
            for problem in list.problems { log(.notice, "\(problem)") }
            return list.entries.map(Song.init(ofNetwork:))
        } then: {
            try body($0)
        }
    }
}

private func ackError(for problems: [MediaProblem], whileFetching url: String) -> AckError {
    guard let problem = problems.first else { return AckError(.doesNotExist, "No such playlist") }
    switch problem.reason {
    case .notAPlaylist, .emptyPlaylist: return AckError(.doesNotExist, "No such playlist: \(problem)")
    default: return AckError(.system, "\(problem)")
    }
}

extension Song {
    /// What a playlist of the network says of one of its songs.
    fileprivate init(ofNetwork entry: MediaEntry) {
        let tags = entry.tags.names.flatMap { name in
            TagType(mediaTag: name).map { tag in entry.tags[all: name].map { (tag, $0) } } ?? []
        }
        let range: Range? =
            entry.start == nil && entry.end == nil
            ? nil : Range(start: entry.start?.seconds ?? 0, end: entry.end?.seconds)
        self.init(
            uri: entry.location,
            alternatives: entry.alternatives,
            range: range,
            tags: tags.sorted { $0.0.rawValue < $1.0.rawValue },
            duration: entry.duration?.seconds
        )
    }
}

extension ServerState {
    /// How media of the network are read for a zone.
    func streamOptions(of zone: Zone) -> StreamOptions {
        configuration.zones.first { $0.name == zone.name }?.stream ?? configuration.stream
    }

    /// Playlists that are fetched at a time, and the seconds that one may take with all it names.
    private static let fetchLimit = 16
    private static let fetchPatience = TimeAmount.seconds(30)

    /// Lets a client wait for the network: on a thread of its own, for nobody else is to wait.
    func performOnNetwork<Value: Sendable>(
        for client: Client,
        _ work: @escaping @Sendable (Interrupt) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        guard fetchCount < Self.fetchLimit else { throw AckError(.system, "too many playlists are being fetched") }
        fetchCount += 1
        let interrupt = Interrupt()
        let deadline = loop.scheduleTask(in: Self.fetchPatience) { interrupt.raise() }
        let start: (@escaping @Sendable () -> Void) -> Void = { WorkThread.start(named: "segue-fetch", $0) }
        return perform(for: client, on: start) {
            try work(interrupt)
        } then: {
            try then($0)
        } finally: { [unowned self] in
            deadline.cancel()
            fetchCount -= 1
        }
    }
}
