import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// `segue exec` and `segue interrupt`: programs that run as long as something else is silent.
@Suite(.blocking, .serialized) struct ProgramRunTests {
    private static func server() throws -> FakeSegued {
        try FakeSegued([
            "session": .lines([]), "session open": .lines(["session: 5"]),
            "session interrupt begin": .lines(["session: 6"]),
            "session events": .lines(["oldest: 1", "event: 3", "time: x", "type: mediaServicesReset"]),
            "partition": .lines([]),
        ])
    }

    private static let exec = ["exec", "--category", "playback"]
    private static let opened = [
        "session events", "session open sh", "session category 5 playback", "session activate 5",
        "session playing 5 1", "idle session",
    ]

    private func event(_ number: Int, _ type: String, session: Int = 5, _ more: String...) -> FakeSegued.Answer {
        .lines(["oldest: 1", "event: \(number)", "time: x", "session: \(session)", "type: \(type)"] + more)
    }

    @Test(arguments: [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("exit 255", 255)] as [(String, Int32)])
    func theEndIsPassedOn(script: String, code: Int32) async throws {
        let server = try Self.server()
        let result = try await server.start(Self.exec + ["--", "sh", "-c", "cat; echo bad >&2; \(script)"]).wait()
        #expect(result.status == .code(code))
        #expect(result.errorText == "bad\n")
        let requests = server.state.current.requests
        #expect(requests.prefix(5).elementsEqual(Self.opened.prefix(5)))
        #expect(requests.last == "session deactivate 5 notifyothers")
    }

    @Test func streamsAreInherited() async throws {
        let server = try Self.server()
        let child = try server.start(Self.exec + ["--", "cat"], input: .bytes(Array("a b\n".utf8)))
        #expect(try await child.wait().outputText == "a b\n")
    }

