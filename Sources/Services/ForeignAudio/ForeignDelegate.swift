package import AudioSessions
package import MPRIS
package import Outputs
package import Settings

/// The watch over the streams at one sound server, and control of their levels; ends when it is released.
package protocol StreamWatch: AnyObject {
    /// Leads a stream to a level, in steps of 10 ms; reports of the stream tell the order's number.
    func fade(_ index: UInt32, to level: StreamLevel, steps: Int, number: Int)
    /// Gives a stream a level at once.
    func set(_ index: UInt32, to level: StreamLevel)
    /// Has the sound server's memory keep a level for the next stream of that name.
    func remember(_ key: String, _ level: StreamLevel)
    /// Changes how many streams may be watched.
    func limit(to limit: Int)
    /// Calls back, on any thread, when the sound server has done all that was ordered before, or is away.
    func flush(_ done: @escaping @Sendable () -> Void)
}

extension StreamObservation: StreamWatch {}

/// Pauses the media players of other programs, and has them play on.
package protocol PlayerRemote {
    /// Pauses the player of the first of several processes that has one, if it is playing.
    ///
    /// - Parameter then: Called on any thread, with the player once it has agreed, or with `nil`.
    func pause(_ processes: [Int32], then: @escaping @Sendable (RemotePlayer?) -> Void)
    /// Has a player play on that was paused here, unless a user has changed its state since.
    func play(_ player: RemotePlayer)
    /// Leaves a player as it is.
    func forget(_ player: RemotePlayer)
}

extension RemotePlayers: PlayerRemote {}

/// The server, as the streams of other programs see it.
package protocol ForeignDelegate: AnyObject {
    /// The media players of other programs; `nil` without a message bus.
    var playerRemote: (any PlayerRemote)? { get }
    /// The processes of clients that have sessions of their own, and this one, with those sessions.
    var sessionsOfProcesses: [Int32: [SessionID]] { get }
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// Watches the streams at the configured sound servers, by their addresses, until what it returns is released.
    ///
    /// - Parameters:
    ///   - limit: How many streams may be told of.
    ///   - tell: Called on any thread, with the sound server's address.
    func watchStreams(
        limit: Int,
        _ tell: @escaping @Sendable (String, PulseStreamNews) -> Void
    ) -> [String: any StreamWatch]
}
