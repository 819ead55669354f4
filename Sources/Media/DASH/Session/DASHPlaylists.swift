internal import AudioTypes
internal import HTTP
package import Segments

/// The playlists of a DASH presentation (ISO/IEC 23009-1), created from its manifest.
package final class DASHPlaylists: PlaylistSource {
    package let name = "DASH"
    private let request: PresentationRequest
    /// The manifest's URL.
    private var url: String
    private var manifest = Manifest()
    /// When it was requested.
    private var fetched = HostTime.now
    private var clock = ServerClock()
    private var choice: SoundChoice?
    private var ladder: VariantLadder?
    private var numbers = SequenceNumbers()
    /// The number after the last segment returned, by step.
    private var ends: [String: Int] = [:]
    private var indexes: [Timetable.ByteSpan: SegmentIndex] = [:]

    package init(_ request: PresentationRequest) {
        self.request = request
        url = request.url
    }

    package func address(of step: VariantLadder.Step) -> String { url }

    // MARK: Manifests

    package func open() throws(SegmentError) -> VariantLadder {
        try read(request.document, from: url)
        if manifest.isDynamic { try clock.set(by: manifest.clocks, in: url, client: request.client) }
        return try choose()
    }

    package func refresh() throws(SegmentError) -> VariantLadder? {
        let old = ladder
        try fetch(request.askedURL)
        let new = try choose()
        return new == old ? nil : new
    }

    private func fetch(_ asked: String) throws(SegmentError) {
        let began = HostTime.now
        let answer = Result { () throws(HTTPError) in try request.client.fetch(asked, atMost: ManifestLimits.bytes) }
        let document = try answer.mapError { SegmentError.http($0, what: "the manifest") }.get()
        try read(document, from: document.head.url.isEmpty ? asked : document.head.url)
        fetched = began
    }

    private func read(_ document: HTTPDocument, from url: String) throws(SegmentError) {
        var newer = try ManifestParser.parse(document.bytes, url: url)
        // A presentation that has ended keeps its times.
        newer.availabilityStart = newer.availabilityStart ?? manifest.availabilityStart
        manifest = newer
        self.url = url
        indexes = [:]
        if newer.isDynamic { clock.record(document.head) }
    }

    /// Collects the choices from the current period.
    private func choose() throws(SegmentError) -> VariantLadder {
        let now = elapsed ?? -.infinity
        let periods = manifest.periods.filter { !$0.representations.isEmpty }
        let current = manifest.isDynamic ? periods.last { $0.start <= now } ?? periods.first : periods.first
        guard let current else { throw .noAudio }
        let choice = SoundChoice(current, selection: request.track)
        let ladder = try choice.ladder(of: current, limit: request.limit)
        (self.choice, self.ladder) = (choice, ladder)
        return ladder
    }

    /// Seconds since a live presentation began; `nil` for others.
    private var elapsed: Double? {
        manifest.isDynamic ? clock.now - (manifest.availabilityStart ?? 0) - Self.courtesy : nil
    }

    /// Seconds of tolerance for late segments or wrong clocks, to avoid requests in vain.
    private static let courtesy = 0.5

    // MARK: Playlists

    package func playlist(of step: VariantLadder.Step) throws(SegmentError) -> LoadedPlaylist {
        let trouble = try update()
        guard let choice else { throw .noAudio }
        var timetable = Timetable(manifest: manifest, now: elapsed)
        var base: String?
        for period in manifest.periods {
            guard let representation = choice.representation(of: step, in: period) else { continue }
            base = base ?? representation.base
            guard let place = Timetable.index(of: representation) else { continue }
            guard timetable.indexes.count < ManifestLimits.indexes else { throw .tooLarge("the list of periods") }
            timetable.indexes[place] = try index(at: place)
        }
        let from = base ?? url
        let playlist = try timetable.playlist(of: step, choice, base: from, numbers: &numbers)
        if let trouble, playlist.endSequence <= ends[step.uri] ?? .min { throw trouble }
        ends[step.uri] = playlist.endSequence
        return LoadedPlaylist(playlist, from: from, trouble: trouble)
    }

    /// Requests a newer manifest, if one is due.
    ///
    /// - Returns: The failure; the current manifest may be enough to continue for a while.
    private func update() throws(SegmentError) -> SegmentError? {
        guard let period = manifest.refreshPeriod, HostTime.now - fetched >= max(period, 1) else {
            return nil
        }
        let asked = manifest.location ?? request.askedURL
        switch Result(catching: { () throws(SegmentError) in try fetch(asked) }) {
        case .success: return nil
        case .failure(let error):
            if error.isInterrupted { throw error }
            return error
        }
    }

    private func index(at place: Timetable.ByteSpan) throws(SegmentError) -> SegmentIndex {
        if let index = indexes[place] { return index }
        let bytes = try fetch(place.range, of: place.url)
        let index =
            SegmentIndex.isWebM(bytes)
            ? try SegmentIndex(webM: bytes, at: place.range.offset, start: fetch(place.start, of: place.url))
            : try SegmentIndex(bytes, at: place.range.offset)
        if indexes.count >= 64 { indexes = [:] }
        indexes[place] = index
        return index
    }

    private func fetch(_ range: ByteRange, of url: String) throws(SegmentError) -> [UInt8] {
        guard range.length <= ManifestLimits.index else { throw .tooLarge("the index of its segments") }
        let answer = Result { () throws(HTTPError) in try request.client.fetch(url, range, atMost: ManifestLimits.index)
        }
        return try answer.mapError { SegmentError.http($0, what: "the index of its segments") }.get()
    }
}
