internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import SongFilters
internal import Songs
internal import Threads
internal import Zones

/// Searching the queue (the manual's section "The Queue").
let queueSearchCommands: [Row<MusicServices>] = [
    Row(
        "playlistfind",
        .read,
        library: .limited,
        reply: .records(.songs),
        .rest("FILTER [sort TYPE] [window START:END]", fewest: 1).named(
            Parameter("filter"),
            .key("sort"),
            .key("window", .window)
        )
    ) {
        request,
        words in
        try request.searchQueue(words, .exact)
    },
    Row(
        "playlistsearch",
        .read,
        library: .limited,
        reply: .records(.songs),
        .rest("FILTER [sort TYPE] [window START:END]", fewest: 1).named(
            Parameter("filter"),
            .key("sort"),
            .key("window", .window)
        )
    ) {
        request,
        words in
        try request.searchQueue(words, .folded(.all))
    },
]

extension Request<MusicServices> {
    fileprivate func searchQueue(_ words: [String], _ mode: SongFilter.Mode) throws -> Outcome {
        let query = try SongQuery(words, mode)
        let (queue, view) = (zone.queue, client.queueView)
        guard query.filter.hasPatterns || queue.count > 2_000 else {
            return .stream(EntrySource(queue, try positions(in: queue, query, view), tags: tags, view))
        }
        return try perform(on: query.filter.workQueue) { cancellation in
            try positions(in: queue, query.cancelled { cancellation.isCancelled }, view)
        } then: { positions in
            .stream(EntrySource(queue, positions, tags: tags, view))
        }
    }
}
