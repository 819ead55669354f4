internal import Authorization
internal import LineProtocol
internal import OutputGroups
internal import ServerRooms
internal import Zones

/// A zone, by its name.
struct ZoneObject: NamedObject {
    let zone: Zone

    var zones: [String] { zone.zones }

    init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        zone = try rooms.known(word)
    }
}

extension Zone: ActedOn {
    var zones: [String] { [name] }
}

/// All zones at once, for what is heard or counts in each: the switches of sessions, and the list of holidays.
struct AllZones: ActedOn {
    let zones: [String]

    init(_ rooms: Rooms) { zones = rooms.zones.map(\.name) }
}

/// A sink of a sound server: acting there is heard by the zones that play to it.
struct SinkObject: ActedOn {
    let zones: [String]

    /// - Parameters:
    ///   - name: A sink's name, or `default` for the sound server's default sink.
    ///   - zone: The zone from which it is named.
    init(_ name: String, from zone: Zone, in rooms: Rooms) {
        zones = rooms.namesOfZones(concernedAt: [rooms.place(ofSink: name, in: zone)])
    }
}

/// An output of the client's zone, by its number.
struct NumberedOutput: NamedObject {
    let state: OutputState
    let room: Room

    var zones: [String] { room.zone.zones }

    init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        let number = try parseInteger(word, in: 0...Int(Int32.max))
        guard let room = rooms[client.zone], room.outputs.members.indices.contains(number) else {
            throw AckError(.doesNotExist, "No such audio output")
        }
        (self.room, state) = (room, room.outputs.members[number])
    }
}

/// An output of any zone, by its name.
struct NamedOutput: NamedObject {
    let name: String
    /// The room that has the output.
    let room: Room

    var zones: [String] { room.zone.zones }

    init(named word: String, for client: Client, in rooms: Rooms, _: AccessProof) throws {
        guard let room = rooms.owner(ofOutput: word) else {
            throw AckError(.doesNotExist, "No such output")
        }
        (self.room, name) = (room, word)
    }
}

extension Action {
    static let setOutput = Action("outputs", .outputs)
    static let moveOutput = Action("moveoutput", .outputs)
    static let setRoute = Action("route set", .outputs)
    static let openSessionAtSink = Action("session open", .player)
    static let addZone = Action("newpartition", .outputs)
    static let handOver = Action("zone handover", .outputs)
    static let removeZone = Action("zone remove", .outputs)
}
