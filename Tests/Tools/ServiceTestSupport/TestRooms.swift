import AudioTypes
import Mixers
package import OutputGroups
internal import Outputs
import Playlists
package import ServerBasics
package import ServerRooms
package import Settings
import Songs
package import TestSupport
package import Zones

/// Rooms on null outputs, of which some stand for a sound server's.
package struct TestRooms {
    package let configuration: CurrentConfiguration
    package let rooms: Rooms
    /// Counts the changes of outputs.
    package let changes = Watched(0)

    /// - Parameter zones: The configured zones.
    package init(_ zones: [ZoneSettings] = [ZoneSettings(name: ZoneSettings.defaultName)]) {
        var configuration = Configuration(defaultsFor: .process)
        configuration.zones = zones
        self.configuration = CurrentConfiguration(configuration)
        rooms = Rooms(self.configuration)
    }

    /// Adds a room with a zone that has no player: it decides as it does with one.
    @discardableResult
    package func add(_ name: String, _ outputs: OutputDescription...) -> Room { add(name, outputs, dependencies: nil) }

    @discardableResult
    package func add(_ name: String, _ outputs: [OutputDescription], dependencies: ZoneDependencies?) -> Room {
        let group = OutputGroup { [changes] _ in changes.withLock { $0 += 1 } }
        for output in outputs { group.add(output) }
        let zone = Zone(
            name: name,
            capacity: 1_000,
            seed: 1,
            dependencies
                ?? ZoneDependencies(medium: { MediaEntry(location: $0.uri) }, changed: { _, _ in })
        )
        let room = Room(zone, group, Mixer(group))
        rooms.add(room)
        return room
    }

    /// Opens a zone's output at another sink, as a client's route does.
    package func move(_ output: String, of zone: Zone, to sink: String?, at server: String? = nil) {
        rooms[zone]?.outputs.replace(with: .soundServer(output, sink, at: server), route: nil)
        rooms[zone]?.route = sink ?? "default"
    }

    /// Waits until an output's state is as it should be.
    package func wait(
        for output: String,
        in room: Room,
        _ condition: @escaping @Sendable (OutputState) -> Bool
    ) async throws {
        let group = room.outputs
        let isThere = await changes.wait(within: .patience) { _ in
            group.members.contains { $0.name == output && condition($0) }
        }
        if !isThere { throw Missing(what: "a state of \(output); it is \(group.members)") }
    }

    package struct Missing: Error {
        package let what: String

        package init(what: String) { self.what = what }
    }
}

extension OutputDescription {
    /// Nowhere, as if it were a sound server's.
    package static func soundServer(
        _ name: String,
        _ device: String? = nil,
        at server: String? = nil
    ) -> OutputDescription {
        OutputDescription(name: name, plugin: .pulse, server: server, device: device) { NullOutput(format: $0) }
    }

    /// A sound server that does not answer.
    package static func lostServer(_ name: String, _ device: String? = nil) -> OutputDescription {
        OutputDescription(name: name, plugin: .pulse, device: device) { _ in throw NoServer() }
    }

    package static func nowhere(_ name: String, hasVolume: Bool = true) -> OutputDescription {
        OutputDescription(name: name, plugin: .null, mixer: hasVolume ? .software : .none) { NullOutput(format: $0) }
    }

    private struct NoServer: Error, CustomStringConvertible {
        var description: String { "connection refused" }
    }
}
