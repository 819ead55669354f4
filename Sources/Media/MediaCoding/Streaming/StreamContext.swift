package import AudioTypes

/// How to read a medium, with callbacks for the events of those of the network.
package struct StreamContext: Sendable {
    package var options: StreamOptions
    /// Data is available again after `MediaReader.read` returned `starved`; called on the read-ahead thread.
    package var wake: @Sendable () -> Void
    /// Called on the read-ahead thread.
    package var report: @Sendable (StreamEvent) -> Void

    /// Receives the subtitles in the medium; `nil` when they are not wanted, and not read.
    package var subtitles: SubtitleFeed?
    /// Whether a film without sound is played, as silence.
    package var playsSilentFilms: Bool

    package init(
        options: StreamOptions = StreamOptions(),
        wake: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (StreamEvent) -> Void = { _ in },
        subtitles: SubtitleFeed? = nil,
        playsSilentFilms: Bool = false
    ) {
        self.options = options
        self.wake = wake
        self.report = report
        self.subtitles = subtitles
        self.playsSilentFilms = playsSilentFilms
    }
}
