package import AudioTypes
private import Synchronization
internal import Threads
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
    private let wish = Mutex(Wish())

    /// The subtitles that are shown, for those that fetch only them.
    struct Wish: Sendable {
        /// The index of a stream; `nil` for none.
        var stream: Int?
        /// The time in the medium that is shown.
        var time = MediaTime.zero
        /// Rung when either has changed.
        var bell: Doorbell?
        /// The time at which it was rung last.
        fileprivate var rung: MediaTime?
    }

    /// Seconds of a medium after which those that fetch are told how far it has been played.
    private static let stride = 10.0

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

    /// The cues of the stream that is shown at a time of the medium, as far as they are known.
    package func track(ofStream index: Int, at time: MediaTime) -> TextTrack {
        show(index, at: time)
        return track(ofStream: index)
    }

    /// Sets the stream that is shown; `nil` for none.
    package func show(_ index: Int?, at time: MediaTime) {
        wish.withLock { wish in
            let isFar = wish.rung.map { abs((time - $0).seconds) >= Self.stride } ?? true
            let isOther = wish.stream != index
            (wish.stream, wish.time) = (index, time)
            guard isOther || isFar else { return }
            wish.rung = time
            wish.bell?.ring()
        }
    }

    var wished: Wish { wish.withLock(\.self) }

    /// Sets what is rung when another stream or another part of it is shown.
    func setBell(_ bell: Doorbell) { wish.withLock { $0.bell = bell } }

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
