package import JSONRPC
package import LineProtocol

/// A method of JSON-RPC: a command, such as `status`, or a command and its verb, such as `alarm.add`.
package struct Method {
    package let name: String
    package let command: Command
    /// `nil` for the bare name of a command that needs a verb; then its arguments have no names.
    package let form: RequestForm?

    /// The words of MPD's protocol that a call's arguments stand for.
    ///
    /// - Throws: An argument is missing, unknown or of the wrong type.
    package func words(_ arguments: RPCCall.Arguments) throws(AckError) -> [String] {
        switch arguments {
        case .named(let fields):
            if let form { return try form.words(of: fields) }
            guard fields.isEmpty else {
                let verbs = command.forms.compactMap(\.verb).map { "\(command.name).\(dotted($0))" }
                throw AckError(.badArgument, "the methods with named arguments are \(verbs.joined(separator: ", "))")
            }
            return []
        case .inOrder(let values):
            return try (form ?? RequestForm(nil, [])).words(inOrder: values)
        }
    }
}

extension CommandTable {
    /// Commands that mean something to a connection of MPD's protocol only.
    private static let lineCommands: Set = ["idle", "binarylimit", "json"]

    /// All methods, by name; those with a verb behind their command.
    package var methods: [Method] {
        commands.filter { !Self.lineCommands.contains($0.name) }.flatMap { command in
            command.forms.map { form in
                Method(
                    name: form.verb.map { "\(command.name).\(dotted($0))" } ?? command.name,
                    command: command,
                    form: form
                )
            }
        }
    }

    /// - Returns: `nil` if there is no such method.
    package func method(_ name: String) -> Method? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let command = self[String(parts[0])], !Self.lineCommands.contains(command.name) else { return nil }
        let verb = parts.count > 1 ? String(parts[1]) : nil
        let form = command.forms.first { $0.verb.map(dotted) == verb }
        if verb != nil, form == nil { return nil }
        return Method(name: name, command: command, form: form)
    }
}

private func dotted(_ verb: String) -> String { verb.replacing(" ", with: ".") }
