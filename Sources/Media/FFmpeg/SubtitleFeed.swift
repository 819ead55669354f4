internal import AudioTypes
private import Synchronization
package import TimedText

/// The subtitles in one medium, as far as its packets have been read.
///
/// They come between the packets of the audio, some seconds before they are heard; after a seek those of the new place are
/// added to what is known. May be used from any thread.
package final class SubtitleFeed: Sendable {
    private struct Stream {
        /// By their starts.
        var cues: [Cue] = []
        /// Of these cues; `nil` when they have changed since.
        var track: TextTrack?
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        /// Of all texts.
        var byteCount = 0
    }

    private let state = Mutex(State())

    /// Of one stream; those that are farthest from new ones are dropped.
    private static let cueLimit = 1_000
    /// Of the texts of all streams; further ones are dropped.
    private static let byteLimit = 4 * 1_048_576

    package init() {}

    /// The cues of a stream in the times of the player's item, if that is played from its beginning.
    package func track(ofStream index: Int) -> TextTrack {
        state.withLock { state in
            guard var stream = state.streams[index] else { return TextTrack([]) }
            let track = stream.track ?? TextTrack(stream.cues)
            stream.track = track
            state.streams[index] = stream
            return track
        }
    }

    /// Adds a cue, unless it is there already because its packet was read before.
    func add(_ cue: Cue, toStream index: Int) {
        state.withLock { state in
            var stream = state.streams[index] ?? Stream()
            let place = stream.cues.firstIndex { $0.start >= cue.start } ?? stream.cues.count
            guard !stream.cues[place...].prefix(while: { $0.start == cue.start }).contains(cue) else { return }
            stream.cues.insert(cue, at: place)
            stream.track = nil
            state.byteCount += cue.byteCount
            while stream.cues.count > Self.cueLimit || (state.byteCount > Self.byteLimit && !stream.cues.isEmpty) {
                let isInFirstHalf = place < stream.cues.count / 2
                state.byteCount -= (isInFirstHalf ? stream.cues.removeLast() : stream.cues.removeFirst()).byteCount
            }
            state.streams[index] = stream
        }
    }
}

extension Cue {
    fileprivate var byteCount: Int { lines.reduce(64) { $0 + $1.utf8.count } }
}
