import AudioTypes
import HTTP
import MediaCoding
import PictureWorkers
import Playlists
import Threads

/// The bytes of a film by HTTP, for its pictures: fetched beside those of the player, which seeks and runs ahead differently.
final class NetworkFilm: FilmBytes {
    enum Failure: Error, CustomStringConvertible {
        case isBroadcast
        case isPresentation
        case hasIndexAtEnd

        var description: String {
            switch self {
            case .isBroadcast: "moving pictures are not shown of broadcasts"
            case .isPresentation: "moving pictures are not shown of HLS and DASH"
            case .hasIndexAtEnd:
                "moving pictures are not shown: its index stands at the end and the server sends no ranges"
            }
        }
    }

    private let source: HTTPSource

    static func reads(_ entry: MediaEntry) -> Bool {
        ["http://", "https://"].contains { entry.location.lowercased().hasPrefix($0) }
    }

    /// Requests the film; blocks, also later, until the interrupt is raised.
    init(_ entry: MediaEntry, _ options: StreamOptions, _ interrupt: Interrupt) throws {
        var options = options
        options.http.access = entry.access
        let client = HTTPClient(options.http, home: entry.requestedLocation, interrupt: interrupt) { _ in }
        source = HTTPSource(entry.location, client: client, options: options) { _ in }
        _ = try source.open()
        if source.isLive { throw Failure.isBroadcast }
        var beginning = try read(at: 0, count: 1_024)
        let kind = ContentKind(of: beginning, named: entry.location)
        if kind == .mediaManifest || kind == .markup { throw Failure.isPresentation }
        while !source.isSeekable, case .unclear(let needed) = MovieOrder(of: beginning) {
            let more = try read(at: beginning.count, count: needed - beginning.count)
            if more.isEmpty { break }
            beginning += more
        }
        guard !source.isSeekable, MovieOrder(of: beginning) == .mediaFirst else { return }
        guard try source.gather(beginning, atMost: MovieOrder.longestGathered) else { throw Failure.hasIndexAtEnd }
    }

    var size: Int? { source.isSeekable ? source.size : nil }

    func read(at offset: Int, count: Int) throws -> [UInt8] {
        source.seek(to: offset)
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try unsafe bytes.withUnsafeMutableBytes { unsafe try source.read(into: $0) }
        bytes.removeSubrange(got...)
        return bytes
    }
}
