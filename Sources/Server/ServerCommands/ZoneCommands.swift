internal import LineProtocol
internal import OutputGroups
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import ServerZones
internal import Settings
internal import Zones

/// MPD's partitions, which are Segue's zones (the manual's section "Partition commands").
let zoneCommands: [Row<ZoneServices>] = [
    .plain("partition", .read, library: .nothing, .zone("NAME")) { request, name in
        guard let zone = request.rooms.zone(named: name) else {
            throw AckError(.doesNotExist, "partition does not exist")
        }
        let former = request.zone
        request.zone = zone
        guard former !== zone, !request.client.subscriptions.channels.isEmpty else { return }
        // Each zone has the channels of its clients.
        for zone in [former, zone] { request.notify(.subscription, in: zone) }
    }
    .notForSchedules(),
    .plain("listpartitions", .read, library: .nothing, reply: .records(.zones)) { request in
        for zone in request.rooms.zones { request.reply.line("partition", zone.name) }
    },
    Row("newpartition", .outputs, library: .nothing, .text("NAME")) { request, name in
        let isWord = name.utf8.allSatisfy { byte in
            byte == 0x5f || byte == 0x2d || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        }
        guard (1...64).contains(name.utf8.count), isWord else { throw AckError(.badArgument, "bad name") }
        // The new zone takes outputs that the configuration gives it from the default one.
        try request.client.require(.addZone, on: request.rooms.defaultZone)
        let limit = request.limits.maxZones
        guard request.rooms.count < limit else { throw exceeds("max-zones", limit, .system) }
        guard !request.rooms.isTaken(name) else {
            throw AckError(.alreadyExists, "name already exists")
        }
        return try request.services.zones.make(name, for: request.connection)
    },
    .plain("delpartition", .outputs, library: .nothing, .zone("NAME")) { request, name in
        guard let zone = request.rooms.zone(named: name) else { throw AckError(.doesNotExist, "no such partition") }
        guard zone !== request.rooms.defaultZone else {
            throw AckError(.unknownCommand, "cannot delete the default partition")
        }
        guard !request.services.zones.isConfigured(name) else {
            throw AckError(
                .system,
                "the configuration has zone \(name): remove it there, or until the next start with "
                    + "'zone remove \(name)'"
            )
        }
        guard request.services.connections.in(zone).isEmpty else {
            throw AckError(.unknownCommand, "partition still has clients")
        }
        guard request.rooms[zone]?.outputs.members.isEmpty ?? true else {
            throw AckError(.unknownCommand, "partition still has outputs")
        }
        request.services.zones.remove(zone)
    },
]
