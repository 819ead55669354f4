import AudioTypes
import HTTP
import PictureWorkers
import Threads

/// The bytes of a film by HTTP, for its pictures: fetched beside those of the player, which seeks and runs ahead differently.
final class NetworkFilm: FilmBytes {
    enum Failure: Error, CustomStringConvertible {
        case isBroadcast

        var description: String { "moving pictures are not shown of broadcasts" }
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
