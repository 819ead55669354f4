package import AudioTypes
package import HTTP

/// A presentation in segments as runs of bytes for demuxers, that heals itself.
///
/// One thread's. Everything but `init` and `seek` blocks, and ends with an error whose `isInterrupted` holds as soon as
/// the client's interrupt is raised; the same call then goes on where it was.
package final class SegmentSession {
    package internal(set) var presentation = SegmentPresentation()
    let client: HTTPClient
    let options: StreamOptions
    let decryptors: any SegmentDecryptorFactory
    var reporter: SessionReporter

    // MARK: What is played

    let playlists: any PlaylistSource
    /// Empty before it is known.
    var ladder = VariantLadder()
    var adaptation = Adaptation(bandwidths: [0], ceiling: 0, current: 0)
    /// The step whose playlist `plan` is.
    var step = 0
    /// A step that is to be played from the next segment on.
    var wantedStep: Int?
    /// Where the playlist came from, which its locations are relative to; `nil` before there is one.
    var playlistURL: String?
    /// When playlists were last fetched anew because what they named was gone.
    var refreshed = HostTime.now
    /// Seconds for which what a playlist with an end names is taken to be there.
    var freshness: Double = 30

    // MARK: Where it is

    var plan = SegmentPlan(MediaPlaylist())
    var schedule = ReloadSchedule(targetDuration: 1, began: .now)
    var playlistHealing: Reconnection
    var healing: SegmentHealing
    var secrets = SegmentSecrets()
    var reading: SegmentReading?
    var part: SessionPart?
    /// The map of the current part.
    var partMap: SegmentMap?
    /// Why the next part begins, where it is not for what its segment says.
    var reason: SessionPart.Reason? = .start
    /// The moment from which the next part is to be heard; `nil`: its beginning.
    var soundFrom: Double?
    /// The moment up to which all was read.
    var readUntil: Double = 0
    /// Whether any segment has given bytes.
    var hasGiven = false
    /// Segments at the beginning that were no media.
    var strangers = 0
    /// Why a segment was left out last.
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

    /// Fetches what must be known before the first segment: at most one media playlist.
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

    /// Has what can be chosen from, and what is chosen.
    func use(_ ladder: VariantLadder, step: Int) {
        self.ladder = ladder
        self.step = step
        adaptation = Adaptation(bandwidths: ladder.steps.map(\.bandwidth), ceiling: ladder.ceiling, current: step)
    }

    /// Begins with a playlist.
    ///
    /// - Parameter began: When it was asked for.
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
        noteStep()
    }

    /// Tells what the chosen variant is said to have.
    func noteStep() {
        let chosen = ladder.steps[step]
        presentation.indicatedBitRate = chosen.bandwidth > 0 ? chosen.bandwidth : nil
        presentation.indicatedAverageBitRate = chosen.averageBandwidth
        reporter.chose(isLive: presentation.isLive, indicatedBitRate: presentation.indicatedBitRate)
    }

    // MARK: Seeking

    /// Has the next part begin with the segment at a moment; the current part ends.
    ///
    /// - Parameter seconds: As in `SessionPart`; moments outside of what is there are drawn to its ends.
    /// - Returns: Where that segment begins.
    @discardableResult
    package func seek(to seconds: Double) -> Double {
        dropReading()
        part = nil
        healing.forget()
        reason = .seek
        let range = plan.range
        let moment = min(max(seconds.isNaN ? 0 : seconds, range.lowerBound), range.upperBound)
        soundFrom = moment
        readUntil = moment
        return plan.seek(to: moment)
    }

    func dropReading() {
        reading?.stream?.cancel()
        reading = nil
    }
}
