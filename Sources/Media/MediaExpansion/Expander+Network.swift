internal import AudioTypes
internal import Playlists
internal import Songs

/// Whether a location is a URL whose name says that a playlist is behind it.
package func namesRemotePlaylist(_ location: String) -> Bool {
    isWebURL(location) && PlaylistFormat(nameOf: location) != nil
}

/// Playlists of the network, and what they name.
extension Expander {
    /// Puts what a playlist of the network names in its place.
    ///
    /// What its name calls a playlist may be a medium: it is played then. So is what cannot be had just now, as whoever
    /// plays it waits for the network, and looks into it then; but for what is told to be a playlist.
    mutating func add(remotePlaylist entry: MediaEntry, from origin: Origin?, readsBareText: Bool = false) {
        let name = withoutCredentials(entry.location)
        do throws(FileProblem) {
            guard let document = try fetch(entry, waitsForNetwork: !readsBareText) else {
                return append(entry, from: origin)
            }
            let playlist: Playlist
            switch ContentKind(of: document.bytes, named: entry.location) {
            case .mediaManifest, .other: return append(entry, from: origin)
            case .markup: throw .reason(.notAPlaylist(.unrecognized))
            case .playlist, .text:
                playlist = try parsing { () throws(ParseError) in
                    try Playlist(document.bytes, named: entry.location, readsBareText: readsBareText)
                }
            }
            let requested = entry.requestedLocation
            if let station = playlist.station {
                return append(station, of: playlist, at: document.url, requested: requested, from: origin)
            }
            expand(
                playlist,
                named: name,
                base: document.url,
                requested: requested,
                identity: .url(document.url),
                from: origin
            )
        } catch {
            report(error.reason, name, origin)
        }
    }

    /// Adds what an entry of a playlist of the network names.
    mutating func add(remote entry: MediaEntry, from origin: Origin) {
        // Almost always a manifest, which is a medium; and a list of a thousand stations is not fetched a thousand times.
        let isManifest = pathExtension(of: entry.location)?.lowercased() == "m3u8"
        guard namesRemotePlaylist(entry.location), !isManifest else { return append(entry, from: origin) }
        add(remotePlaylist: entry, from: origin)
    }

    /// One item for all addresses of a station.
    private mutating func append(
        _ station: Station,
        of playlist: Playlist,
        at base: String,
        requested: String,
        from origin: Origin?
    ) {
        let locations = playlist.entries.indices.map { playlist.location(ofEntry: $0, against: base) }
        var entry = playlist.entries[0]
        entry.location = locations[0]
        entry.alternatives = Array(locations.dropFirst())
        entry.origin = requested
        // The title of what is on the air comes from the station.
        entry.tags.set("title", to: nil)
        entry.tags.set("artist", to: nil)
        if let name = station.name { entry.tags.set("icy-name", to: name) }
        append(entry, from: origin)
    }

    /// - Returns: `nil` when it may be there later, and somebody else waits for that.
    private mutating func fetch(_ entry: MediaEntry, waitsForNetwork: Bool) throws(FileProblem) -> NetworkDocument? {
        guard let network else { throw .reason(.notLocal) }
        guard documentsFetched < limits.documents else {
            throw .reason(.tooManyPlaylists(limit: limits.documents))
        }
        documentsFetched += 1
        do {
            return try network(entry.location, entry.requestedLocation, limits.documentSize)
        } catch {
            if error.isTemporary, waitsForNetwork { return nil }
            throw .reason(error.isTooLarge ? .tooLarge(limit: limits.documentSize) : .network(error.description))
        }
    }
}
