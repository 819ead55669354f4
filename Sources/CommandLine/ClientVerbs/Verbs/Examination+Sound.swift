import CommandOptions
import Glibc
import ProtocolClient
import TerminalText

/// Whether sound comes out, and media keys come in.
extension Examination {
    mutating func examineOutputs() throws {
        guard commands.contains("outputs") else { return }
        let outputs = try session.outputs().filter { !$0.isElsewhere }
        let enabled = outputs.filter(\.isEnabled)
        if outputs.isEmpty {
            add(
                "outputs",
                .problem,
                "there is none",
                "Declare one in the server's configuration, or move one here: \(inZone("segue moveoutput"))"
            )
        } else if enabled.isEmpty {
            add("outputs", .problem, "all are off", inZone("segue enable \(outputs[0].number)"))
        } else if enabled.allSatisfy({ $0.plugin == "null" }) {
            add(
                "outputs",
                .warning,
                "\(enabled.map(\.name).joined(separator: ", ")): plays silently",
                "Declare an output for your sound server in the server's configuration"
            )
        } else {
            add(
                "outputs",
                .good,
                enabled.map { $0.name + ($0.plugin.map { " (\($0))" } ?? "") }.joined(separator: ", ")
            )
        }
    }

    /// Lists the sound systems of the server's machine, if that is this one; to be called after `examineSoundServer`.
    mutating func examineMachine() throws {
        guard commands.contains("outputs"), session.connection.address.isLocal else { return }
        let plugins = try session.outputs().filter { !$0.isElsewhere && $0.isEnabled }.compactMap(\.plugin)
        guard plugins.contains("pulse") || plugins.contains("alsa") else { return }
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        var system = SoundSystem(runtime: runtime)
        system.hasOtherServer = findings.contains { $0.check == "sound server" && $0.result == .good }
        let isMissing =
            !system.hasPulseAudio && !system.hasOtherServer && plugins.contains("pulse") && system.cards > 0
        add(
            "sound system",
            system.isNone || isMissing ? .warning : .good,
            system.text,
            isMissing ? "Start a sound server, or declare an output of the type alsa in segued.toml" : nil
        )
    }

    /// Whether the devices that outputs play to are there.
    mutating func examineDevices() throws {
        guard commands.contains("outputs"), commands.contains("route") else { return }
        let outputs = try session.outputs().filter { !$0.isElsewhere && $0.isEnabled && $0.plugin == "alsa" }
        guard !outputs.isEmpty else { return }
        for route in try session.run("route", "outputs").groups(startingWith: "output") {
            guard outputs.contains(where: { $0.name == route["output"] }) else { continue }
            if route["lost"] != nil {
                examineRoute(of: route)
            } else if let device = route["sink"], !device.isEmpty {
                add("device", .good, device + (route["format"].map { ", \($0)" } ?? ""))
            }
        }
    }

    /// Makes the server query its sound server, which it may not have needed yet.
    mutating func examineSoundServer() throws {
        guard commands.contains("outputs"), commands.contains("route") else { return }
        let outputs = try session.outputs().filter { !$0.isElsewhere && $0.isEnabled && $0.plugin == "pulse" }
        guard !outputs.isEmpty else { return }
        do throws(RemoteError) {
            let sinks = try session.run("route", "list").groups(startingWith: "sink")
            let advice = "Connect an audio device, or load one into the sound server"
            if sinks.isEmpty { return add("sound server", .problem, "has no sink: no sound will be heard", advice) }
            add("sound server", .good, count(sinks.count, "sink"))
            for sink in sinks where sink["current"] == "1" { examine(sink) }
            for output in try session.run("route", "outputs").groups(startingWith: "output") {
                examineRoute(of: output)
            }
        } catch {
            guard let refusal = error.refusal else { throw error }
            add("sound server", .problem, "no sound will be heard: \(refusal.text)")
        }
    }

    /// Whether something can be heard at a sink that the zone plays to.
    private mutating func examine(_ sink: ServerReply) {
        guard let name = sink["sink"], let level = sink["volume"].flatMap({ Double($0) }) else { return }
        if sink["muted"] == "1" {
            add("sink", .warning, "\(name) is muted: nothing can be heard", "pactl set-sink-mute \(name) 0")
        } else if level == 0 {
            add("sink", .warning, "\(name) is at 0%: nothing can be heard", "pactl set-sink-volume \(name) 50%")
        } else {
            let type = sink["porttype"].map { " (\($0))" } ?? ""
            add("sink", .good, "\(name)\(type) at \(Int(saturating: level * 100))%")
        }
    }

    /// Whether an output has the sink that it wants.
    ///
    /// - Parameter zone: The zone that it is in, unless that is the one examined.
    private mutating func examineRoute(of output: ServerReply, in zone: String? = nil) {
        guard output["enabled"] == "1", let name = output["output"], let lost = output["lost"] else { return }
        let place = zone.map { "\(name) in zone \($0)" } ?? name
        let command = inZone("segue route set default", zone)
        add("route", .problem, "\(place): \(lost)", "Connect it, or play elsewhere: \(command)")
    }

    /// Whether outputs of the other zones have the sinks that they want.
    mutating func examineOtherZones() throws {
        guard commands.contains("route"), let own = zone else { return }
        for other in zones where other != own {
            // One that the client may not enter is none of its business.
            guard (try? session.run("partition", other)) != nil else { continue }
            defer { _ = try? session.run("partition", own) }
            for output in try session.run("route", "outputs").groups(startingWith: "output") {
                examineRoute(of: output, in: other)
            }
        }
    }

    /// Whether media keys and desktops reach the server.
    mutating func examineBus() throws {
        guard commands.contains("session"), let reply = try? session.run("session", "players") else { return }
        switch reply["mpris"] {
        case "connected": add("media keys", .good, reply["player"] ?? "")
        case "disconnected":
            add(
                "media keys",
                .warning,
                "the server finds no message bus (D-Bus): media keys and desktops do not reach it",
                "Run it as a service of your session: systemctl --user restart segued"
            )
        case "unavailable": add("media keys", .good, "not used: the server is not part of a user's session")
        case "off": add("media keys", .good, "off: mpris = false")
        default: break
        }
    }

    /// Whether other programs give way to the server's sound.
    mutating func examineForeign() throws {
        guard commands.contains("session"), let reply = try? session.run("session", "foreign") else { return }
        let check = "other programs"
        switch reply["foreign"] {
        case "watching":
            let streams = count(reply["streams"].flatMap { Int($0) } ?? 0, "stream")
            add(check, .good, "their sound takes part in arbitration: \(streams)")
        case "disconnected":
            add(check, .warning, "the server does not reach its sound server, so it does not see their streams")
        case "unavailable": add(check, .good, "not watched: no output plays to a sound server")
        case "off": add(check, .good, "left alone: foreign-streams = false")
        default: break
        }
    }
}
