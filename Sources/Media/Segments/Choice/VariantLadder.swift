/// The playlists of one sound in several qualities, in order of bandwidth.
///
/// Only sound is played. So audio-only variants and renditions have precedence. If every variant includes a picture,
/// the cheapest is played: more bits would go into the picture.
package struct VariantLadder: Sendable, Hashable {
    package struct Step: Sendable, Hashable {
        /// Its identifier, such as its location as written in the master playlist.
        package var uri: String
        /// Peak bits per second; 0 when unknown.
        package var bandwidth: Int
        package var averageBandwidth: Int?
        package var channelCount: Int?

        package init(uri: String, bandwidth: Int, averageBandwidth: Int? = nil, channelCount: Int? = nil) {
            self.uri = uri
            self.bandwidth = bandwidth
            self.averageBandwidth = averageBandwidth
            self.channelCount = channelCount
        }
    }

    package private(set) var steps: [Step] = []
    /// The highest step that may be played.
    package private(set) var ceiling = 0
    package private(set) var tracks: [SoundTrack]
    package private(set) var selectedTrack: Int?

    /// - Parameters:
    ///   - sound: Audio-only steps.
    ///   - mixed: Steps with other content, used if there are no audio-only ones.
    ///   - limit: Bits per second; if all steps exceed it, the lowest is played.
    package init(sound: [Step], mixed: [Step], tracks: AudioTracks, limit: Int?) throws(SegmentError) {
        self.tracks = tracks.tracks
        selectedTrack = tracks.selected
        for step in sound.isEmpty ? mixed : sound { add(step) }
        // Surround sound costs more and is usually mixed down; it is used only if there is nothing else.
        if steps.contains(where: { ($0.channelCount ?? 2) <= 2 }) {
            steps.removeAll { ($0.channelCount ?? 2) > 2 }
        }
        guard !steps.isEmpty else { throw .noAudio }
        steps.sort { $0.bandwidth < $1.bandwidth }
        if !sound.isEmpty { ceiling = steps.lastIndex { $0.bandwidth <= limit ?? .max } ?? 0 }
    }

    /// A single step, for a playlist without variants.
    package init(uri: String) {
        steps = [Step(uri: uri, bandwidth: 0)]
        tracks = []
    }

    /// An empty ladder.
    init() { tracks = [] }

    /// A rendition's own bandwidth is not given: the lowest of its variants' is the best estimate.
    private mutating func add(_ step: Step) {
        guard let known = steps.firstIndex(where: { $0.uri == step.uri }) else { return steps.append(step) }
        if step.bandwidth < steps[known].bandwidth { steps[known] = step }
    }
}
