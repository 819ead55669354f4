import ArgumentParser
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// An output in the reply of `outputs`.
struct OutputBlock: Hashable {
    let reply: ServerReply
    var id: String
    var name: String
    var plugin: String?
    var isEnabled: Bool
    var attributes: [String]

    init(_ block: ServerReply) {
        reply = block
        id = block["outputid"] ?? ""
        name = block["outputname"] ?? ""
        plugin = block["plugin"]
        isEnabled = block["outputenabled"] == "1"
        attributes = block.values("attribute")
    }

    /// Whether it was moved to another zone; MPD shows a dummy instead.
    var isElsewhere: Bool { plugin == "dummy" }

    /// The displayed number, from 1, as in mpc.
    var number: Int { (Int(id) ?? 0) + 1 }
}

struct OutputReport: Report {
    var outputs: [OutputBlock]

    var plainLines: [String] {
        outputs.map { "Output \($0.number) (\($0.name)) is \($0.isEnabled ? "enabled" : "disabled")" }
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(isRight: true, style: .faint), .init(style: .good), .init(style: .strong, isFlexible: true), .init(),
            .init(style: .faint, isFlexible: true),
        ])
        for output in outputs {
            let attributes = output.attributes.joined(separator: ", ")
            table.add(
                [
                    "\(output.number)", output.isEnabled ? "on" : "off", output.name,
                    output.isElsewhere ? "in another zone" : output.plugin ?? "", attributes,
                ],
                output.isEnabled ? nil : .faint
            )
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var json: [JSON] { outputs.map { $0.reply.record(.outputs) } }
}

extension Session {
    func outputs() throws(RemoteError) -> [OutputBlock] {
        try run("outputs").groups(startingWith: "outputid").map(OutputBlock.init)
    }

    /// The outputs given by number or name.
    func outputs(named words: [String]) throws -> (chosen: [OutputBlock], others: [OutputBlock]) {
        let all = try outputs()
        let chosen = try words.map { word in
            // A name that looks like a number has precedence.
            guard let output = all.first(where: { $0.name == word }) ?? all.first(where: { "\($0.number)" == word })
            else { throw fail("there is no output '\(word)'; 'segue outputs' lists them") }
            return output
        }
        return (chosen, all.filter { output in !chosen.contains(output) })
    }

    func showOutputs() throws {
        guard !options.quiet else { return }
        console.print(OutputReport(outputs: try outputs()))
    }
}

struct OutputsVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("outputs", "List the zone's outputs.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws { session.console.print(OutputReport(outputs: try session.outputs())) }
}

/// The arguments of the verbs that turn outputs on and off.
struct OutputNames: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Numbers or names, as 'segue outputs' lists them.", valueName: "output"),
        completion: ServerNames.outputs
    )
    var words: [String]

    /// mpc's `enable only 1` turns all others off.
    var isOnly: Bool { words.count > 1 && words[0] == "only" }
    var names: [String] { isOnly ? Array(words.dropFirst()) : words }
}

struct EnableVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "enable",
        "Turn outputs on; with only, all others off.",
        "[only] <output> ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var names: OutputNames

    func run(on session: Session) throws {
        let (chosen, others) = try session.outputs(named: names.names)
        let off = names.isOnly ? others.map { Request("disableoutput", $0.id) } : []
        try session.connection.run(chosen.map { Request("enableoutput", $0.id) } + off)
        try session.showOutputs()
    }
}

struct DisableVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "disable",
        "Turn outputs off; with only, all others on.",
        "[only] <output> ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var names: OutputNames

    func run(on session: Session) throws {
        let (chosen, others) = try session.outputs(named: names.names)
        let on = names.isOnly ? others.map { Request("enableoutput", $0.id) } : []
        try session.connection.run(on + chosen.map { Request("disableoutput", $0.id) })
        try session.showOutputs()
    }
}

struct ToggleOutputVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("toggleoutput", "Turn outputs on or off.", "<output> ...")
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var names: OutputNames

    func run(on session: Session) throws {
        let (chosen, _) = try session.outputs(named: names.words)
        try session.connection.run(chosen.map { Request("toggleoutput", $0.id) })
        try session.showOutputs()
    }
}

struct OutputSetVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "outputset",
        "Set an attribute of an output.",
        "<output> <name>=<value>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A number or name, as 'segue outputs' lists them.", completion: ServerNames.outputs)
    var output: String
    @Argument(help: ArgumentHelp("The attribute and its value.", valueName: "name=value")) var setting: String

    func validate() throws {
        if !setting.dropFirst().contains("=") { throw ValidationError("write the attribute as name=value") }
    }

    func run(on session: Session) throws {
        let (chosen, _) = try session.outputs(named: [output])
        let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        for output in chosen { try session.run("outputset", output.id, String(parts[0]), String(parts[1])) }
        try session.showOutputs()
    }
}

struct MoveOutputVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "moveoutput",
        "Move an output to a zone, which --zone names.",
        "--zone <zone> <output>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "Its name.", completion: ServerNames.outputs) var output: String

    func run(on session: Session) throws {
        try session.run("moveoutput", output)
        try session.showOutputs()
    }
}
