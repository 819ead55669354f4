import TestSupport

/// Clients that may not be installed.
enum Tools {
    static let missingForMpc = RealMPD.missing + ChildProcess.missing("mpc")
    static let missingForTmux = Music.missing + ChildProcess.missing("tmux")
    static let missingForNcmpcpp = missingForTmux + ChildProcess.missing("ncmpcpp")

    /// Debian's Python, which has the module; another one may come first in PATH.
    static let python = "/usr/bin/python3"

    static let missingForPython = Music.missing + missing("mpd.asyncio", of: "python3-mpd")
    static let missingForPrometheus = Music.missing + missing("prometheus_client", of: "python3-prometheus-client")

    private static func missing(_ module: String, of package: String) -> [String] {
        (try? ChildProcess.run(python, ["-c", "import \(module)"])) == nil ? [package] : []
    }

    static let hasPythonWebSockets = (try? ChildProcess.run(python, ["-c", "import websockets"])) != nil
}
