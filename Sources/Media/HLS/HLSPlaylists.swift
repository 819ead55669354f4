internal import AudioTypes
package import HTTP
package import Segments

/// HLS playlists: those of a master playlist, or a single media playlist.
package final class HLSPlaylists: PlaylistSource {
    package let name = "HLS"
    private let request: PresentationRequest
    /// The URL of the playlist, which the variants' locations are relative to.
    private var url: String
    /// `nil` where there is only one media playlist.
    private var master: MasterPlaylist?
    private var ladder: VariantLadder
    /// A media playlist fetched before; `nil` once it was returned.
    private var first: MediaPlaylist?

    package init(_ request: PresentationRequest) {
        self.request = request
        url = request.url
        ladder = VariantLadder(uri: request.askedURL)
    }

    package func open() throws(SegmentError) -> VariantLadder {
        switch try HLSDocument.parse(request.document.bytes, url: url) {
        case .master(let master):
            ladder = try VariantLadder(master, track: request.track, limit: request.limit)
            self.master = master
        case .media(let playlist): first = playlist
        }
        return ladder
    }

    package func playlist(of step: VariantLadder.Step) throws(SegmentError) -> LoadedPlaylist {
        if let first = first.take() { return LoadedPlaylist(first, from: url) }
        // A redirection may hold for that once, so the original URL is requested.
        let asked = try location(step.uri, in: url, what: "a variant")
        var loaded = try Self.playlist(at: asked, defined: master?.variables ?? [:], request.client)
        loaded.playlist.start = master?.start ?? loaded.playlist.start
        return loaded
    }

    /// Fetches a media playlist.
    ///
    /// - Parameter variables: Those of the master playlist.
    package static func playlist(
        at asked: String,
        defined variables: [String: String],
        _ client: HTTPClient
    ) throws(SegmentError) -> LoadedPlaylist {
        let (document, url) = try fetch(asked, client)
        guard case .media(let playlist) = try HLSDocument.parse(document.bytes, url: url, defined: variables) else {
            throw .nestedMaster
        }
        return LoadedPlaylist(playlist, from: url)
    }

    package var subtitles: [SubtitleRendition] {
        (master?.subtitles ?? []).compactMap { rendition in
            var rendition = rendition
            guard let url = try? location(rendition.uri, in: url, what: "subtitles") else { return nil }
            (rendition.uri, rendition.variables) = (url, master?.variables ?? [:])
            return rendition
        }
    }

    package func refresh() throws(SegmentError) -> VariantLadder? {
        guard master != nil else { return nil }
        let (document, url) = try Self.fetch(request.askedURL, request.client)
        guard case .master(let master) = try HLSDocument.parse(document.bytes, url: url) else { return nil }
        let ladder = try VariantLadder(master, track: request.track, limit: request.limit)
        guard ladder != self.ladder || url != self.url else { return nil }
        (self.master, self.ladder, self.url) = (master, ladder, url)
        return ladder
    }

    package func address(of step: VariantLadder.Step) -> String {
        (try? location(step.uri, in: url, what: "")) ?? step.uri
    }

    private static func fetch(
        _ asked: String,
        _ client: HTTPClient
    ) throws(SegmentError) -> (document: HTTPDocument, url: String) {
        let answer = Result { () throws(HTTPError) in try client.fetch(asked, atMost: PlaylistLimits.bytes) }
        let document = try answer.mapError { SegmentError.http($0, what: "the playlist") }.get()
        return (document, document.head.url.isEmpty ? asked : document.head.url)
    }
}
