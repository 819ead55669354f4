package import DBus
package import MusicDirectories
package import OutputGroups
package import Outputs
package import PictureWorkers
package import PlaylistStore
package import ServerAnnouncements
internal import ServerRequests
package import ServerRooms
package import Settings

/// The parts that a server is built from.
package struct ServerParts: Sendable {
    package var configuration: Configuration
    /// `nil` when no usable folder is configured.
    package var music: MusicDirectory?
    package var playlists: StoredPlaylists?
    /// Makes the outputs of a zone; the callback gets the name of an output whose state changes.
    package var makeOutputs: @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup
    /// Whether state is read from and written to the configuration's folder.
    package var keepsState = true
    /// Describes how one output is opened, given its settings and its zone's name.
    package var describeOutput: @Sendable (Output, String) -> OutputDescription
    /// Lists the sound server's sinks; blocks.
    package var sinks: @Sendable () throws -> [Sink]
    /// Watches the sinks of the configured sound servers until what it returns is released: each change comes with the
    /// server's address, empty for the default, all its sinks, none while it is away, and whether it has a source.
    package var watchSinks: @Sendable (@escaping @Sendable (String, [Sink], Bool) -> Void) -> any Sendable
    /// Watches the streams of other programs at the configured sound servers, by their addresses, until what it returns is
    /// released; takes how many it may tell of.
    package var watchStreams:
        @Sendable (Int, @escaping @Sendable (String, PulseStreamNews) -> Void) -> [String: StreamObservation] = {
            _,
            _ in [:]
        }
    /// Stops the server.
    package var stop: @Sendable () -> Void
    /// Speaks a text with a voice into a file, which is removed after playback; blocks.
    package var speak: Speak
    /// Makes pictures small; `nil` where no program does.
    package var pictures: PictureStore?
    /// The message bus on which zones are players; `nil` for none.
    package var bus: BusAddress?
    /// The machine's message bus, which tells of its sleep; `nil` for none.
    package var systemBus: BusAddress?
    /// Logs one line for the person who runs the server.
    package var log: @Sendable (LogLevel, String) -> Void

    package init(
        configuration: Configuration,
        music: MusicDirectory?,
        playlists: StoredPlaylists?,
        makeOutputs: @escaping @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup,
        describeOutput: @escaping @Sendable (Output, String) -> OutputDescription,
        sinks: @escaping @Sendable () throws -> [Sink],
        watchSinks: @escaping @Sendable (@escaping @Sendable (String, [Sink], Bool) -> Void) -> any Sendable,
        stop: @escaping @Sendable () -> Void,
        speak: @escaping Speak,
        pictures: PictureStore?,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.music = music
        self.playlists = playlists
        self.makeOutputs = makeOutputs
        self.describeOutput = describeOutput
        self.sinks = sinks
        self.watchSinks = watchSinks
        self.stop = stop
        self.speak = speak
        self.pictures = pictures
        self.log = log
    }
}
