import TestSupport

/// Clients that may not be installed.
enum Tools {
    static let missingForMpc = RealMPD.missing + ChildProcess.missing("mpc")
    static let missingForTmux = Music.missing + ChildProcess.missing("tmux")
    static let missingForNcmpcpp = missingForTmux + ChildProcess.missing("ncmpcpp")

    /// Debian's Python, which has the module; another one may come first in PATH.
    static let python = "/usr/bin/python3"

    static let missingForPython =
        Music.missing + ((try? ChildProcess.run(python, ["-c", "import mpd.asyncio"])) == nil ? ["python3-mpd"] : [])

    static let hasPythonWebSockets = (try? ChildProcess.run(python, ["-c", "import websockets"])) != nil
}
