package import AudioTypes
private import Foundation
private import Glibc

/// A real sound server of a test's own, whose sinks are silent: what is played is read back from their monitors.
package protocol SoundServer: AnyObject, Sendable {
    /// What PULSE_SERVER is set to, to reach it.
    var address: String { get }
    /// Its sinks; the first one is the default.
    var sinks: [NullSink] { get }
    /// The folder it lives in, for its clients' files.
    var folder: TemporaryFolder { get }
    /// User and system time its processes have used, in seconds.
    var cpuSeconds: Double { get }

    /// Ends it as a crash would (SIGKILL) and returns when it is gone.
    func kill()
    /// Starts it again at the same address and returns when it answers; its sinks are new ones.
    func restart() async throws
}

/// A sink that swallows what is played, in real time.
package struct NullSink: Sendable, Hashable {
    package var name: String
    package var format: AudioFormat
    /// Whether a PulseAudio server takes back of the piece it has mixed last what is not yet played when a stream starts
    /// or stops, as it does at sound cards.
    ///
    /// A monitor has that piece already, so what is recorded then differs by some milliseconds from what was played: to
    /// compare samples across a pause, do without.
    package var rewinds: Bool

    package init(_ name: String = "bench", format: AudioFormat = .cd, rewinds: Bool = false) {
        self.name = name
        self.format = format
        self.rewinds = rewinds
    }

    package var monitor: String { "\(name).monitor" }
}

/// What a program plays at a sound server.
package struct SoundStream: Sendable, Hashable {
    package let number: String
    package var sink = ""
    package var isCorked = false
    package var isMuted = false
    /// Its name, as mixers show it.
    package var name = ""
}

package enum SoundServerError: Error, Sendable {
    /// The server did not answer in time; its own words are given.
    case notReady(String)
}

extension SoundServer {
    package var sink: NullSink { sinks[0] }

    /// A whole environment for a client: this server, none of the person's own files, and no shared memory.
    ///
    /// A memfd fault of PulseAudio can stall one client when another leaves, so the clients of tests use none.
    package var clientEnvironment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": folder.file("home"),
            "XDG_RUNTIME_DIR": folder.file("home"),
            "LANG": "C.UTF-8",
            "PULSE_SERVER": address,
            "PULSE_CLIENTCONFIG": folder.file("client.conf"),
        ]
    }

    /// Asks the server something with `pactl`, and returns its answer.
    @discardableResult
    package func control(_ arguments: String...) throws -> String {
        try ChildProcess.run("pactl", arguments, environment: clientEnvironment, within: .patience).outputText
    }

    /// Adds a sink, as if it had been plugged in.
    package func load(_ sink: NullSink) throws {
        let (rate, channels) = (sink.format.sampleRate, sink.format.channels.count)
        try control("load-module", "module-null-sink", "sink_name=\(sink.name)", "rate=\(rate)", "channels=\(channels)")
    }

    /// Removes a sink that `load` has added.
    package func unload(_ sink: NullSink) throws {
        let modules = try control("list", "short", "modules").split(separator: "\n")
        guard let module = modules.first(where: { $0.contains("sink_name=\(sink.name)") })?.split(separator: "\t").first
        else { throw SoundServerError.notReady("it has no sink \(sink.name)") }
        try control("unload-module", String(module))
    }

    /// What plays at the server, or is corked there.
    package func streams() throws -> [SoundStream] {
        let sinks = try control("list", "short", "sinks").split(separator: "\n").map { $0.split(separator: "\t") }
        let names = Dictionary(sinks.map { ($0[0], String($0[1])) }) { $1 }
        var streams: [SoundStream] = []
        for line in try control("list", "sink-inputs").split(separator: "\n") {
            if line.hasPrefix("Sink Input #") { streams.append(SoundStream(number: String(line.dropFirst(12)))) }
            let words = line.drop { $0 == "\t" }.split(separator: " ", maxSplits: 1)
            guard words.count > 1, let last = streams.indices.last else { continue }
            switch words[0] {
            case "Sink:": streams[last].sink = names[words[1]] ?? "nowhere"
            case "Corked:": streams[last].isCorked = words[1] == "yes"
            case "Mute:": streams[last].isMuted = words[1] == "yes"
            case "media.name": streams[last].name = words[1].split(separator: "\"").last.map(String.init) ?? ""
            default: break
            }
        }
        return streams
    }

    /// Plays silence in a role, such as `phone`, until the program is ended.
    package func playSilence(role: String) throws -> ChildProcess {
        try ChildProcess(
            "pacat",
            ["--raw", "--property=media.role=\(role)", "/dev/zero"],
            environment: clientEnvironment
        )
    }

    /// Moves a stream to another sink, as a mixer does, and returns when the server says that it is there.
    ///
    /// On a busy machine PipeWire 0.3 loses many such orders, although it says that it has carried them out, so the order
    /// is repeated until the stream is there.
    package func move(_ stream: SoundStream, to sink: NullSink) throws {
        try wait(for: "\(stream.name) at \(sink.name)") {
            if try streams().contains(where: { $0.name == stream.name && $0.sink == sink.name }) { return true }
            // The program may have made another stream meanwhile.
            _ = try? control("move-sink-input", stream.number, sink.name)
            return false
        }
    }

    /// Ends streams, as a mixer's "terminate playback" does; pactl has no word for it.
    package func endStreams(_ numbers: [String]) throws {
        let script = """
            import ctypes, sys
            pulse = ctypes.CDLL("libpulse.so.0")
            new, api, context, kill = (getattr(pulse, "pa_" + name) for name in (
                "mainloop_new", "mainloop_get_api", "context_new", "context_kill_sink_input"))
            for function in (new, api, context, kill): function.restype = ctypes.c_void_p
            loop = ctypes.c_void_p(new())
            client = ctypes.c_void_p(context(ctypes.c_void_p(api(loop)), b"mixer"))
            pulse.pa_context_connect(client, None, 0, None)
            READY, RUNNING = 4, 0
            while pulse.pa_context_get_state(client) != READY: pulse.pa_mainloop_iterate(loop, 1, None)
            for number in sys.argv[1:]:
                order = ctypes.c_void_p(kill(client, int(number), None, None))
                while pulse.pa_operation_get_state(order) == RUNNING: pulse.pa_mainloop_iterate(loop, 1, None)
            """
        try ChildProcess.run("python3", ["-c", script] + numbers, environment: clientEnvironment, within: .patience)
    }

    func writeClientFiles() throws {
        _ = try folder.makeFolder("home", permissions: 0o777)
        try folder.write("client.conf", "enable-shm = no\nautospawn = no\n")
    }
}

extension AudioFormat {
    /// PulseAudio's name of the sample format, on a machine of this byte order.
    package var pulseName: String {
        switch sampleFormat {
        case .s16: "s16le"
        case .s32: "s32le"
        case .f32: "float32le"
        }
    }
}

/// Waits until something accepts connections at a socket's path.
package func waitForSocket(
    _ path: String,
    of server: ChildProcess,
    within deadline: Duration = .patience
) async throws {
    let end = ContinuousClock.now + deadline
    while !accepts(path) {
        guard ContinuousClock.now < end, server.isRunning else {
            throw SoundServerError.notReady(server.outputText + server.errorText)
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

private func accepts(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "too long for a socket's path")
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    return unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
    }
}
