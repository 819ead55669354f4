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
