import ChildPrograms
import CommandOptions
import Glibc
import ProtocolClient
import Threads

/// Runs a program, or waits for a signal, while watching a connection for changes.
struct ProgramRun {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT]

    private let signals: Int32
    /// `nil` when no program is run.
    let program: ChildProgram?

    /// Starts a program, and begins to receive signals.
    ///
    /// - Parameter words: The program and its arguments; empty to wait for a signal.
    init(_ words: [String]) throws {
        // If the parent ignored it, the program's exit could not be waited for.
        _ = signal(SIGCHLD, SIG_DFL)
        signals = Interrupts.receive(words.isEmpty ? [SIGINT, SIGTERM, SIGHUP] : Self.signals + [SIGCHLD])
        do throws(ChildProgram.Failure) {
            program = words.isEmpty ? nil : try ChildProgram(words)
        } catch {
            Console.complain(error.isMissing ? "there is no program '\(error.program)'" : error.description)
            throw (error.isMissing ? ExitStatus.programMissing : .programUnusable).exitCode
        }
    }

    /// Returns when the program has exited or, without a program, when a signal has arrived.
    ///
    /// - Parameter look: Called after sessions have changed.
    /// - Returns: The outcome, and whether the connection still exists.
    func wait(
        _ connection: RemoteConnection,
        look: () throws(RemoteError) -> Void
    ) -> (ending: RunningProgram.End, isConnected: Bool) {
        var isConnected = attempt { () throws(RemoteError) in try connection.beginIdle(["session"]) }
        while true {
            // The program may have exited already.
            if let ending = endingAfterSignals() {
                if isConnected { isConnected = attempt { () throws(RemoteError) in try connection.cancelIdle() } }
                return (ending, isConnected)
            }
            let ready = Interrupts.wait(for: [isConnected ? connection.descriptor : -1, signals], seconds: nil)
            guard isConnected, ready.contains(connection.descriptor) else { continue }
            isConnected = attempt { () throws(RemoteError) in
                _ = try connection.endIdle()
                try look()
                try connection.beginIdle(["session"])
            }
        }
    }

    /// Reports a lost connection, once; the program runs on, also one that stood still during an interruption, whose end
    /// would not be heard of.
    private func attempt(_ body: () throws(RemoteError) -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            Console.complain("\(error); \(program == nil ? "the interruption" : "the session") has ended there")
            program?.releaseIfHeld()
            return false
        }
    }

    private func endingAfterSignals() -> RunningProgram.End? {
        for number in Interrupts.take(from: signals) where number != SIGCHLD {
            guard let program else { return .exited(0) }
            if number == SIGCONT { program.release() } else { program.send(number) }
        }
        switch program?.change() {
        case .ended(let ending): return ending
        case .stopped: program?.stopAlong()
        case nil: break
        }
        return nil
    }
}

extension RunningProgram.End {
    /// Exits like the program did.
    func passOn() throws -> Never {
        switch self {
        case .exited(let code): exit(code)
        case .signalled(let number) where [SIGINT, SIGTERM, SIGHUP, SIGPIPE].contains(number):
            ProcessSignals.die(by: number)
        case .signalled(let number): exit(128 + number)
        }
    }
}
