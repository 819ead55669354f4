private import AudioTypes
private import Glibc
private import Synchronization

/// A private PulseAudio with null sinks; works for root too, without D-Bus, a login session or real-time rights.
package final class PulseServer: SoundServer {
    package let sinks: [NullSink]
    package let folder: TemporaryFolder
    private let place: String
    private let process: Mutex<ChildProcess?> = Mutex(nil)
    /// What earlier lives have used.
    private let spent = Mutex(0.0)

    private var socket: String { "\(place)/pulse.sock" }
    package var address: String { "unix:\(socket)" }

    /// What has to be installed.
    package static let missing = ChildProcess.missing("pulseaudio", "parec", "setpriv")

    private init(sinks: [NullSink], avoidsResampling: Bool) throws {
        self.sinks = sinks
        folder = try TemporaryFolder()
        place = try folder.makeFolder("pulse")
        _ = try folder.makeFolder("pulse/run", permissions: 0o700)
        try writeClientFiles()
        try folder.write("pulse/daemon.conf", "avoid-resampling = \(avoidsResampling ? "yes" : "no")\n")
    }

    /// Starts a server and returns when it answers.
    package static func start(_ sinks: NullSink...) async throws -> PulseServer { try await start(sinks) }

    /// - Parameter avoidsResampling: Whether a sink takes the format of the first stream that plays to it.
    package static func start(_ sinks: [NullSink], avoidsResampling: Bool = false) async throws -> PulseServer {
        let server = try PulseServer(
            sinks: sinks.isEmpty ? [NullSink()] : sinks,
            avoidsResampling: avoidsResampling
        )
        try await server.restart()
        return server
    }

    deinit { kill() }

    package func restart() async throws {
        kill()
        var arguments = [
            "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no",
            "--disallow-exit=no", "--log-target=stderr",
        ]
        // The sinks come first, so that who can connect finds them.
        for sink in sinks {
            arguments += [
                "-L",
                "module-null-sink sink_name=\(sink.name) format=\(sink.format.pulseName) "
                    + "rate=\(sink.format.sampleRate) channels=\(sink.format.channels.count)\(sink.rewinds ? "" : " norewinds=1")",
            ]
        }
        arguments += ["-L", "module-native-protocol-unix socket=\(socket) auth-anonymous=1"]
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": place, "XDG_RUNTIME_DIR": "\(place)/run",
            "PULSE_CONFIG": "\(place)/daemon.conf",
        ]
        let child = try ChildProcess(
            "pulseaudio",
            arguments,
            environment: environment,
            unprivileged: true,
            isUrgent: true
        )
        process.withLock { $0 = child }
        try await waitForSocket(socket, of: child)
    }

    package func kill() {
        guard let child = process.withLock({ $0.take() }) else { return }
        child.end()
        spent.withLock { $0 += child.cpuSeconds }
    }

    /// Makes it stand still as if the machine had no time for it, until `thaw`.
    package func freeze() { process.withLock { $0 }?.kill(SIGSTOP) }

    package func thaw() { process.withLock { $0 }?.kill(SIGCONT) }

    package var cpuSeconds: Double {
        spent.withLock { $0 } + (process.withLock { $0 }?.cpuSeconds ?? 0)
    }
}
