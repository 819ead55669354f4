import ArgumentParser
import CommandOptions
import ProtocolClient
import TerminalText

struct InterruptVerb: SegueOnlyVerb {
    static let entersZone = false
    static let configuration = CommandConfiguration.remote(
        "interrupt",
        "Silence music for a call, an alarm or an assistant, as long as a program runs.",
        "call|alarm|assistant [-- <command> ...]",
        discussion: """
            When the command ends, music comes back, and the command's exit status is passed on. Without a command it
            lasts until Ctrl-C or SIGTERM. --zone takes a zone or all.

            Examples:
              segue interrupt call -- linphonec
              segue interrupt alarm --zone all -- paplay alarm.wav
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var options: InterruptionOptions
    @Flag(name: .customLong("no-resume"), help: "At the end, do not resume interrupted sessions.")
    var noResume = false
    @Argument(help: ArgumentHelp("The kind of interruption.", valueName: "class")) var kind: InterruptionClass
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments.", valueName: "command")
    )
    var command: [String] = []

    func run(on session: Session) throws {
        let reply = try session.connection.run(options.request(kind, zone: server.zone, isBound: true))
        guard let id = reply["session"] else { throw session.fail("the server did not say which session it is") }
        if command.isEmpty, session.console.isTerminal {
            session.console.print(StyledText("The \(kind.rawValue) lasts until Ctrl-C.", .faint))
            session.console.flush()
        }
        let run: ProgramRun
        do {
            run = try ProgramRun(command)
        } catch {
            try end(id, session)
            throw error
        }
        let (ending, isConnected) = run.wait(session.connection) {}
        if isConnected { try end(id, session) }
        try ending.passOn()
    }

    private func end(_ id: String, _ session: Session) throws {
        try session.run("session", "interrupt", "end", id, "resume", noResume ? "0" : "1")
    }
}
