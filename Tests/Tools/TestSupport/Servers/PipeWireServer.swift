private import AudioTypes
private import Synchronization

/// A private PipeWire with its PulseAudio server, session manager and null sinks, without D-Bus or a login session.
package final class PipeWireServer: SoundServer {
    private struct Processes: Sendable {
        var core: ChildProcess
        var manager: ChildProcess
        var pulse: ChildProcess

        /// In the order in which they depend on each other, last first.
        var all: [ChildProcess] { [pulse, manager, core] }
    }

    package let sinks: [NullSink]
    /// The frames it mixes at a time, at least.
    private let quantum: Int
    package let folder: TemporaryFolder
    private let place: String
    private let processes: Mutex<Processes?> = Mutex(nil)
    private let spent = Mutex(0.0)

    private var socket: String { "\(place)/run/pulse/native" }
    package var address: String { "unix:\(socket)" }

    /// What has to be installed.
    package static let missing = ChildProcess.missing(
        "pipewire",
        "wireplumber",
        "pipewire-pulse",
        "pactl",
        "parec",
        "setpriv"
    )

    private init(sinks: [NullSink], quantum: Int, rates: [Int]?) throws {
        self.sinks = sinks
        self.quantum = quantum
        folder = try TemporaryFolder()
        place = try folder.makeFolder("pw")
        _ = try folder.makeFolder("pw/run", permissions: 0o700)
        try writeClientFiles()
        for name in ["config/wireplumber/main.lua.d", "config/wireplumber/bluetooth.lua.d"] {
            _ = try folder.makeFolder("pw/\(name)")
        }
        _ = try folder.makeFolder("pw/config/wireplumber/wireplumber.conf.d")
        try folder.write("pw/core.conf", Self.coreConfiguration(sinks: sinks, quantum: quantum, rates))
        try folder.write("pw/config/wireplumber/main.lua.d/51-private.lua", Self.managerConfiguration)
        try folder.write(
            "pw/config/wireplumber/bluetooth.lua.d/51-private.lua",
            "bluez_monitor.enabled = false\n"
        )
        try folder.write("pw/config/wireplumber/wireplumber.conf.d/51-private.conf", Self.newManagerConfiguration)
    }

    /// Starts a server and returns when it answers and has its default sink.
    ///
    /// - Parameter quantum: The frames it mixes at a time, at least. It has no real-time rights here, so it skips what
    ///   it is late for: with few frames on a busy machine that happens.
    /// - Parameter rates: The rates that the sinks can follow streams to; `nil`: each keeps its own.
    package static func start(
        _ sinks: NullSink...,
        quantum: Int = 1024,
        following rates: [Int]? = nil
    ) async throws -> PipeWireServer {
        let server = try PipeWireServer(sinks: sinks.isEmpty ? [NullSink()] : sinks, quantum: quantum, rates: rates)
        try await server.restart()
        return server
    }

    deinit { kill() }

    package func restart() async throws {
        kill()
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": place, "XDG_RUNTIME_DIR": "\(place)/run",
            "XDG_CONFIG_HOME": "\(place)/config", "XDG_STATE_HOME": "\(place)/state",
        ]
        func start(_ command: String, _ arguments: String...) throws -> ChildProcess {
            try ChildProcess(command, arguments, environment: environment, unprivileged: true, isUrgent: true)
        }
        let core = try start("pipewire", "-c", "\(place)/core.conf")
        try await waitForSocket("\(place)/run/pipewire-0", of: core)
        let processes = Processes(core: core, manager: try start("wireplumber"), pulse: try start("pipewire-pulse"))
        self.processes.withLock { $0 = processes }
        try await waitForSocket(socket, of: processes.pulse)
        try await waitForDefaultSink(processes.manager)
    }

    /// The session manager chooses the default sink some time after the server has begun to answer.
    private func waitForDefaultSink(_ manager: ChildProcess) async throws {
        let end = ContinuousClock.now + .patience
        while try control("get-default-sink").hasPrefix("@") {
            guard ContinuousClock.now < end, manager.isRunning else {
                throw SoundServerError.notReady(manager.errorText)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        try control("set-default-sink", sink.name)
    }

    package func kill() {
        guard let processes = processes.withLock({ $0.take() }) else { return }
        for child in processes.all {
            child.end()
            spent.withLock { $0 += child.cpuSeconds }
        }
    }

    package var cpuSeconds: Double {
        let living = processes.withLock { $0 }?.all.map(\.cpuSeconds).reduce(0, +) ?? 0
        return spent.withLock { $0 } + living
    }

    // MARK: Configuration

    private static func coreConfiguration(sinks: [NullSink], quantum: Int, _ followed: [Int]?) -> String {
        let own = Set(sinks.map(\.format.sampleRate)).sorted()
        let rates = (followed ?? own).map { String($0) }.joined(separator: " ")
        let objects = sinks.map { sink in
            let rate = followed == nil ? "audio.rate = \(sink.format.sampleRate)" : ""
            return """
                    { factory = adapter args = { factory.name = support.null-audio-sink node.name = \(sink.name)
                        media.class = Audio/Sink object.linger = true audio.position = [ \(positions(sink.format.channels)) ]
                        \(rate) } }
                """
        }
        return """
            context.properties = {
                core.daemon = true
                core.name = pipewire-0
                support.dbus = false
                mem.allow-mlock = false
                settings.check-quantum = true
                default.clock.rate = \(sinks[0].format.sampleRate)
                default.clock.min-quantum = \(quantum)
                default.clock.quantum = \(max(quantum, 1024))
                default.clock.allowed-rates = [ \(rates) ]
            }
            context.spa-libs = {
                audio.convert.* = audioconvert/libspa-audioconvert
                support.* = support/libspa-support
            }
            context.modules = [
                { name = libpipewire-module-protocol-native }
                { name = libpipewire-module-metadata }
                { name = libpipewire-module-spa-node-factory }
                { name = libpipewire-module-client-node }
                { name = libpipewire-module-client-device }
                { name = libpipewire-module-adapter }
                { name = libpipewire-module-link-factory }
                { name = libpipewire-module-session-manager }
                { name = libpipewire-module-access args = { } }
            ]
            context.objects = [
                { factory = spa-node-factory args = { factory.name = support.node.driver node.name = Dummy-Driver
                    node.group = pipewire.dummy priority.driver = 20000 } }
            \(objects.joined(separator: "\n"))
            ]

            """
    }

    private static func positions(_ layout: ChannelLayout) -> String {
        let names = ["FL", "FR", "FC", "LFE", "RL", "RR", "FLC", "FRC", "RC", "SL", "SR"]
        guard layout.mask != 0 else { return (0..<layout.count).map { "AUX\($0)" }.joined(separator: " ") }
        if layout == .mono { return "MONO" }
        return names.indices.filter { layout.mask >> UInt64($0) & 1 == 1 }.map { names[$0] }.joined(separator: " ")
    }

    /// WirePlumber 0.4: no devices of the machine, nothing that needs D-Bus.
    private static let managerConfiguration = """
        alsa_monitor.enabled = false
        v4l2_monitor.enabled = false
        libcamera_monitor.enabled = false
        default_access.properties["enable-flatpak-portal"] = false

        """

    /// The same for WirePlumber 0.5.
    private static let newManagerConfiguration = """
        wireplumber.profiles = {
            main = {
                hardware.audio = disabled
                hardware.bluetooth = disabled
                hardware.video-capture = disabled
                support.dbus = disabled
            }
        }

        """
}
