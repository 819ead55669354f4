internal import Authorization
internal import LineProtocol
internal import OutputGroups
internal import Outputs
internal import Threads
internal import Zones

/// Audio outputs (the manual's section "Audio output devices").
///
/// An output's number is its place among all outputs of all zones, so that `outputs` in any zone and `moveoutput` use
/// the same numbers; each zone lists only its own outputs.
let outputCommands: [Command] = [
    .plain("outputs", .read) { client in
        for (number, output) in client.outputs.enumerated() {
            client.reply.line("outputid", number)
            client.reply.line("outputname", output.name)
            client.reply.line("plugin", output.plugin.rawValue)
            client.reply.line("outputenabled", output.isEnabled)
            if let path = client.server.rooms[client.zone]?.path(to: output) {
                client.reply.line("attribute", "sound=\(path)")
            }
            for (key, value) in output.attributes.sorted(by: { $0.key < $1.key }) {
                client.reply.line("attribute", "\(key)=\(value)")
            }
        }
    },
    .plain("enableoutput", .outputs, .unsigned("OUTPUTID")) { client, number in
        try client.setEnabled(true, client.output(number))
    },
    .plain("disableoutput", .outputs, .unsigned("OUTPUTID")) { client, number in
        try client.setEnabled(false, client.output(number))
    },
    .plain("toggleoutput", .outputs, .unsigned("OUTPUTID")) { client, number in
        let output = try client.output(number)
        client.setEnabled(!output.isEnabled, output)
    },
    .plain("outputset", .outputs, .unsigned("OUTPUTID"), .text("NAME"), .text("VALUE")) { client, number, key, value in
        let output = try client.output(number)
        guard output.attributes[key] != nil else { throw AckError(.badArgument, "Unsupported attribute") }
        do throws(AttributeProblem) {
            try client.server.rooms[client.zone]?.outputs.setAttribute(key, to: value, of: output.name)
        } catch {
            throw AckError(.badArgument, error.description)
        }
    },
    Command("moveoutput", .outputs, .text("NAME")) { client, name in
        let server = client.server
        guard let target = server.rooms[client.zone], !target.hasOutput(name) else { return .done }
        guard let source = server.rooms.owner(ofOutput: name) else {
            throw AckError(.doesNotExist, "No such output")
        }
        guard client.rights.permissions(in: source.zone.name).contains(.outputs) else {
            throw AckError(.permission, "you don't have permission for \"moveoutput\" in zone \(source.zone.name)")
        }
        return try server.jobs.performWholly(for: client, on: .outputs) {
            [source = source.outputs, target = target.outputs] in
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

    fileprivate func output(_ number: Int) throws(AckError) -> OutputState {
        let outputs = outputs
        guard outputs.indices.contains(number) else { throw AckError(.doesNotExist, "No such audio output") }
        return outputs[number]
    }

    fileprivate func setEnabled(_ isEnabled: Bool, _ output: OutputState) {
        guard output.isEnabled != isEnabled else { return }
        server.rooms[zone]?.outputs.setEnabled(isEnabled, output.name)
    }
}
