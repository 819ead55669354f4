internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import Songs
internal import Zones

/// Queue queries (the manual's section "The Queue").
let queueQueryCommands: [Row<MusicServices>] = [
    Row("playlist", .read, library: .limited, reply: .records(.numberedSongs)) { request in
        let (queue, view) = (request.zone.queue, request.client.queueView)
        return .stream(
            SequenceSource(0..<queue.count) { position, reply in
                reply.append(decimal: position)
                reply.append(":file: ")
                let uri = view.shows(queue, position) ? queue[position].song.uri : privateEntry
                reply.bytes.append(contentsOf: withoutCredentials(uri).utf8)
                reply.append("\n")
            }
        )
    },
    Row("playlistid", .read, library: .limited, reply: .records(.songs), .optional(.id())) { request, id in
        let queue = request.zone.queue
        guard let id else {
            return .stream(
                EntrySource(queue, request.client.shown(0..<queue.count), tags: request.tags, request.client.queueView)
            )
        }
        guard let position = queue.position(of: id), request.client.sees(position) else { throw ZoneError.noSuchSong }
        request.reply.append(queue, at: position, tags: request.tags, request.client.queueView)
        return .done
    }
    .forAddOnly()
    .forGuests { _ in .songs },
    Row("playlistinfo", .read, library: .limited, reply: .records(.songs), .optional(.range("SONGPOS|START:END"))) {
        request,
        range in
        let queue = request.zone.queue
        let positions = try (range ?? .everything).positions(of: queue.count)
        return .stream(
            EntrySource(queue, request.client.shown(positions), tags: request.tags, request.client.queueView)
        )
    }
    .forAddOnly()
    .forGuests { _ in .songs },
    Row("plchanges", .read, library: .limited, reply: .records(.songs), .version(), .optional(.range())) {
        request,
        version,
        range in
        let queue = request.zone.queue
        let positions = queue.positions(changedSince: version, in: range?.clamped(to: queue.count))
        return .stream(EntrySource(queue, positions, tags: request.tags, request.client.queueView))
    },
    Row("plchangesposid", .read, library: .nothing, reply: .records(.entries), .version(), .optional(.range())) {
        request,
        version,
        range in
        let queue = request.zone.queue
        let positions = queue.positions(changedSince: version, in: range?.clamped(to: queue.count))
        return .stream(
            SequenceSource(positions) { position, reply in
                reply.line("cpos", position)
                reply.line("Id", Int(queue.id(at: position)))
            }
        )
    },
]

extension Argument<UInt32> {
    fileprivate static func version() -> Self {
        // A version that this queue never had selects everything, as -1 does.
        .required("VERSION", .integer(-1...Int(UInt32.max))) { word throws(AckError) in
            UInt32(truncatingIfNeeded: try parseInteger(word, in: Int.min...Int.max))
        }
    }
}
