internal import AudioTypes
internal import Charsets
internal import Playlists
internal import Songs

/// Whether a location is a URL with a playlist's extension.
package func namesRemotePlaylist(_ location: String) -> Bool {
    isWebURL(location) && PlaylistFormat(nameOf: location) != nil
}

/// Playlists from the network, and their entries.
extension Expander {
    /// Replaces a playlist from the network by its entries.
    ///
    /// A URL with a playlist's extension may lead to a medium: it is played then. So is one that is unavailable now,
    /// because the player waits for the network, and examines it then; except when it is known to be a playlist.
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
                guard !needsName || document.isCalledPlaylist(askedFor: entry.location) else {
                    throw .reason(.notAPlaylist(.unrecognized))
                }
                playlist = try parsing { () throws(ParseError) in
                    try Playlist(
                        document.bytes,
                        named: entry.location,
                        readsBareText: readsBareText,
                        charset: Charset(ofAddress: entry.location) ?? charset
                    )
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

    /// Adds an entry of a playlist from the network.
    mutating func add(remote entry: MediaEntry, from origin: Origin) {
        // Almost always a manifest, which is a medium; and the thousand URLs of a station list are not all fetched.
        let isManifest = pathExtension(of: entry.location)?.lowercased() == "m3u8"
        guard namesRemotePlaylist(entry.location), !isManifest else { return append(entry, from: origin) }
        add(remotePlaylist: entry, from: origin)
    }

    /// Appends one item for all URLs of a station.
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
        // The current title comes from the station.
        entry.tags.set("title", to: nil)
        entry.tags.set("artist", to: nil)
        if let name = station.name { entry.tags.set("icy-name", to: name) }
        append(entry, from: origin)
    }

    /// - Returns: `nil` when it may be available later, and the player waits for it.
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
