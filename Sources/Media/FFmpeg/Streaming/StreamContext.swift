package import AudioTypes

/// How to read a network medium, with callbacks for its events.
package struct StreamContext: Sendable {
    package var options: StreamOptions
    /// Data is available again after `MediaReader.read` returned `starved`; called on the read-ahead thread.
    package var wake: @Sendable () -> Void
    /// Called on the read-ahead thread.
    package var report: @Sendable (StreamEvent) -> Void

    package init(
        options: StreamOptions = StreamOptions(),
        wake: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (StreamEvent) -> Void = { _ in }
    ) {
        self.options = options
        self.wake = wake
        self.report = report
    }
}
