internal import AudioTypes
internal import HLS
internal import HTTP
internal import Segments
internal import TimedText

/// The playlist of one rendition, and which of its segments have been fetched.
struct SubtitleList {
    private let rendition: SubtitleRendition
    private var loaded: LoadedPlaylist?
    private var loadedAt = HostTime.now
    /// Of the playlist.
    private var retry = SubtitleRetry()
    private var segments = SubtitleSchedule()

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
        if let next = retry.next, next > .now { return next }
        do throws(SegmentError) {
            let list = try playlist(client)
            let places = wanted(of: list.playlist, around: time)
            for place in places where segments.isDue(place.number, now: .now) {
                try fetch(place, of: list, client, clock, receive)
            }
            retry = SubtitleRetry()
            let reload = list.playlist.isLive ? loadedAt + max(1, list.playlist.reloadInterval) : nil
            return [reload, segments.next(of: places.map(\.number))].compactMap(\.self).min()
        } catch {
            // Without subtitles the film goes on; what is missing is tried again more and more rarely.
            return error.isInterrupted ? nil : retry.failed(now: .now)
        }
    }

    private mutating func playlist(_ client: HTTPClient) throws(SegmentError) -> LoadedPlaylist {
        if let loaded, !loaded.playlist.isLive || HostTime.now - loadedAt < loaded.playlist.reloadInterval {
            return loaded
        }
        loadedAt = .now
        let list = try HLSPlaylists.playlist(at: rendition.uri, defined: rendition.variables, client)
        loaded = list
        segments.forget(before: list.playlist.mediaSequence)
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
            if isNear, !segment.isGap, segment.encryption == nil, segment.map == nil {
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
        case .failure(let error) where error.kind == .interrupted || error.isBeforeAnyRequest:
            // The others would fail in the same way.
            throw .http(error, what: "a segment of subtitles")
        case .failure(let error): segments.failed(place.number, isFinal: !error.isTemporary, now: .now)
        case .success(let document):
            segments.done(place.number)
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

extension HTTPError {
    /// Whether the server was not reached at all.
    fileprivate var isBeforeAnyRequest: Bool {
        switch kind {
        case .resolving, .connecting, .unanswered, .tls: true
        default: false
        }
    }
}
