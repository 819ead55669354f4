import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct RouteVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Show where a zone is heard, and why; send it to another sink; follow its changes.",
        usage: "segue route ls|set|follow [<options>] ...",
        discussion: "A zone is heard at the sinks of its outputs. --zone chooses the zone.",
        subcommands: [List.self, Set.self, Follow.self],
        defaultSubcommand: List.self
    )
}

/// An output in the reply of `route outputs`.
private struct RoutedOutput {
    let name: String
    let isEnabled: Bool
    /// The sink where it is heard; `nil` while there is none.
    let sink: String?
    let wanted: String
    let reason: String?
    let previous: String?
    let lost: String?

    init(_ block: ServerReply) {
        func value(_ key: String) -> String? { block[key].flatMap { $0.isEmpty ? nil : $0 } }
        name = block["output"] ?? ""
        isEnabled = block["enabled"] == "1"
        sink = value("sink")
        wanted = block["wanted"] ?? "default"
        reason = value("reason")
        previous = value("previousroute")
        lost = value("lost")
    }

    var plainLine: String { "\(name)\t\(sink ?? "")\t\(remark)" }

    /// Why it is heard there, or not at all.
    var remark: String {
        if let lost { return lost }
        guard isEnabled else { return "off" }
        guard let reason, let previous, previous != sink else { return reason ?? "" }
        return "\(reason), from \(previous)"
    }
}

extension Session {
    fileprivate func printRoutes() throws {
        let reply = try run("route", "outputs")
        let outputs = reply.groups(startingWith: "output").map(RoutedOutput.init)
        switch console.form {
        case .json: for record in reply.records(.routedOutputs) { console.print(record) }
        case .plain: for output in outputs { console.print(output.plainLine) }
        case .terminal(let width):
            var table = TextTable([
                .init(style: .strong, isFlexible: true), .init(isFlexible: true),
                .init(style: .faint, isFlexible: true),
            ])
            for output in outputs {
                table.add(
                    [output.name, output.sink ?? "nowhere", output.remark],
                    output.lost != nil ? .attention : output.isEnabled ? nil : .faint
                )
            }
            console.print(table, width: width)
        }
        console.flush()
    }
}

extension RouteVerb {
    struct List: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "ls",
            "List the zone's outputs to sound servers: where each is heard, and why there.",
            parent: "route"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws { try session.printRoutes() }
    }

    struct Set: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "set",
            "Send the zone to another sink, or to the sound server's default one.",
            "<sink>|default",
            parent: "route"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "The sink's name, as 'segue devices' shows it, or default.") var sink: String

        func run(on session: Session) throws {
            try session.run("route", "set", sink)
            try session.printRoutes()
        }
    }

    struct Follow: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "follow",
            "List the zone's outputs, and again whenever one is heard elsewhere.",
            parent: "route"
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            try session.printRoutes()
            while true {
                _ = try session.connection.idle(["route", "output"])
                try session.printRoutes()
            }
        }
    }
}
