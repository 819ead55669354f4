import AudioTypes
import Segments
import Testing

@testable import DASH

/// Where the manifests of the tests are.
let here = "http://host/dir/a.mpd"

func manifest(_ text: String, url: String = here) throws -> Manifest {
    try ManifestParser.parse(Array(text.utf8), url: url)
}

/// A manifest with one period and these elements in it.
func vod(_ content: String, duration: String = "PT10S", attributes: String = "") -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>
    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="\(duration)" \(attributes)>
    <Period id="p">\(content)</Period>
    </MPD>
    """
}

/// One adaptation set with one representation that has these elements in it.
func sound(_ content: String, set: String = "", attributes: String = "") -> String {
    """
    <AdaptationSet contentType="audio" mimeType="audio/mp4" codecs="mp4a.40.2" \(attributes)>\(set)
    <Representation id="a" bandwidth="128000">\(content)</Representation></AdaptationSet>
    """
}

/// What is to be played of a manifest.
struct Played {
    var ladder: VariantLadder
    var playlist: MediaPlaylist
    var base: String

    /// - Parameters:
    ///   - now: Seconds since a live presentation began.
    ///   - step: Of the ladder; `nil` is the highest that may be played.
    init(
        _ text: String,
        track: TrackSelection = .automatic,
        limit: Int? = nil,
        now: Double? = nil,
        step: Int? = nil,
        indexes: [Timetable.ByteSpan: SegmentIndex] = [:]
    ) throws {
        var numbers = SequenceNumbers()
        try self.init(text, track, limit, now, step, indexes, &numbers)
    }

    init(_ text: String, now: Double, numbers: inout SequenceNumbers) throws {
        try self.init(text, .automatic, nil, now, nil, [:], &numbers)
    }

    private init(
        _ text: String,
        _ track: TrackSelection,
        _ limit: Int?,
        _ now: Double?,
        _ step: Int?,
        _ indexes: [Timetable.ByteSpan: SegmentIndex],
        _ numbers: inout SequenceNumbers
    ) throws {
        let manifest = try DASHTests.manifest(text)
        guard let period = manifest.periods.first(where: { !$0.representations.isEmpty }) else {
            throw SegmentError.noAudio
        }
        let choice = SoundChoice(period, selection: track)
        ladder = try choice.ladder(of: period, limit: limit)
        let step = ladder.steps[step ?? ladder.ceiling]
        base = choice.representation(of: step, in: period)?.base ?? ""
        var timetable = Timetable(manifest: manifest, now: now)
        timetable.indexes = indexes
        playlist = try timetable.playlist(of: step, choice, base: base, numbers: &numbers)
    }

    var locations: [String] { playlist.segments.map(\.uri) }
    var durations: [Double] { playlist.segments.map(\.duration) }
}

/// What reading a manifest, or making a playlist of it, fails with.
func failure(_ text: String, now: Double? = nil) -> SegmentError? {
    do {
        _ = try Played(text, now: now)
        return nil
    } catch {
        return error as? SegmentError
    }
}
