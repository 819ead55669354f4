internal import AudioTypes
internal import Charsets
internal import DASH
internal import HLS
internal import HTTP
internal import Playlists
internal import Segments
internal import Threads

/// Finds out what kind of medium a URL leads to, and opens it.
struct OpenMedium {
    private let core: StreamCore
    private let budget = Budget()
    /// Bytes of a playlist.
    private static let listLimit = 1 << 20
    /// Bytes of a manifest.
    private static let manifestLimit = 8 << 20

    init(_ core: StreamCore) { self.core = core }

    /// Limits the number of URLs tried without finding a medium, so that lists of lists come to an end.
    private final class Budget {
        var left = 16
    }

    typealias Opened = (session: any StreamSession, part: StreamPart)

    /// Opens the core's entry.
    func open() throws -> Opened { try open(core.entry, depth: 0, isLast: true) }

    /// Opens an entry, at one of its locations.
    ///
    /// - Parameter isLast: Whether to wait for it; otherwise another one follows.
    func open(_ entry: MediaEntry, depth: Int, isLast: Bool) throws -> Opened {
        let places = [entry.location] + entry.alternatives
        var failure: (any Error)?
        for place in places {
            do {
                return try open(entry, at: place, of: places, depth: depth, waits: isLast && places.count == 1)
            } catch {
                if core.interrupt.isRaised { throw error }
                failure = failure ?? error
            }
        }
        guard places.count > 1, isLast, let failure else {
            throw failure ?? MediaError(location: entry.location, reason: .noSamples)
        }
        // No location answers: wait for the first one.
        guard failure.networkFailure?.isTemporary == true else { throw failure }
        return try open(entry, at: entry.location, of: places, depth: depth, waits: true)
    }

    /// - Parameter waits: Whether to wait for it; otherwise another location may work.
    private func open(
        _ entry: MediaEntry,
        at location: String,
        of places: [String],
        depth: Int,
        waits: Bool
    ) throws -> Opened {
        var entry = entry
        entry.location = location
        guard entry.isWeb else { return try begin(LibraryMedium(core, entry)) }
        guard depth < 4, budget.left > 0 else { throw MediaError(location: entry.location, reason: .endlessPlaylist) }
        budget.left -= 1
        var options = core.options
        if !waits { options.reconnectLimit = 0 }
        let client = HTTPClient(
            options.http,
            home: entry.requestedLocation,
            interrupt: core.interrupt,
            report: core.hear
        )
        let source = HTTPSource(entry.location, client: client, options: options, report: core.hear)
        let head = try source.open()
        source.limitReconnection(to: core.options.reconnectLimit)
        let bytes = HTTPBytes(source)
        let kind = ContentKind(of: try bytes.look(), named: named(head))
        switch kind {
        case .other: return try begin(HTTPMedium(core, entry, bytes, places: places))
        case .mediaManifest, .markup:
            let isHLS = kind == .mediaManifest
            guard isHLS || bytes.beginning.isManifestOfDASH else {
                throw MediaError(location: entry.location, reason: .webPage)
            }
            let request = PresentationRequest(
                try HTTPDocument(head: head, bytes: bytes.document(atMost: Self.manifestLimit)),
                url: entry.location,
                client: client,
                track: core.selection,
                limit: core.options.preferredPeakBitRate
            )
            let playlists: any PlaylistSource = isHLS ? HLSPlaylists(request) : DASHPlaylists(request)
            return try begin(SegmentMedium(core, entry, playlists, client))
        case .playlist, .text:
            let list = try bytes.document(atMost: Self.listLimit)
            return try open(entriesOf(list, entry, head), of: entry, depth: depth + 1, isLast: waits)
        }
    }

    private func begin(_ session: some StreamSession) throws -> Opened {
        let part = try session.open()
        budget.left = 16
        return (session, part)
    }

    /// Opens the entries of a list: one medium at one or several URLs, or several in sequence.
    private func open(_ entries: [MediaEntry], of list: MediaEntry, depth: Int, isLast: Bool) throws -> Opened {
        guard let first = entries.first else { throw MediaError(location: list.location, reason: .emptyPlaylist) }
        if entries.count == 1 { return try open(first, depth: depth, isLast: isLast) }
        return try begin(ListMedium(core, entries, self, depth: depth))
    }

    /// The permitted entries of a list from the network; the URLs of a station are one entry.
    private func entriesOf(_ document: [UInt8], _ entry: MediaEntry, _ head: HTTPHead) throws -> [MediaEntry] {
        let list: Playlist
        do throws(ParseError) {
            list = try Playlist(
                document,
                named: named(head),
                readsBareText: true,
                charset: core.options.charsets[entry.location]
            )
        } catch {
            throw MediaError(location: entry.location, reason: .webPage)
        }
        let base = keepingCredentials(of: entry.location, in: head.url)
        var forbidden: String?
        let entries = list.entries.indices.compactMap { index -> MediaEntry? in
            var named = list.entries[index]
            named.origin = entry.requestedLocation
            named.location = list.location(ofEntry: index, against: base)
            guard Origin.allows(scheme(of: named.location), from: entry.location) else {
                forbidden = forbidden ?? named.location
                return nil
            }
            return named
        }
        if entries.isEmpty, let forbidden { throw MediaError(location: forbidden, reason: .forbidden) }
        let station = list.station
        guard station != nil || entries.count == 1, var first = entries.first else { return entries }
        if let name = station?.name { first.tags.set("icy-name", to: name) }
        first.alternatives = entries.dropFirst().map(\.location)
        return [first]
    }

    /// The name that determines a document's format if its content does not: the URL, or the content type.
    private func named(_ head: HTTPHead) -> String {
        switch head.contentType?.split(separator: ";").first?.lowercased() {
        case "audio/x-scpls", "application/pls+xml", "audio/scpls": "list.pls"
        case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/vnd.apple.mpegurl": "list.m3u"
        case "application/xspf+xml": "list.xspf"
        case "audio/x-ms-wax", "video/x-ms-wvx", "application/x-ms-asx", "video/x-ms-asx": "list.asx"
        default: String(head.url.prefix { $0 != "?" && $0 != "#" })
        }
    }

    private func scheme(of location: String) -> String {
        location.firstRange(of: ":").map { location[..<$0.lowerBound].lowercased() } ?? "file"
    }
}

extension MediaEntry {
    /// Whether it is fetched over HTTP.
    fileprivate var isWeb: Bool {
        let scheme = location.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme.hasPrefix("https://")
    }
}

extension [UInt8] {
    /// Whether XML starts like a DASH manifest (ISO 23009-1).
    var isManifestOfDASH: Bool {
        let text = String(decoding: prefix(1_024), as: UTF8.self)
        return text.contains("<MPD") || text.contains(":MPD")
    }
}
