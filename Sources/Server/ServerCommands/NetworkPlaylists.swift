package import AudioTypes
internal import HTTP
package import LineProtocol
package import MediaExpansion
internal import NIOCore
internal import Playlists
internal import ServerBasics
internal import ServerRequests
internal import ServerZones
internal import Settings
package import Songs
internal import Threads
internal import Zones

/// Playlists at URLs.
extension Request<MusicServices> {
    /// Fetches a playlist and passes its songs to `body`.
    ///
    /// - Parameter url: An http or https URL; no other scheme may be opened for a client.
    func withRemotePlaylist(_ url: String, _ body: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        try fetch(url, { MediaList(playlist: url, needsName: true, network: $0) }, body)
    }

    /// Resolves a URL that `add` names: to a playlist's songs if its name says that it is a playlist, else to itself.
    func withSongs(ofURL song: Song, _ body: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        guard isRemotePlaylist(song.uri) else { return try body([song]) }
        return try fetch(song.uri, { MediaList(arguments: [song.uri], network: $0) }, body)
    }

    private func fetch(
        _ url: String,
        _ expand: @escaping @Sendable (@escaping DocumentFetch) -> MediaList,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        var options = configuration.streamOptions(ofZone: zone.name).http
        options.access = access
        let (http, log) = (options, services.common.log)
        return try performOnNetwork { interrupt in
            let list = expand(fetchingDocuments(http, interrupt: interrupt))
            guard !list.entries.isEmpty else { throw ackError(for: list.problems, whileFetching: url) }
            for problem in list.problems { log(.notice, "\(problem)") }
            return list.entries.map(Song.init(ofNetwork:))
        } then: {
            try body($0)
        }
    }
}

/// Whether a URL is that of a playlist by its name; an HLS manifest is a medium, and nearly all .m3u8 files are manifests.
package func isRemotePlaylist(_ url: String) -> Bool {
    namesRemotePlaylist(url) && pathExtension(of: url)?.lowercased() != "m3u8"
}

package func ackError(for problems: [MediaProblem], whileFetching url: String) -> AckError {
    guard let problem = problems.first else { return AckError(.doesNotExist, "No such playlist") }
    switch problem.reason {
    case .notAPlaylist, .emptyPlaylist: return AckError(.doesNotExist, "No such playlist: \(problem)")
    default: return AckError(.system, "\(problem)")
    }
}

extension Song {
    /// Makes a song of a network playlist's entry.
    package init(ofNetwork entry: MediaEntry) {
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
