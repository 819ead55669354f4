package import AudioTypes

/// How a medium of the network is read, and who hears of what happens meanwhile.
package struct StreamContext: Sendable {
    package var options: StreamOptions
    /// There is something to read after `MediaReader.read` gave `starved`; called on the thread that reads ahead.
    package var wake: @Sendable () -> Void
    /// Called on the thread that reads ahead.
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
