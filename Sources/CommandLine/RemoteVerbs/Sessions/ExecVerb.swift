import ArgumentParser
import LineProtocol
import RemoteControl
import Verbs

/// Runs a program as an audio session.
struct ExecVerb: SegueOnlyVerb {
    enum PriorityClass: String, CaseIterable, ExpressibleByArgument {
        case normal, assistant, alarm, call
    }

    static let configuration = CommandConfiguration.remote(
        "exec",
        "Run a program as an audio session.",
        "--category <category> -- <command> ...",
        discussion: """
            Others are interrupted or ducked as the category says, and told to go on when the program ends. Its exit
            status is passed on. If the session is refused, nothing is run, and the exit status is 75.

            Examples:
              segue exec --category playback -- mpv film.mkv
              segue exec --category playback --options duckOthers -- espeak-ng "Dinner is ready"
              segue exec --category playback --pause-on-interruption -- ffplay radio.m3u8
            """
    )
    @Option(
        help: ArgumentHelp("Its category: playback, ambient, soloAmbient, playAndRecord ...", valueName: "category"),
        completion: .list(CategoryOptions.categories)
    )
    var category: String
    @OptionGroup var details: CategoryOptions
    @Option(name: .customLong("class"), help: "Its class, which decides about interruptions.")
    var priorityClass = PriorityClass.normal
    @Option(help: ArgumentHelp("Its display name (default: the program's name).", valueName: "name"))
    var name: String?
    @Flag(
        name: .customLong("pause-on-interruption"),
        help: "Stop the program (SIGSTOP) while its session is interrupted, and let it go on afterwards."
    )
    var pauses = false
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("name the program behind --, as in: segue exec ... -- mpv a.mkv") }
        if name?.isEmpty == true { throw ValidationError("--name cannot be empty") }
    }

    func run(on session: Session) throws {
        let connection = session.connection
        var cursor = SessionEventCursor()
        _ = try cursor.fetch(connection)
        let id = try open(session)
        let run = try ProgramRun(command)
        try connection.run("session", "playing", id, "1")
        let (ending, isConnected) = run.wait(connection) { () throws(RemoteError) in
            for event in try cursor.fetch(connection) where event.session.map(String.init) == id {
                try obey(event, run.program, connection)
            }
        }
        if isConnected { try connection.run("session", "deactivate", id, "notifyothers") }
        try ending.passOn()
    }

    /// Opens and activates the session.
    private func open(_ session: Session) throws -> String {
        let usual = command[0].split(separator: "/").last.map(String.init) ?? command[0]
        let words = ["open", name ?? usual] + (priorityClass == .normal ? [] : ["class", priorityClass.rawValue])
        do {
            let reply = try session.connection.run(Request("session", words))
            guard let id = reply["session"] else { throw session.fail("the server did not say which session it is") }
            try session.connection.run(Request("session", ["category", id] + details.words(category)))
            try session.run("session", "activate", id)
            return id
        } catch let error as RemoteError where error.refusal?.known == .system {
            Console.complain("\(command[0]) is not run: \(error.refusal?.text ?? "")")
            throw ExitStatus.sessionRefused.exitCode
        }
    }

    private func obey(
        _ event: SessionEvent,
        _ program: ChildProgram?,
        _ connection: RemoteConnection
    ) throws(RemoteError) {
        switch event.type {
        case "interruptionBegan":
            if pauses { program?.hold() }
        case "interruptionEnded" where event.shouldResume:
            do {
                try connection.run("session", "activate", event.session.map(String.init) ?? "")
            } catch .refused {
                // Another interrupter has come meanwhile; its end will be reported, too.
                return
            }
            if pauses { program?.release() }
        default: break
        }
    }
}
