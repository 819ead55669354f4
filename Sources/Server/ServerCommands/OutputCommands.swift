internal import Authorization
internal import LineProtocol
internal import OutputGroups
internal import Outputs
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import ServerZones
internal import Threads
internal import Zones

/// Audio outputs (the manual's section "Audio output devices").
///
/// An output's number is its place among all outputs of all zones, so that `outputs` in any zone and `moveoutput` use
/// the same numbers; each zone lists only its own outputs.
let outputCommands: [Row<ZoneServices>] = [
    .plain("outputs", .read, library: .nothing, reply: .records(.outputs)) { request in
        for (number, output) in request.outputs.enumerated() {
            request.reply.line("outputid", number)
            request.reply.line("outputname", output.name)
            request.reply.line("plugin", output.plugin.rawValue)
            request.reply.line("outputenabled", output.isEnabled)
            if let path = request.rooms[request.zone]?.path(to: output) {
                request.reply.line("attribute", "sound=\(path)")
            }
            if let error = output.error { request.reply.line("attribute", "error=\(error)") }
            for (key, value) in output.attributes.sorted(by: { $0.key < $1.key }) {
                request.reply.line("attribute", "\(key)=\(value)")
            }
        }
    },
    .plain("enableoutput", .outputs, library: .nothing, .text("OUTPUTID").named("output", .place)) {
        request,
        number in
        try request.output(number).setEnabled(true)
    },
    .plain("disableoutput", .outputs, library: .nothing, .text("OUTPUTID").named("output", .place)) {
        request,
        number in
        try request.output(number).setEnabled(false)
    },
    .plain("toggleoutput", .outputs, library: .nothing, .text("OUTPUTID").named("output", .place)) {
        request,
        number in
        let output = try request.output(number)
        output.setEnabled(!output.state.isEnabled)
    },
    .plain(
        "outputset",
        .outputs,
        library: .nothing,
        .text("OUTPUTID").named("output", .place),
        .text("NAME"),
        .text("VALUE").named("value", .scalar)
    ) {
        request,
        number,
        key,
        value in
        let output = try request.output(number)
        guard output.state.attributes[key] != nil else { throw AckError(.badArgument, "Unsupported attribute") }
        do throws(AttributeProblem) {
            try output.room.outputs.setAttribute(key, to: value, of: output.state.name)
        } catch {
            throw AckError(.badArgument, error.description)
        }
    },
    Row("moveoutput", .outputs, library: .nothing, .text("NAME")) { request, name in
        let output = try request.object(NamedOutput.self, name, in: request.rooms, to: .moveOutput)
        guard let target = request.rooms[request.zone], target !== output.room else { return .done }
        try request.services.zones.requireNoEscape(from: [output.room.zone], request.rights)
        // When it is done, the client may have left.
        return try request.services.zones.changeOutputs(of: [output.room, target], for: request.connection) {
            [source = output.room.outputs, target = target.outputs, name = output.name] in
            if let output = source.remove(name) { target.insert(output) }
        } then: { [services = request.services] in
            services.zones.outputsChanged()
            services.common.changes.notify(.output, in: nil)
            return .done
        }
    },
]

extension Request<ZoneServices> {
    fileprivate var outputs: [OutputState] { rooms[zone]?.outputs.members ?? [] }

    /// The output of a number, for a client that may change it.
    fileprivate func output(_ number: String) throws -> NumberedOutput {
        try object(NumberedOutput.self, number, in: rooms, to: .setOutput)
    }
}

extension NumberedOutput {
    fileprivate func setEnabled(_ isEnabled: Bool) {
        guard state.isEnabled != isEnabled else { return }
        room.outputs.setEnabled(isEnabled, state.name)
    }
}
