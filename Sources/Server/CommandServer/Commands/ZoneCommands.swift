internal import LineProtocol
internal import OutputGroups
internal import ServerBasics
internal import ServerRooms
internal import ServerZones
internal import Settings
internal import Zones

/// MPD's partitions, which are Segue's zones (the manual's section "Partition commands").
let zoneCommands: [Command] = [
    .plain("partition", .read, library: .nothing, .zone("NAME")) { client, name in
        guard let zone = client.server.rooms.zone(named: name) else {
            throw AckError(.doesNotExist, "partition does not exist")
        }
        client.zone = zone
    }
    .notForSchedules(),
    .plain("listpartitions", .read, library: .nothing) { client in
        for zone in client.server.rooms.zones { client.reply.line("partition", zone.name) }
    },
    Command("newpartition", .outputs, library: .nothing, .text("NAME")) { client, name in
        let isWord = name.utf8.allSatisfy { byte in
            byte == 0x5f || byte == 0x2d || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        }
        guard (1...64).contains(name.utf8.count), isWord else { throw AckError(.badArgument, "bad name") }
        // The new zone takes outputs that the configuration gives it from the default one.
        try client.require(.addZone, on: client.server.rooms.defaultZone)
        let (server, limit) = (client.server, client.server.limits.maxZones)
        guard server.rooms.count < limit else { throw exceeds("max-zones", limit, .system) }
        guard !server.rooms.isTaken(name) else {
            throw AckError(.alreadyExists, "name already exists")
        }
        return try server.zones.make(name, for: client)
    },
    .plain("delpartition", .outputs, library: .nothing, .zone("NAME")) { client, name in
        let server = client.server
        guard let zone = server.rooms.zone(named: name) else { throw AckError(.doesNotExist, "no such partition") }
        guard zone !== server.rooms.defaultZone else {
            throw AckError(.unknownCommand, "cannot delete the default partition")
        }
        guard !server.zones.isConfigured(name) else {
            throw AckError(
                .system,
                "the configuration has zone \(name): remove it there, or until the next start with "
                    + "'zone remove \(name)'"
            )
        }
        guard server.clients.in(zone).isEmpty else {
            throw AckError(.unknownCommand, "partition still has clients")
        }
        guard server.rooms[zone]?.outputs.members.isEmpty ?? true else {
            throw AckError(.unknownCommand, "partition still has outputs")
        }
        server.zones.remove(zone)
    },
]
