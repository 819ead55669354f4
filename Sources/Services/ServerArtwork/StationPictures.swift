internal import AudioTypes
internal import Cryptography
internal import MediaExpansion
internal import NIOCore
internal import PictureValues
internal import Playlists
internal import ServerBasics
internal import Songs
internal import Threads
internal import Zones

/// A station's picture, or another one, as it was fetched.
package struct FetchedPicture: Sendable {
    package let bytes: [UInt8]
    /// Names the picture by its bytes.
    package let name: String

    /// - Returns: `nil` for what does not begin like a picture.
    package init?(_ bytes: [UInt8]) {
        guard PictureKind(head: Array(bytes.prefix(PictureKind.headLength))).isPicture else { return nil }
        self.bytes = bytes
        // By SHA-256: no other picture can be made that has the same name.
        name = "fetched-\(Digest(of: bytes))"
    }
}

/// The pictures of the streams that play, from the addresses that these give: one for each zone.
///
/// A picture is fetched as the stream itself is, with the rights of the client that queued it; from another host than the
/// stream's, only where that has a public address. Belongs to the server's event loop.
final class StationPictures {
    private struct Entry {
        var wanted: StreamPictures?
        var fetched: StreamPictures?
        var picture: FetchedPicture?
        /// Raised when another picture is wanted.
        var interrupt: Interrupt?
        var isBusy = false
    }

    private let work: WorkThreads
    private let loop: any EventLoop
    /// The options for what is fetched for a song that plays in a zone.
    private let options: (Zone, Song) -> HTTPOptions
    private let zone: (_ name: String) -> Zone?
    /// Called when a zone's picture is another one.
    private let changed: (_ zone: String) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// By the zones' names.
    private var entries: [String: Entry] = [:]

    /// In bytes: larger pictures are not fetched.
    private static let largest = 4 << 20
    /// In seconds: what a picture may take.
    private static let patience = 20.0
    /// In seconds: a stream's next picture is not fetched before.
    private static let pause = 5.0

    init(
        _ work: WorkThreads,
        loop: any EventLoop,
        options: @escaping (Zone, Song) -> HTTPOptions,
        zone: @escaping (_ name: String) -> Zone?,
        changed: @escaping (String) -> Void
    ) {
        self.work = work
        self.loop = loop
        self.options = options
        self.zone = zone
        self.changed = changed
    }

    /// By the URIs of the songs, as clients see them.
    var pictures: [String: FetchedPicture] {
        entries.values.reduce(into: [:]) { pictures, entry in
            if let uri = entry.fetched?.uri { pictures[withoutCredentials(uri)] = entry.picture }
        }
    }

    /// Looks at what a zone plays.
    func zoneChanged(_ zone: Zone) {
        let song = zone.state == .stop ? nil : zone.queue.currentEntry?.song
        let wanted = zone.pictures.flatMap { $0.uri == song?.uri && !$0.isEmpty ? $0 : nil }
        guard wanted != entries[zone.name]?.wanted else { return }
        entries[zone.name, default: Entry()].wanted = wanted
        entries[zone.name]?.interrupt?.raise()
        guard let wanted, let song else { return forget(zone.name) }
        if entries[zone.name]?.isBusy == false { fetch(wanted, song, in: zone) }
    }

    func zoneRemoved(_ zone: Zone) { entries.removeValue(forKey: zone.name)?.interrupt?.raise() }

    private func forget(_ zone: String) {
        entries[zone]?.picture = nil
        entries[zone]?.fetched = nil
    }

    private func fetch(_ wanted: StreamPictures, _ song: Song, in zone: Zone) {
        let (name, onLoop, interrupt) = (zone.name, onLoop, Interrupt(after: Self.patience))
        let options = options(zone, song)
        entries[name]?.isBusy = true
        entries[name]?.interrupt = interrupt
        work.submit(to: .stations) {
            let fetched = wanted.addresses.firstNonNil { address in
                Self.fetch(address, of: wanted.uri, options, interrupt)
            }
            let picture = fetched ?? wanted.cover.flatMap { FetchedPicture($0) }
            onLoop { $0.isFetched(picture, wanted, in: name) }
        }
    }

    private func isFetched(_ picture: FetchedPicture?, _ wanted: StreamPictures, in zone: String) {
        guard entries[zone] != nil else { return }
        entries[zone]?.interrupt = nil
        if entries[zone]?.wanted == wanted {
            entries[zone]?.fetched = wanted
            entries[zone]?.picture = picture
            changed(zone)
        }
        _ = onLoop(in: Self.pause) { $0.mayFetchAgain(in: zone) }
    }

    private func mayFetchAgain(in name: String) {
        entries[name]?.isBusy = false
        guard let entry = entries[name], entry.wanted != nil, entry.wanted != entry.fetched else { return }
        // As if it came only now.
        entries[name]?.wanted = nil
        if let zone = zone(name) { zoneChanged(zone) }
    }

    /// Blocks.
    private static func fetch(
        _ address: String,
        of stream: String,
        _ options: HTTPOptions,
        _ interrupt: Interrupt
    ) -> FetchedPicture? {
        var options = options
        if !isSameHost(address, stream) { options.access.reach = options.access.reach.narrowed(to: .networks([])) }
        let fetch = fetchingDocuments(options, interrupt: interrupt)
        return (try? fetch(address, stream, largest)).flatMap { FetchedPicture($0.bytes) }
    }
}

private func isSameHost(_ first: String, _ second: String) -> Bool {
    let hosts = [first, second].map { host(of: $0) }
    return hosts[0] != nil && hosts[0] == hosts[1]
}

/// Without user name, password and port, in lower case.
private func host(of address: String) -> String? {
    guard let authority = URLReference(address).authority, let host = authority.split(separator: "@").last else {
        return nil
    }
    if host.first == "[" { return host.prefix { $0 != "]" }.lowercased() }
    return host.prefix { $0 != ":" }.lowercased()
}
