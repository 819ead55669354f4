internal import Configuration
internal import LineProtocol
internal import OutputGroups
internal import Zones

/// Partitions, which are our zones (the manual's section "Partition commands").
let zoneCommands: [Command] = [
    .plain("partition", .read, .text("NAME")) { client, name in
        guard let zone = client.server.zone(named: name) else {
            throw AckError(.doesNotExist, "partition does not exist")
        }
        client.zone = zone
    },
    .plain("listpartitions", .read) { client in
        for zone in client.server.zones { client.reply.line("partition", zone.name) }
    },
    .plain("newpartition", .admin, .text("NAME")) { client, name in
        let isWord = name.utf8.allSatisfy { byte in
            byte == 0x5f || byte == 0x2d || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        }
        guard !name.isEmpty, isWord else { throw AckError(.badArgument, "bad name") }
        guard client.server.zone(named: name) == nil else { throw AckError(.alreadyExists, "name already exists") }
        client.server.addZone(ZoneSettings(name: name, stream: client.server.configuration.stream))
        client.server.keeper?.zoneListChanged()
        client.server.note(.partition)
    },
    .plain("delpartition", .admin, .text("NAME")) { client, name in
        let server = client.server
        guard let zone = server.zone(named: name) else { throw AckError(.doesNotExist, "no such partition") }
        guard zone !== server.defaultZone else {
            throw AckError(.unknownCommand, "cannot delete the default partition")
        }
        guard !server.clients.values.contains(where: { $0.zone === zone }) else {
            throw AckError(.unknownCommand, "partition still has clients")
        }
        guard server.outputs[name]?.members.isEmpty ?? true else {
            throw AckError(.unknownCommand, "partition still has outputs")
        }
        server.removeZone(zone)
    },
]
