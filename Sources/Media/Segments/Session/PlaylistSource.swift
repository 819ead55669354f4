package import AudioTypes
package import HTTP

/// The source of a session's playlists: HLS playlists, or a DASH manifest.
///
/// Confined to one thread, like the session. Fetching blocks, and ends as soon as the client's interrupt is raised; the
/// same call may then be repeated.
package protocol PlaylistSource: AnyObject {
    /// The protocol's name, for logs: "HLS".
    var name: String { get }

    /// The choices, read from the document fetched for detection.
    func open() throws(SegmentError) -> VariantLadder

    /// The subtitles to choose from, which are fetched apart from the sound; known once it is open.
    var subtitles: [SubtitleRendition] { get }

    /// The current playlist of a step.
    func playlist(of step: VariantLadder.Step) throws(SegmentError) -> LoadedPlaylist

    /// Fetches the list of playlists again, because its locations have expired.
    ///
    /// - Returns: `nil` when the choices have not changed.
    func refresh() throws(SegmentError) -> VariantLadder?

    /// The URL of a step's playlist, for a log, even if it must not be requested.
    func address(of step: VariantLadder.Step) -> String
}

extension PlaylistSource {
    package var subtitles: [SubtitleRendition] { [] }
}

/// The document fetched to detect a presentation, and the wanted options.
package struct PresentationRequest {
    package let document: HTTPDocument
    /// The requested URL.
    package let askedURL: String
    package let client: HTTPClient
    package let track: TrackSelection
    /// Limit of the bits per second to play.
    package let limit: Int?

    package init(
        _ document: HTTPDocument,
        url: String,
        client: HTTPClient,
        track: TrackSelection = .automatic,
        limit: Int? = nil
    ) {
        self.document = document
        askedURL = url
        self.client = client
        self.track = track
        self.limit = limit
    }

    /// The final URL of the document.
    package var url: String { document.head.url.isEmpty ? askedURL : document.head.url }
}

/// A received playlist.
package struct LoadedPlaylist: Sendable {
    package var playlist: MediaPlaylist
    /// Its URL, which its locations are relative to.
    package var url: String
    /// The failure to fetch a newer state, if this one still suffices.
    package var trouble: SegmentError?

    package init(_ playlist: MediaPlaylist, from url: String, trouble: SegmentError? = nil) {
        self.playlist = playlist
        self.url = url
        self.trouble = trouble
    }
}
