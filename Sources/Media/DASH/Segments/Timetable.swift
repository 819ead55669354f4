internal import Playlists
internal import Segments

/// Creates playlists from a manifest: the segments of one step, through all periods.
struct Timetable {
    let manifest: Manifest
    /// Seconds since the start of a live presentation; `nil` if all of it is available.
    let now: Double?
    /// The indexes of single files, by the spans from `Timetable.index`.
    var indexes: [ByteSpan: SegmentIndex] = [:]

    /// The location of an index in a file.
    struct ByteSpan: Hashable {
        var url: String
        var range: ByteRange
        /// The start of the file, which the index's offsets refer to, if needed.
        var start = ByteRange(offset: 0, length: 1)
    }

    /// A segment and its start.
    private struct Place {
        var segment: MediaSegment
        /// Seconds in the presentation.
        var start: Double
    }

    /// The location of a representation's segment index.
    static func index(of representation: Representation) -> ByteSpan? {
        guard representation.addressing.kind == .file, let range = representation.addressing.indexRange else {
            return nil
        }
        let head = representation.addressing.initialization
        let start = head?.media == nil ? head?.range : nil
        return ByteSpan(
            url: representation.base,
            range: range,
            start: start ?? ByteRange(offset: 0, length: min(max(range.offset, 1), 4_096))
        )
    }

    /// - Parameters:
    ///   - step: The step to play.
    ///   - base: The URL that locations are relative to.
    func playlist(
        of step: VariantLadder.Step,
        _ choice: SoundChoice,
        base: String,
        numbers: inout SequenceNumbers
    ) throws(SegmentError) -> MediaPlaylist {
        var places: [Place] = []
        for period in manifest.periods {
            var found = try self.places(of: choice.representation(of: step, in: period), in: period, base: base)
            let clock = numbers.clock(ofPeriod: period.id)
            for index in found.indices { found[index].segment.discontinuity = clock }
            places += found
            if now != nil { places = places.suffix(ManifestLimits.liveSegments) }
            guard places.count <= ManifestLimits.segments else { throw .tooLarge("the list of segments") }
        }
        fillHoles(in: &places)
        var playlist = MediaPlaylist()
        playlist.kind = isOver(places.last) ? .vod : .live
        let longest = places.reduce(0) { max($0, $1.segment.isGap ? 0 : $1.segment.duration) }
        let usual = longest > 0 ? longest : manifest.longestSegment ?? manifest.updatePeriod ?? 2
        playlist.targetDuration = min(max(usual, 0.5), 3600)
        if let zero = manifest.availabilityStart {
            for index in places.indices { places[index].segment.date = zero + places[index].start }
        }
        playlist.segments = places.map(\.segment)
        if now != nil { live(&playlist) }
        let zero = manifest.availabilityStart ?? 0
        let starts =
            places.map { zero + $0.start } + (places.last.map { [zero + $0.start + $0.segment.duration] } ?? [])
        playlist.mediaSequence = numbers.first(starts, of: step.uri, isLive: now != nil)
        return playlist
    }

    /// Inserts gaps where time passes between segments, so that later ones keep their times.
    private func fillHoles(in places: inout [Place]) {
        guard var end = places.first?.start else { return }
        var filled: [Place] = []
        filled.reserveCapacity(places.count)
        for place in places {
            // A shorter one is a rounding error, and not worth a new demuxer.
            if place.start - end > 0.1 {
                var gap = MediaSegment(uri: "", duration: place.start - end, isGap: true)
                gap.discontinuity = place.segment.discontinuity
                filled.append(Place(segment: gap, start: end))
            }
            filled.append(place)
            end = place.start + place.segment.duration
        }
        places = filled
    }

    /// Whether no segment follows a last one.
    private func isOver(_ last: Place?) -> Bool {
        guard now != nil else { return true }
        guard manifest.refreshPeriod == nil, let period = manifest.periods.last, let length = period.duration, let last
        else { return false }
        return last.start + last.segment.duration > period.start + length - 0.05
    }

    /// Sets the author's parameters for live playback.
    private func live(_ playlist: inout MediaPlaylist) {
        playlist.holdBack = manifest.delay
        guard manifest.isListing, let pause = manifest.refreshPeriod, pause > playlist.targetDuration else { return }
        let interval = min(pause, 60)
        playlist.refreshInterval = interval
        playlist.holdBack = max(manifest.delay ?? 0, interval + 2 * playlist.targetDuration)
    }
}

// MARK: - One period

extension Timetable {
    private func places(
        of representation: Representation?,
        in period: Period,
        base: String
    ) throws(SegmentError) -> [Place] {
        guard let representation else {
            // Nothing to play for a while.
            guard let length = period.duration, length > 0, now.map({ period.start + length <= $0 }) != false else {
                return []
            }
            return [Place(segment: MediaSegment(uri: "", duration: length, isGap: true), start: period.start)]
        }
        let maker = SegmentMaker(representation, base: base)
        var places: [Place] = []
        if representation.addressing.kind == .file {
            for (segment, start) in try maker.file(Self.index(of: representation).flatMap { indexes[$0] }, period) {
                places.append(Place(segment: segment, start: start))
            }
        } else {
            let elapsed = now.map { $0 - period.start }
            if let elapsed, elapsed < 0 { return [] }
            let window = PeriodWindow(length: period.duration, now: elapsed, depth: manifest.depth)
            var runs = try representation.addressing.runs(in: window)
            if now != nil {
                runs = runs.newest(ManifestLimits.liveSegments)
            } else if runs.segmentCount > ManifestLimits.segments {
                throw .tooLarge("the list of segments")
            }
            for (segment, start) in try maker.segments(runs, period) {
                places.append(Place(segment: segment, start: start))
            }
        }
        clip(&places, to: period)
        return places
    }

    /// Removes the parts that belong to the periods before and after.
    private func clip(_ places: inout [Place], to period: Period) {
        places.removeAll { $0.start < period.start && $0.start + $0.segment.duration <= period.start + 0.001 }
        // A segment that starts before its period is played only from the period's start.
        for index in places.indices where places[index].start < period.start {
            let surplus = period.start - places[index].start
            places[index].segment.duration -= surplus
            places[index].segment.mediaTime = places[index].segment.mediaTime.map { $0 + surplus }
            places[index].start = period.start
        }
        guard let length = period.duration else { return }
        let end = period.start + length
        if period.isFollowed { places.removeAll { $0.start >= end - 0.001 } }
        for index in places.indices {
            let rest = end - places[index].start
            if period.isFollowed { places[index].segment.soundLeft = rest }
            if places[index].segment.duration > rest { places[index].segment.duration = max(rest, 0.001) }
        }
    }
}
