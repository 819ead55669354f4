package import ArgumentParser

/// What every verb's exit status means; the table in segue(1).
package enum ExitStatus: Int32, Sendable, Hashable, CaseIterable {
    /// Everything was played, probed, listed or done.
    case success = 0
    /// Something could not be played or probed, and the rest was; or the server refused.
    case someFailed = 1
    /// No server or sound server answers, or the output cannot be opened.
    case noOutput = 3
    /// The command line is wrong.
    case usage = 64
    /// A part of Segue is missing.
    case incompleteInstallation = 69
    /// The server does not let the program's audio session be heard now.
    case sessionRefused = 75
    /// The program that was to be run cannot be, as shells say it.
    case programUnusable = 126
    /// There is no such program.
    case programMissing = 127
    /// Ended by SIGHUP.
    case hungUp = 129
    /// Ended by SIGINT.
    case interrupted = 130
    /// Ended by SIGTERM.
    case terminated = 143

    /// The same for ArgumentParser, which ends the process with it.
    package var exitCode: ExitCode { ExitCode(rawValue) }
}
