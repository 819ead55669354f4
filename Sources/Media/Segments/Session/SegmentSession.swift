package import AudioTypes
package import HTTP

/// Reads a segmented presentation as runs of bytes for demuxers, and recovers from errors.
///
/// Confined to one thread. Everything but `init` and `seek` blocks, and ends with an error whose `isInterrupted` is
/// true as soon as the client's interrupt is raised; the same call then continues.
package final class SegmentSession {
    package internal(set) var presentation = SegmentPresentation()
    let client: HTTPClient
    let options: StreamOptions
    let decryptors: any SegmentDecryptorFactory
    var reporter: SessionReporter

    // MARK: Playlists

    let playlists: any PlaylistSource
    /// Empty until known.
    var ladder = VariantLadder()
    var adaptation = Adaptation(bandwidths: [0], ceiling: 0, current: 0)
    /// The step of the playlist in `plan`.
    var step = 0
    /// The step to switch to at the next segment.
    var wantedStep: Int?
    /// The URL of the playlist, which its locations are relative to; `nil` before there is one.
    var playlistURL: String?
    /// When playlists were last refetched because their locations had expired.
    var refreshed = HostTime.now
    /// Seconds for which the locations in a playlist with an end are assumed to be valid.
    var freshness: Double = 30

    // MARK: Position

    var plan = SegmentPlan(MediaPlaylist())
    var schedule = ReloadSchedule(targetDuration: 1, began: .now)
    var playlistHealing: Reconnection
    var healing: SegmentHealing
    var secrets = SegmentSecrets()
    var reading: SegmentReading?
    /// How many segments are fetched at a time.
    var width = FetchWidth()
    /// Those after the one being read that were requested.
    var ahead: [SegmentAhead] = []
    var part: SessionPart?
    /// The map of the current part.
    var partMap: SegmentMap?
    /// Why the next part starts, unless its segment is the reason.
    var reason: SessionPart.Reason? = .start
    /// The moment from which the next part is audible; `nil`: its start.
    var soundFrom: Double?
    /// Whether the next part starts with the segment that is played live, of the current playlist.
    var wantsLive = false
    /// The moment up to which all was read.
    var readUntil: Double = 0
    /// Whether any segment has returned bytes.
    var hasGiven = false
    /// How many segments at the start were not media.
    var strangers = 0
    /// The ID3 tag at the start of a segment of packed audio, as it was read.
    var tag: [UInt8]?
    /// Why a segment was last left out.
    var lastTrouble: SegmentError?

    package init(
        _ playlists: any PlaylistSource,
        client: HTTPClient,
        options: StreamOptions,
        decryptor: any SegmentDecryptorFactory,
        report: @escaping @Sendable (StreamEvent) -> Void
    ) {
        self.playlists = playlists
        self.client = client
        self.options = options
        decryptors = decryptor
        reporter = SessionReporter(playlists.name, report)
        playlistHealing = Reconnection(limit: options.reconnectLimit)
        healing = SegmentHealing(limit: options.reconnectLimit, isLive: false)
    }

    /// Fetches what is needed before the first segment: at most one media playlist.
    package func open() throws(SegmentError) -> SegmentPresentation {
        if ladder.steps.isEmpty {
            let ladder = try playlists.open()
            use(ladder, step: ladder.ceiling)
            presentation.audioTracks = ladder.tracks
            presentation.selectedTrack = ladder.selectedTrack
        }
        if playlistURL == nil { try loadFirstPlaylist() }
        return presentation
    }

    /// The ID3 tag that packed audio began with last, unless it was returned before.
    package func takeTag() -> [UInt8]? { tag.take() }

    /// Sets the choices, and the chosen one.
    func use(_ ladder: VariantLadder, step: Int) {
        self.ladder = ladder
        self.step = step
        adaptation = Adaptation(bandwidths: ladder.steps.map(\.bandwidth), ceiling: ladder.ceiling, current: step)
    }

    /// Starts with a playlist.
    ///
    /// - Parameter began: When it was requested.
    func adopt(_ loaded: LoadedPlaylist, began: HostTime) throws(SegmentError) {
        let playlist = loaded.playlist
        guard playlist.isLive || !playlist.segments.isEmpty else { throw .noSegments }
        plan = SegmentPlan(playlist)
        soundFrom = plan.firstSound
        readUntil = plan.nextStart
        schedule = ReloadSchedule(targetDuration: playlist.reloadInterval, began: began)
        healing = SegmentHealing(limit: options.reconnectLimit, isLive: playlist.isLive)
        playlistURL = loaded.url
        presentation.isLive = playlist.isLive
        presentation.duration = playlist.isLive ? nil : playlist.duration
        presentation.targetDuration = playlist.targetDuration
        recordStep()
    }

    /// Reports the declared properties of the chosen variant.
    func recordStep() {
        let chosen = ladder.steps[step]
        presentation.indicatedBitRate = chosen.bandwidth > 0 ? chosen.bandwidth : nil
        presentation.indicatedAverageBitRate = chosen.averageBandwidth
        reporter.chose(isLive: presentation.isLive, indicatedBitRate: presentation.indicatedBitRate)
    }

    // MARK: Seeking

    /// Makes the next part start with the segment at a moment; the current part ends.
    ///
    /// - Parameter seconds: As in `SessionPart`; moments outside of the available range are clamped.
    /// - Returns: The start of that segment.
    @discardableResult
    package func seek(to seconds: Double) -> Double {
        dropReading()
        dropAhead()
        part = nil
        healing.forget()
        reason = .seek
        // Of a live presentation only what may be sought; later moments are the live one, which moves on.
        let range = window ?? plan.range
        wantsLive = window.map { seconds >= $0.upperBound } ?? false
        let moment = min(max(seconds.isNaN ? 0 : seconds, range.lowerBound), range.upperBound)
        soundFrom = moment
        readUntil = moment
        return plan.seek(to: moment)
    }

    /// The moments of a live presentation that may be sought; `nil` of one with an end.
    package var window: ClosedRange<Double>? { plan.window }

    func dropReading() {
        reading?.stream?.cancel()
        reading = nil
    }
}
