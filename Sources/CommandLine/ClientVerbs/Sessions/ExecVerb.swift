import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient

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
        var standing = ExecStanding(session: Int(id), pauses: pauses)
        let (ending, isConnected) = run.wait(connection) { () throws(RemoteError) in
            for event in try cursor.fetch(connection) {
                if standing.handle(event) == .hold { run.program?.hold() }
            }
            if standing.isToActivate, try activate(id, again: standing.isReset, connection) {
                standing.activated()
                if pauses { run.program?.release() }
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

    /// Activates the session again, and reports that it plays.
    ///
    /// - Parameter isReset: Whether the server has forgotten its category.
    /// - Returns: Whether it was admitted.
    private func activate(
        _ id: String,
        again isReset: Bool,
        _ connection: RemoteConnection
    ) throws(RemoteError) -> Bool {
        do {
            if isReset { try connection.run(Request("session", ["category", id] + details.words(category))) }
            try connection.run("session", "activate", id)
            try connection.run("session", "playing", id, "1")
            return true
        } catch .refused {
            return false
        }
    }
}

/// The standing of a running program's session at the server, as its events tell.
private struct ExecStanding {
    enum Step: Hashable {
        case none
        /// Stop the program.
        case hold
    }

    let session: Int?
    /// Whether the program stands still during interruptions.
    let pauses: Bool
    private var isActive = true
    private var isInterrupted = false
    /// Whether the session may be activated again.
    private var isToReturn = false
    /// Whether the session has lost its category, because the sound server has come back.
    private(set) var isReset = false

    init(session: Int?, pauses: Bool) {
        self.session = session
        self.pauses = pauses
    }

    /// Whether activation is to be tried now; when it is refused, again after the next change of sessions.
    var isToActivate: Bool { isToReturn && !isInterrupted }

    mutating func handle(_ event: SessionEvent) -> Step {
        switch event.type {
        case "interruptionBegan" where event.session == session:
            (isActive, isInterrupted, isToReturn) = (false, true, false)
            return pauses ? .hold : .none
        case "interruptionEnded" where event.session == session:
            isInterrupted = false
            // A program that stands still cannot be resumed by its user.
            isToReturn = event.shouldResume || pauses
        case "resumptionRecommendation" where event.session == session && !event.recommendsToResume:
            // Also when it comes after an end that recommended it: then others have resumed in its place.
            isToReturn = isToReturn && pauses
        case "mediaServicesReset":
            isReset = true
            isToReturn = isToReturn || isActive
        default: break
        }
        return .none
    }

    mutating func activated() {
        (isActive, isToReturn, isReset) = (true, false, false)
    }
}
