internal import Authorization
internal import LineProtocol
internal import OutputGroups
internal import ServerRooms
internal import Zones

/// A zone, by its name.
struct ZoneObject: NamedObject {
    let zone: Zone

    init(named word: String, for client: Client, _: GatePass) throws { zone = try client.server.rooms.known(word) }

    func zones(in server: ServerAssembly) -> [String] { [zone.name] }
}

extension Zone: ActedOn {
    func zones(in server: ServerAssembly) -> [String] { [name] }
}

/// A sink of a sound server: acting there is heard by the zones that play to it.
struct SinkObject: ActedOn {
    /// A sink's name, or `default` for the sound server's default sink.
    let name: String
    /// The zone from which it is named.
    let zone: Zone

    func zones(in server: ServerAssembly) -> [String] {
        server.rooms.namesOfZones(concernedAt: [server.rooms.place(ofSink: name, in: zone)])
    }
}

/// An output of the client's zone, by its number.
struct NumberedOutput: NamedObject {
    let state: OutputState
    let room: Room

    init(named word: String, for client: Client, _: GatePass) throws {
        let number = try parseInteger(word, in: 0...Int(Int32.max))
        guard let room = client.server.rooms[client.zone], room.outputs.members.indices.contains(number) else {
            throw AckError(.doesNotExist, "No such audio output")
        }
        (self.room, state) = (room, room.outputs.members[number])
    }

    func zones(in server: ServerAssembly) -> [String] { [room.zone.name] }
}

/// An output of any zone, by its name.
struct NamedOutput: NamedObject {
    let name: String
    /// The room that has the output.
    let room: Room

    init(named word: String, for client: Client, _: GatePass) throws {
        guard let room = client.server.rooms.owner(ofOutput: word) else {
            throw AckError(.doesNotExist, "No such output")
        }
        (self.room, name) = (room, word)
    }

    func zones(in server: ServerAssembly) -> [String] { [room.zone.name] }
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
