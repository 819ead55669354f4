/// The playlists of one sound in several qualities, from the one with the fewest bits per second to the one with the
/// most.
///
/// Only sound is played. So what has nothing but sound comes first: variants, and renditions beside a picture. Where
/// every variant has a picture in it, the cheapest is played: more bits would go into the picture.
package struct VariantLadder: Sendable, Hashable {
    package struct Step: Sendable, Hashable {
        /// What names it, such as its location as written in the master playlist.
        package var uri: String
        /// Bits per second at the peak; 0 when nobody says.
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
    ///   - sound: What has nothing but sound in it.
    ///   - mixed: What has more in it, for want of that.
    ///   - limit: Bits per second; where all have more, the lowest is played.
    package init(sound: [Step], mixed: [Step], tracks: AudioTracks, limit: Int?) throws(SegmentError) {
        self.tracks = tracks.tracks
        selectedTrack = tracks.selected
        for step in sound.isEmpty ? mixed : sound { add(step) }
        // Surround sound costs more and is mixed down as a rule; it is for where there is nothing else.
        if steps.contains(where: { ($0.channelCount ?? 2) <= 2 }) {
            steps.removeAll { ($0.channelCount ?? 2) > 2 }
        }
        guard !steps.isEmpty else { throw .noAudio }
        steps.sort { $0.bandwidth < $1.bandwidth }
        if !sound.isEmpty { ceiling = steps.lastIndex { $0.bandwidth <= limit ?? .max } ?? 0 }
    }

    /// The one step of a playlist that is not a choice.
    package init(uri: String) {
        steps = [Step(uri: uri, bandwidth: 0)]
        tracks = []
    }

    /// Nothing to choose from.
    init() { tracks = [] }

    /// A rendition's own bits per second are not written: the least of a variant with it is the nearest to them.
    private mutating func add(_ step: Step) {
        guard let known = steps.firstIndex(where: { $0.uri == step.uri }) else { return steps.append(step) }
        if step.bandwidth < steps[known].bandwidth { steps[known] = step }
    }
}
