package import ArgumentParser

/// The exit statuses of all verbs, documented in segue(1).
package enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    /// Everything was played, probed, listed or carried out.
    case success = 0
    /// Some items could not be played or probed; or the server refused.
    case someFailed = 1
    /// No server or sound server answers, or the output cannot be opened.
    case noOutput = 3
    /// The command line is wrong.
    case usage = 64
    /// A part of Segue is missing.
    case incompleteInstallation = 69
    /// The server refuses the program's audio session now.
    case sessionRefused = 75
    /// The program cannot be run, as in shells.
    case programUnusable = 126
    /// There is no such program.
    case programMissing = 127
    /// Ended by SIGHUP.
    case hungUp = 129
    /// Ended by SIGINT.
    case interrupted = 130
    /// The reader of standard output has gone, which ends the process by SIGPIPE.
    case pipeClosed = 141
    /// Ended by SIGTERM.
    case terminated = 143

    /// The same as ArgumentParser's type, with which it ends the process.
    package var exitCode: ExitCode { ExitCode(rawValue) }
}
