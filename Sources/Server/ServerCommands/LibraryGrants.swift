internal import Authorization
internal import LibraryIndex
internal import LineProtocol
internal import ServerBasics
internal import ServerRequests
internal import SongFilters

/// The parts of the library in the words of `clients set`.
extension Request<AccessServices> {
    /// Continues when the filters among the words are some, and each identifier is that of one song.
    func checkingLibrary(_ words: [String], then: @escaping () throws -> Outcome) throws -> Outcome {
        let pairs = keysAndValues(words[...])
        for pair in pairs where pair.key == "filter" { _ = try SongFilter([pair.value], .exact) }
        let items = pairs.filter { $0.key == "item" }.map(\.value)
        guard !items.isEmpty else { return try then() }
        return try ask {
            try $0.identify(items)
        } then: { results in
            for (item, result) in zip(items, results) { try Self.requireOne(result, item) }
            return try then()
        }
    }

    private static func requireOne(_ result: Identification, _ item: String) throws(AckError) {
        switch result {
        case .one: break
        case .none: throw AckError(.doesNotExist, "identifierNotFound: \(item)")
        case .several(portableID: _, let uris):
            throw AckError(
                .alreadyExists,
                "multipleIdentifiersFound: \(item) is \(uris.joined(separator: ", ")); grant one of them as a folder"
            )
        }
    }

    /// A client's limits within its permissions, in the keys of `clients set`.
    func describe(_ limits: GrantLimits) {
        for (zone, percent) in limits.volumes.sorted(by: { $0.key < $1.key }) {
            reply.line("volume", zone.isEmpty ? "\(percent)" : "\(zone)=\(percent)")
        }
        if let speed = limits.speed { reply.line("speed", short(speed)) }
        if let songs = limits.hourlySongs { reply.line("songs-per-hour", songs) }
        if let count = limits.announcements { reply.line("announcements-per-minute", count) }
        if let megabytes = limits.hourlyMegabytes { reply.line("megabytes-per-hour", megabytes) }
        if limits.takesTurns { reply.line("order", "fair") }
        if !limits.withheld.isEmpty { reply.line("commands", "\(limits.withheld)") }
        guard let library = limits.library else { return }
        if library.parts.isEmpty { reply.line("library", "none") }
        for part in library.parts {
            switch part {
            case .folder(let uri): reply.line("folder", uri)
            case .playlist(let name): reply.line("playlist", name)
            case .filter(let expression): reply.line("filter", expression)
            case .item(let identifier): reply.line("item", identifier)
            }
        }
    }
}
