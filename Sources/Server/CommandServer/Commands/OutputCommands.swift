internal import Authorization
internal import LineProtocol
internal import OutputGroups
internal import Outputs
internal import ServerBasics
internal import ServerRooms
internal import ServerZones
internal import Threads
internal import Zones

/// Audio outputs (the manual's section "Audio output devices").
///
/// An output's number is its place among all outputs of all zones, so that `outputs` in any zone and `moveoutput` use
/// the same numbers; each zone lists only its own outputs.
let outputCommands: [Command] = [
    .plain("outputs", .read, library: .nothing) { client in
        for (number, output) in client.outputs.enumerated() {
            client.reply.line("outputid", number)
            client.reply.line("outputname", output.name)
            client.reply.line("plugin", output.plugin.rawValue)
            client.reply.line("outputenabled", output.isEnabled)
            if let path = client.server.rooms[client.zone]?.path(to: output) {
                client.reply.line("attribute", "sound=\(path)")
            }
            if let error = output.error { client.reply.line("attribute", "error=\(error)") }
            for (key, value) in output.attributes.sorted(by: { $0.key < $1.key }) {
                client.reply.line("attribute", "\(key)=\(value)")
            }
        }
    },
    .plain("enableoutput", .outputs, library: .nothing, .text("OUTPUTID")) { client, number in
        try client.output(number).setEnabled(true)
    },
    .plain("disableoutput", .outputs, library: .nothing, .text("OUTPUTID")) { client, number in
        try client.output(number).setEnabled(false)
    },
    .plain("toggleoutput", .outputs, library: .nothing, .text("OUTPUTID")) { client, number in
        let output = try client.output(number)
        output.setEnabled(!output.state.isEnabled)
    },
    .plain("outputset", .outputs, library: .nothing, .text("OUTPUTID"), .text("NAME"), .text("VALUE")) {
        client,
        number,
        key,
        value in
        let output = try client.output(number)
        guard output.state.attributes[key] != nil else { throw AckError(.badArgument, "Unsupported attribute") }
        do throws(AttributeProblem) {
            try output.room.outputs.setAttribute(key, to: value, of: output.state.name)
        } catch {
            throw AckError(.badArgument, error.description)
        }
    },
    Command("moveoutput", .outputs, library: .nothing, .text("NAME")) { client, name in
        let server = client.server
        let output = try client.object(NamedOutput.self, name, in: server.rooms, to: .moveOutput)
        guard let target = server.rooms[client.zone], target !== output.room else { return .done }
        return try server.zones.changeOutputs(of: [output.room, target], for: client) {
            [source = output.room.outputs, target = target.outputs, name = output.name] in
            if let output = source.remove(name) { target.insert(output) }
        } then: { [unowned server] in
            server.zones.outputsChanged()
            server.note(.output)
            return .done
        }
    },
]

extension Client {
    fileprivate var outputs: [OutputState] { server.rooms[zone]?.outputs.members ?? [] }

    /// The output of a number, for a client that may change it.
    fileprivate func output(_ number: String) throws -> NumberedOutput {
        try object(NumberedOutput.self, number, in: server.rooms, to: .setOutput)
    }
}

extension NumberedOutput {
    fileprivate func setEnabled(_ isEnabled: Bool) {
        guard state.isEnabled != isEnabled else { return }
        room.outputs.setEnabled(isEnabled, state.name)
    }
}
