internal import LineProtocol
internal import Playlists
internal import ServerBasics
internal import Songs
internal import Zones

/// Queue queries (the manual's section "The Queue").
let queueQueryCommands: [Command] = [
    Command("playlist", .read, library: .limited) { client in
        let (queue, view) = (client.zone.queue, client.queueView)
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
    Command("playlistid", .read, library: .limited, .optional(.id())) { client, id in
        let queue = client.zone.queue
        guard let id else {
            return .stream(EntrySource(queue, client.shown(0..<queue.count), tags: client.tags, client.queueView))
        }
        guard let position = queue.position(of: id), client.sees(position) else { throw ZoneError.noSuchSong }
        client.reply.append(queue, at: position, tags: client.tags, client.queueView)
        return .done
    }
    .forAddOnly(),
    Command("playlistinfo", .read, library: .limited, .optional(.range("SONGPOS|START:END"))) { client, range in
        let queue = client.zone.queue
        let positions = try (range ?? .everything).positions(of: queue.count)
        return .stream(EntrySource(queue, client.shown(positions), tags: client.tags, client.queueView))
    }
    .forAddOnly(),
    Command("plchanges", .read, library: .limited, .version(), .optional(.range())) { client, version, range in
        let queue = client.zone.queue
        let positions = queue.positions(changedSince: version, in: range?.clamped(to: queue.count))
        return .stream(EntrySource(queue, positions, tags: client.tags, client.queueView))
    },
    Command("plchangesposid", .read, library: .nothing, .version(), .optional(.range())) { client, version, range in
        let queue = client.zone.queue
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
        .required("VERSION") { word throws(AckError) in
            UInt32(truncatingIfNeeded: try parseInteger(word, in: Int.min...Int.max))
        }
    }
}
