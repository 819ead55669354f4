internal import LineProtocol
internal import Playlists
internal import ServerBasics
internal import SongFilters
internal import Songs
internal import Threads
internal import Zones

/// Searching the queue (the manual's section "The Queue").
let queueSearchCommands: [Command] = [
    Command("playlistfind", .read, library: .limited, .rest("FILTER [sort TYPE] [window START:END]", fewest: 1)) {
        client,
        words in
        try client.searchQueue(words, .exact)
    },
    Command("playlistsearch", .read, library: .limited, .rest("FILTER [sort TYPE] [window START:END]", fewest: 1)) {
        client,
        words in
        try client.searchQueue(words, .folded(.all))
    },
]

extension Client {
    fileprivate func searchQueue(_ words: [String], _ mode: SongFilter.Mode) throws -> Outcome {
        let query = try SongQuery(words, mode)
        let (queue, view) = (zone.queue, queueView)
        guard query.filter.hasPatterns || queue.count > 2_000 else {
            return .stream(EntrySource(queue, try positions(in: queue, query, view), tags: tags, view))
        }
        return try server.jobs.perform(for: self, on: query.filter.lane) { cancellation in
            try positions(in: queue, query.cancelled { cancellation.isCancelled }, view)
        } then: { [unowned self] positions in
            .stream(EntrySource(queue, positions, tags: tags, view))
        }
    }
}
