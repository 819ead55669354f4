package import AudioTypes
package import HTTP

/// Where a session's playlists come from: playlists of HTTP Live Streaming, or a manifest of DASH.
///
/// One thread's, as the session is. What fetches blocks, and ends as soon as the client's interrupt is raised; the same
/// call may then be made again.
package protocol PlaylistSource: AnyObject {
    /// What the protocol is called, for logs: "HLS".
    var name: String { get }

    /// What can be chosen from, read from what was fetched to find out what it is.
    func open() throws(SegmentError) -> VariantLadder

    /// A step's playlist as it is now.
    func playlist(of step: VariantLadder.Step) throws(SegmentError) -> LoadedPlaylist

    /// Fetches anew what names the playlists, because what they name is gone.
    ///
    /// - Returns: `nil` when there is nothing else to choose from than before.
    func refresh() throws(SegmentError) -> VariantLadder?

    /// Where a step's playlist is, for a log, also when it must not be asked for.
    func address(of step: VariantLadder.Step) -> String
}

/// What was fetched of a presentation to find out what it is, and what is wanted of it.
package struct PresentationRequest {
    package let document: HTTPDocument
    /// Where it was asked for.
    package let askedURL: String
    package let client: HTTPClient
    package let track: AudioTrackSelection
    /// Bits per second that what is played may have.
    package let limit: Int?

    package init(
        _ document: HTTPDocument,
        url: String,
        client: HTTPClient,
        track: AudioTrackSelection = .automatic,
        limit: Int? = nil
    ) {
        self.document = document
        askedURL = url
        self.client = client
        self.track = track
        self.limit = limit
    }

    /// Where the document came from in the end.
    package var url: String { document.head.url.isEmpty ? askedURL : document.head.url }
}

/// A playlist that has come.
package struct LoadedPlaylist: Sendable {
    package var playlist: MediaPlaylist
    /// Where it came from, which its locations are relative to.
    package var url: String
    /// What went wrong with asking for a newer state, where this one goes on without.
    package var trouble: SegmentError?

    package init(_ playlist: MediaPlaylist, from url: String, trouble: SegmentError? = nil) {
        self.playlist = playlist
        self.url = url
        self.trouble = trouble
    }
}