    @Test func theSessionIsWhatTheOptionsSay() async throws {
        let server = try Self.server()
        let words = [
            "exec", "--category", "playback", "--mode", "voicePrompt", "--options", "duckOthers", "--class", "alarm",
            "--name", "The bell", "--zone", "hall", "--", "/bin/true",
        ]
        #expect(try await server.start(words).wait().status == .code(0))
        #expect(
            server.state.current.requests.prefix(5) == [
                "partition hall", "session events", "session open The bell class alarm",
                "session category 5 playback mode voicePrompt options duckOthers", "session activate 5",
            ]
        )
    }

    @Test func aRefusedSessionRunsNothing() async throws {
        let server = try Self.server()
        server.answer("session activate", .refusal(code: 52, "insufficientPriority: a call is active"))
        let file = server.folder.file("made")
        let result = try await server.start(Self.exec + ["--", "touch", file]).wait()
        #expect(result.status == .code(75))
        #expect(result.errorText == "segue: touch is not run: insufficientPriority: a call is active\n")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(
        arguments: [
            ("/nonexistent/program", 127, "there is no program '/nonexistent/program'"),
            ("/etc/passwd", 126, "/etc/passwd: Permission denied"),
            ("no-such-program", 127, "there is no program 'no-such-program'"),
        ] as [(String, Int32, String)]
    )
    func programsThatCannotBeRun(program: String, code: Int32, text: String) async throws {
        let server = try Self.server()
        for words in [Self.exec, ["interrupt", "call"]] {
            let result = try await server.start(words + ["--", program]).wait()
            #expect(result.status == .code(code))
            #expect(result.errorText == "segue: \(text)\n")
        }
        #expect(server.state.current.requests.last == "session interrupt end 6 resume 1")
    }

    /// Signals reach the program, and its death by one is ours.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) async throws {
        let server = try Self.server()
        let child = try server.start(Self.exec + ["--", "sh", "-c", "echo ready; exec sleep 600"])
        try await child.waitForOutput("ready")
        child.kill(number)
        #expect(try await child.wait().status == .signal(number))
        #expect(server.state.current.requests.last == "session deactivate 5 notifyothers")
        // A program that has its own way with it is waited for.
        let other = try server.start(
            Self.exec + ["--", "bash", "-c", "trap 'exit 9' INT TERM HUP; echo ready; while :; do sleep 0.01; done"]
        )
        try await other.waitForOutput("ready")
        other.kill(number)
        #expect(try await other.wait().status == .code(9))
    }

    /// With the option, the program and all that it has started stands still while its session is interrupted.
    @Test func interruptions() async throws {
        let server = try Self.server()
        let script = "sleep 600 & echo $$; wait"
        let child = try server.start(Self.exec + ["--pause-on-interruption", "--", "sh", "-c", script])
        try await child.waitForOutput("\n")
        let pid = try #require(Int(child.outputText.split(separator: "\n")[0]))
        try await server.wait("idle") { $0.idleCount == 1 }
        server.answer("session events 3", event(4, "interruptionBegan", session: 1))
        server.change("session")
        try await server.wait("idle") { $0.requests.filter { $0 == "idle session" }.count == 2 && $0.idleCount == 1 }
        #expect(try Self.state(pid) != "T")
        server.answer("session events 4", event(5, "interruptionBegan"))
        server.change("session")
        try await server.wait("idle") { $0.requests.filter { $0 == "idle session" }.count == 3 && $0.idleCount == 1 }
        try await Self.wait { try Self.state(pid) == "T" }
        server.answer("session events 5", event(6, "interruptionEnded", "shouldresume: 1"))
        server.change("session")
        try await Self.wait { try Self.state(pid) != "T" }
        try await server.wait("idle") { $0.requests.filter { $0 == "idle session" }.count == 4 && $0.idleCount == 1 }
        #expect(server.state.current.requests.filter { $0 == "session activate 5" }.count == 2)
        child.kill(SIGTERM)
        #expect(try await child.wait().status == .signal(SIGTERM))
    }

    /// Each call stops the program again, and each end lets it go on: also one that recommends not to resume, one that
    /// is refused at first, and the end of an outage of the sound server, after which the session is set up again.
    @Test func oneInterruptionAfterAnother() async throws {
        let server = try Self.server()
        // A shell that starts another program with vfork(2) would not stop before that has begun.
        let script = "echo $$; exec sleep 600"
        let child = try server.start(Self.exec + ["--pause-on-interruption", "--", "sh", "-c", script])
        try await child.waitForOutput("\n")
        let pid = try #require(Int(child.outputText.split(separator: "\n")[0]))
        try await server.wait("idle") { $0.idleCount == 1 }
        var number = 3
        func tell(_ answer: FakeSegued.Answer) {
            server.answer("session events \(number)", answer)
            number += 1
            server.answer("session events \(number)", .lines(["oldest: 1"]))
            server.change("session")
        }
        for shouldResume in ["1", "1", "0"] {
            tell(event(number + 1, "interruptionBegan"))
            try await Self.wait { try Self.state(pid) == "T" }
            tell(event(number + 1, "interruptionEnded", "shouldresume: \(shouldResume)"))
            try await Self.wait { try Self.state(pid) != "T" }
        }
        tell(event(number + 1, "interruptionBegan"))
        try await Self.wait { try Self.state(pid) == "T" }
        server.answer("session activate", .refusal(code: 52, "siriIsRecording: wait"))
        tell(event(number + 1, "interruptionEnded", "shouldresume: 1"))
        try await server.wait("a try") {
            $0.requests.suffix(2) == ["session activate 5", "idle session"] && $0.idleCount == 1
        }
        #expect(try Self.state(pid) == "T")
        server.answer("session activate", .lines([]))
        server.change("session")
        try await Self.wait { try Self.state(pid) != "T" }
        tell(.lines(["oldest: 1", "event: \(number + 1)", "time: x", "type: mediaServicesReset"]))
        let last = ["session category 5 playback", "session activate 5", "session playing 5 1", "idle session"]
        try await server.wait("a new start") { $0.requests.suffix(4) == last }
        #expect(server.state.current.requests.filter { $0 == "session playing 5 1" }.count == 6)
        child.kill(SIGTERM)
        _ = try await child.wait()
    }

    /// Who was stopped itself and reads too late that it may resume leaves the sink to those that have resumed instead.
    @Test(arguments: [true, false])
    func aRecommendationThatCameTooLate(isWithdrawn: Bool) async throws {
        let server = try Self.server()
        let child = try server.start(Self.exec + ["--", "sh", "-c", "echo ready; exec sleep 600"])
        try await child.waitForOutput("ready")
        try await server.wait("idle") { $0.idleCount == 1 }
        func lines(_ number: Int, _ type: String, _ more: String) -> [String] {
            ["event: \(number)", "time: x", "session: 5", "type: \(type)", more]
        }
        let ended = lines(5, "interruptionEnded", "shouldresume: 1")
        let late = lines(6, "resumptionRecommendation", "recommendation: shouldNotResume")
        server.answer("session events 3", event(4, "interruptionBegan"))
        server.answer("session events 4", .lines(["oldest: 1"] + ended + (isWithdrawn ? late : [])))
        for number in 5...6 { server.answer("session events \(number)", .lines(["oldest: 1"])) }
        for count in 2...3 {
            server.change("session")
            try await server.wait("idle") {
                $0.requests.filter { $0 == "idle session" }.count == count && $0.idleCount == 1
            }
        }
        #expect(server.state.current.requests.filter { $0 == "session activate 5" }.count == (isWithdrawn ? 1 : 2))
        child.kill(SIGTERM)
        _ = try await child.wait()
    }

    /// The program of a `segue exec` that was killed does not play on outside of any session.
    @Test func aKilledRunnerTakesItsProgramAlong() async throws {
        let server = try Self.server()
        let child = try server.start(Self.exec + ["--", "sh", "-c", "echo $$; exec sleep 600"])
        try await child.waitForOutput("\n")
        let pid = try #require(Int32(child.outputText.split(separator: "\n")[0]))
        child.kill(SIGKILL)
        _ = try await child.wait()
        // Whoever it is given to then may leave it a zombie.
        try await Self.wait { kill(pid, 0) != 0 || (try? Self.state(Int(pid)))?.first == "Z" }
    }

    @Test func aServerThatGoesDoesNotEndTheProgram() async throws {
        let server = try Self.server()
        let child = try server.start(Self.exec + ["--", "sh", "-c", "echo ready; read x; exit 4"], input: .live)
        try await child.waitForOutput("ready")
        try await server.wait("idle") { $0.idleCount == 1 }
        server.drop()
        try await server.wait("the end") { $0.clientCount == 0 }
        child.write("\n")
        let result = try await child.wait()
        #expect(result.status == .code(4))
        #expect(
            result.errorText
                == "segue: the server at \(server.path) closed the connection; the session has ended there\n"
        )
    }

    /// A program that stands still when the server goes would do so for ever.
    @Test func aServerThatGoesLetsAStoppedProgramGoOn() async throws {
        let server = try Self.server()
        let script = "echo $$; read x; exit 4"
        let child = try server.start(
            Self.exec + ["--pause-on-interruption", "--", "sh", "-c", script],
            input: .live
        )
        try await child.waitForOutput("\n")
        let pid = try #require(Int(child.outputText.split(separator: "\n")[0]))
        server.answer("session events 3", event(4, "interruptionBegan"))
        server.change("session")
        try await Self.wait { try Self.state(pid) == "T" }
        server.drop()
        try await Self.wait { try Self.state(pid) != "T" }
        child.write("\n")
        #expect(try await child.wait().status == .code(4))
    }

    @Test func interruptRunsAProgram() async throws {
        let server = try Self.server()
        let words = [
            "interrupt", "alarm", "--name", "Wake up", "--zone", "all", "--no-resume", "--", "sh", "-c", "exit 3",
        ]
        #expect(try await server.start(words).wait().status == .code(3))
        let requests = server.state.current.requests
        #expect(requests.first == "session interrupt begin alarm name Wake up bound 1 zone all")
        #expect(requests.last == "session interrupt end 6 resume 0")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func interruptWithoutAProgramLasts(number: Int32) async throws {
        let server = try Self.server()
        let child = try server.start(["interrupt", "call"])
        try await server.wait("idle") { $0.idleCount == 1 }
        server.change("session")
        try await server.wait("idle") { $0.requests.filter { $0 == "idle session" }.count == 2 && $0.idleCount == 1 }
        child.kill(number)
        #expect(try await child.wait().status == .code(0))
        #expect(server.state.current.requests.suffix(2) == ["noidle", "session interrupt end 6 resume 1"])
    }

    /// On a terminal the program has the keys, and Ctrl-C is its own.
    @Test func theTerminalIsTheProgramsOwn() async throws {
        let server = try Self.server()
        let script =
            "trap 'echo caught; exit 5' INT; echo ready; read line; echo got $line; while :; do sleep 0.01; done"
        let terminal = try TerminalProcess(
            try Segue.path(),
            Self.exec + ["--", "bash", "-c", script],
            environment: Segue.environment(["SEGUE_HOST": server.path])
        )
        try await terminal.waitForText("ready")
        terminal.type("words\r")
        try await terminal.waitForText("got words")
        terminal.type("\u{3}")
        try await terminal.waitForText("caught")
        #expect(try await terminal.process.wait().status == .code(5))
        #expect(server.state.current.requests.last == "session deactivate 5 notifyothers")
    }

    /// Ctrl-Z stops both, and the shell's fg lets both go on.
    @Test func jobControl() async throws {
        let server = try Self.server()
        let shell = try TerminalProcess(
            "bash",
            ["--norc", "--noprofile", "-i"],
            environment: Segue.environment(["SEGUE_HOST": server.path, "PS1": "$ "])
        )
        shell.type(
            "\(try Segue.path()) exec --category playback -- sh -c 'echo rea''dy; read x; echo go''t $x; exit 6'\r"
        )
        try await shell.waitForText("ready")
        shell.type("\u{1a}")
        try await shell.waitForText("Stopped")
        shell.type("fg\r")
        // The shell has left the terminal to others once it has told what goes on.
        try await shell.wait { $0.text.split(separator: "$ fg\n").dropFirst().last?.contains("exit 6") == true }
        shell.type("again\r")
        try await shell.waitForText("got again")
        shell.type("echo status $?\r")
        try await shell.waitForText("status 6")
        shell.type("exit\r")
        _ = try await shell.process.wait()
    }

    // MARK: Processes

    /// `T` is stopped.
    private static func state(_ pid: Int) throws -> Substring {
        let text = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return text.split(separator: ")").last?.split(separator: " ").first ?? ""
    }

    private static func wait(until condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .patience
        while try !condition() {
            guard ContinuousClock.now < end else { throw ChildProcessError.deadline("the state", output: "") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
