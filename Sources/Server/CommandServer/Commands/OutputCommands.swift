internal import LineProtocol
internal import OutputGroups
internal import Zones

/// Where sound goes (the manual's section "Audio output devices").
///
/// An output's number is its place among all outputs of all zones, so that `outputs` in any zone and `moveoutput` mean
/// the same one; a zone shows its own.
let outputCommands: [Command] = [
    .plain("outputs", .read) { client in
        for (number, output) in client.outputs.enumerated() {
            client.reply.line("outputid", number)
            client.reply.line("outputname", output.name)
            client.reply.line("plugin", output.plugin.rawValue)
            client.reply.line("outputenabled", output.isEnabled)
            for (key, value) in output.attributes.sorted(by: { $0.key < $1.key }) {
                client.reply.line("attribute", "\(key)=\(value)")
            }
        }
    },
    .plain("enableoutput", .admin, .unsigned("OUTPUTID")) { client, number in
        try client.setEnabled(true, client.output(number))
    },
    .plain("disableoutput", .admin, .unsigned("OUTPUTID")) { client, number in
        try client.setEnabled(false, client.output(number))
    },
    .plain("toggleoutput", .admin, .unsigned("OUTPUTID")) { client, number in
        let output = try client.output(number)
        client.setEnabled(!output.isEnabled, output)
    },
    .plain("outputset", .admin, .unsigned("OUTPUTID"), .text("NAME"), .text("VALUE")) { client, number, key, value in
        let output = try client.output(number)
        guard output.attributes[key] != nil else { throw AckError(.badArgument, "Unsupported attribute") }
        client.server.outputs[client.zone.name]?.setAttribute(key, to: value, of: output.name)
    },
    Command("moveoutput", .admin, .text("NAME")) { client, name in
        let server = client.server
        guard let target = server.outputs[client.zone.name] else { return .done }
        if target.members.contains(where: { $0.name == name }) { return .done }
        guard let source = server.outputs.values.first(where: { $0.members.contains { $0.name == name } }) else {
            throw AckError(.doesNotExist, "No such output")
        }
        return server.perform(for: client) {
            if let output = source.remove(name) { target.insert(output) }
        } then: { [unowned server] in
            server.outputsChanged()
            server.note(.output)
            return .done
        }
    },
]

extension Client {
    fileprivate var outputs: [OutputState] { server.outputs[zone.name]?.members ?? [] }

    fileprivate func output(_ number: Int) throws(AckError) -> OutputState {
        let outputs = outputs
        guard outputs.indices.contains(number) else { throw AckError(.doesNotExist, "No such audio output") }
        return outputs[number]
    }

    fileprivate func setEnabled(_ isEnabled: Bool, _ output: OutputState) {
        guard output.isEnabled != isEnabled else { return }
        server.outputs[zone.name]?.setEnabled(isEnabled, output.name)
    }
}
