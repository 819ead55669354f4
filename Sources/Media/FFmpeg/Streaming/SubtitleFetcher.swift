internal import AudioTypes
internal import HLS
internal import HTTP
internal import Segments
internal import Synchronization
internal import Threads
internal import TimedText

/// Fetches the subtitles of a presentation in segments while they are shown, on a thread of its own.
///
/// They are small, and the sound never waits for them.
final class SubtitleFetcher: Sendable {
    /// The subtitles to choose from, and how they are fetched.
    struct Source: Sendable {
        var renditions: [SubtitleRendition]
        var options: HTTPOptions
        /// The URL of the presentation, as it was asked for.
        var home: String
    }

    /// Of the first rendition among the medium's streams; no demuxer has as many of its own.
    static let firstStream = 1_000

    private let source: Source
    private let feed: SubtitleFeed
    private let bell = Doorbell()
    private let interrupt = Interrupt()
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        /// The seconds by which the sound's timestamps are ahead of the presentation; `nil` while unknown.
        var clock: Double?
    }

    init(_ source: Source, to feed: SubtitleFeed) {
        self.source = source
        self.feed = feed
    }

    /// Ends with `cancel`; without a thread there are no subtitles.
    func start() {
        feed.setBell(bell)
        try? WorkThread.start(named: "segue-subtitles") { [self] in run() }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        interrupt.raise()
        bell.ring()
    }

    /// Sets the seconds by which the sound's timestamps are ahead of the presentation.
    func setClock(_ clock: Double) { state.withLock { $0.clock = clock } }

    // MARK: The thread

    private func run() {
        let client = HTTPClient(source.options, home: source.home, interrupt: interrupt, report: { _ in })
        var shown: (stream: Int, list: SubtitleList)?
        while !state.withLock(\.isCancelled) {
            let wish = feed.wished
            guard let stream = wish.stream, source.renditions.indices.contains(stream - Self.firstStream) else {
                bell.wait()
                continue
            }
            if shown?.stream != stream {
                shown = (stream, SubtitleList(source.renditions[stream - Self.firstStream]))
            }
            let due = shown?.list.fetch(around: wish.time.seconds, client, clock: state.withLock(\.clock)) { cue in
                feed.add(cue, toStream: stream)
            }
            bell.wait(until: due ?? nil)
        }
    }
}

/// The playlist of one rendition, and which of its segments have been fetched.
private struct SubtitleList {
    private let rendition: SubtitleRendition
    private var loaded: LoadedPlaylist?
    private var loadedAt = HostTime.now
    /// The numbers of segments that need not be fetched any more.
    private var done: Set<Int> = []
    private var failures = 0

    /// Seconds of a presentation that are fetched ahead of what is shown.
    private static let reach = 60.0
    /// Bytes of one segment.
    private static let segmentLimit = 1 << 20
    /// Segments at the end of a live playlist that are fetched.
    private static let liveCount = 4

    init(_ rendition: SubtitleRendition) { self.rendition = rendition }

    /// Fetches the segments that are shown soon and not there yet.
    ///
    /// - Returns: When to call it again; `nil`: not before more is shown.
    mutating func fetch(
        around time: Double,
        _ client: HTTPClient,
        clock: Double?,
        _ receive: (Cue) -> Void
    ) -> HostTime? {
        do throws(SegmentError) {
            let list = try playlist(client)
            for place in wanted(of: list.playlist, around: time) {
                try fetch(place, of: list, client, clock, receive)
                failures = 0
            }
            return list.playlist.isLive ? loadedAt + max(1, list.playlist.reloadInterval) : nil
        } catch {
            // Without subtitles the film goes on; what is missing is tried again more and more rarely.
            failures = min(failures + 1, 6)
            return .now + Double(1 << failures)
        }
    }

    private mutating func playlist(_ client: HTTPClient) throws(SegmentError) -> LoadedPlaylist {
        if let loaded, !loaded.playlist.isLive || HostTime.now - loadedAt < loaded.playlist.reloadInterval {
            return loaded
        }
        loadedAt = .now
        let list = try HLSPlaylists.playlist(at: rendition.uri, defined: rendition.variables, client)
        loaded = list
        done = done.filter { $0 >= list.playlist.mediaSequence }
        return list
    }

    private struct Place {
        let number: Int
        let segment: MediaSegment
        /// Seconds in the presentation; `nil` while it is live.
        let start: Double?
    }

    private func wanted(of playlist: MediaPlaylist, around time: Double) -> [Place] {
        var start = 0.0
        var places: [Place] = []
        for (index, segment) in playlist.segments.enumerated() {
            let end = start + segment.duration
            let isNear =
                playlist.isLive
                ? index >= playlist.segments.count - Self.liveCount
                : end > time && start < time + Self.reach
            let number = playlist.mediaSequence + index
            if isNear, !segment.isGap, segment.encryption == nil, segment.map == nil, !done.contains(number) {
                places.append(Place(number: number, segment: segment, start: playlist.isLive ? nil : start))
            }
            start = end
        }
        return places
    }

    private mutating func fetch(
        _ place: Place,
        of list: LoadedPlaylist,
        _ client: HTTPClient,
        _ clock: Double?,
        _ receive: (Cue) -> Void
    ) throws(SegmentError) {
        let address = try location(place.segment.uri, in: list.url, what: "a segment")
        let answer = Result { () throws(HTTPError) in try client.fetch(address, atMost: Self.segmentLimit) }
        switch answer {
        case .failure(let error) where error.isTemporary || error.kind == .interrupted:
            throw .http(error, what: "a segment of subtitles")
        case .failure: done.insert(place.number)
        case .success(let document):
            done.insert(place.number)
            let segment = WebVTT.segment(document.bytes)
            guard let first = segment.cues.first,
                let shift = shift(segment.offset, clock, of: place, first: first.start.seconds)
            else { return }
            for cue in segment.cues { receive(cue.moved(by: MediaTime(seconds: shift))) }
        }
    }

    /// The seconds by which a segment's own times are behind the presentation's.
    ///
    /// By the timestamps that it names; some name wrong ones, or none, and have the presentation's times. `nil` where they
    /// cannot be known: while it is live, without timestamps.
    private func shift(_ offset: Double?, _ clock: Double?, of place: Place, first: Double) -> Double? {
        let mapped = offset.flatMap { offset in clock.map { offset - $0 } }
        guard let start = place.start else { return mapped }
        let around = start - 10...start + place.segment.duration + 10
        if let mapped, around.contains(first + mapped) { return mapped }
        return around.contains(first) ? 0 : mapped ?? 0
    }
}
