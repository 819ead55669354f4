internal import Authorization
internal import LineProtocol
package import OutputGroups
package import ServerRooms
package import Zones

/// A zone, by its name.
package struct ZoneObject: NamedObject {
    package let zone: Zone

    package var zones: [String] { zone.zones }

    package init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        zone = try rooms.known(word)
    }
}

extension Zone: ActedOn {
    package var zones: [String] { [name] }
}

/// All zones at once, for what is heard or counts in each: the switches of sessions, and the list of holidays.
package struct AllZones: ActedOn {
    package let zones: [String]

    package init(_ rooms: Rooms) { zones = rooms.zones.map(\.name) }
}

/// A sink of a sound server: acting there is heard by the zones that play to it.
package struct SinkObject: ActedOn {
    package let zones: [String]

    /// - Parameters:
    ///   - name: A sink's name, or `default` for the sound server's default sink.
    ///   - zone: The zone from which it is named.
    package init(_ name: String, from zone: Zone, in rooms: Rooms) {
        zones = rooms.namesOfZones(concernedAt: [rooms.place(ofSink: name, in: zone)])
    }
}

/// An output of the client's zone, by its number.
package struct NumberedOutput: NamedObject {
    package let state: OutputState
    package let room: Room

    package var zones: [String] { room.zone.zones }

    package init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        let number = try parseInteger(word, in: 0...Int(Int32.max))
        guard let room = rooms[client.zone], room.outputs.members.indices.contains(number) else {
            throw AckError(.doesNotExist, "No such audio output")
        }
        (self.room, state) = (room, room.outputs.members[number])
    }
}

/// An output of any zone, by its name.
package struct NamedOutput: NamedObject {
    package let name: String
    /// The room that has the output.
    package let room: Room

    package var zones: [String] { room.zone.zones }

    package init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        guard let room = rooms.owner(ofOutput: word) else {
            throw AckError(.doesNotExist, "No such output")
        }
        (self.room, name) = (room, word)
    }
}

extension Action {
    package static let setOutput = Action("outputs", .outputs)
    package static let moveOutput = Action("moveoutput", .outputs)
    package static let setRoute = Action("route set", .outputs)
    package static let openSessionAtSink = Action("session open", .player)
    package static let addZone = Action("newpartition", .outputs)
    package static let handOver = Action("zone handover", .outputs)
    package static let setCeiling = Action("ceiling set", .owner)
    package static let removeZone = Action("zone remove", .outputs)
}
