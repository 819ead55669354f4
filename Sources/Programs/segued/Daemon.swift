import ArgumentParser
import CommandServer
import DBus
import Files
import Glibc
import LibraryScan
import MPDImport
import MusicDirectories
import NIOCore
import NIOPosix
import PictureWorkers
import PlaylistStore
import Settings
import Speech
import StateStore
import Systemd
import Threads

/// The daemon, from start to exit.
enum Daemon {
    /// A request to end or reload, from any thread.
    private enum Wish: Sendable {
        case stop(signal: Int32?)
        case reload
    }

    /// Runs until it is told to stop.
    ///
    /// - Throws: `ExitCode`, when it could not start; the reason was logged.
    static func run(_ loaded: LoadedConfiguration, _ options: DaemonOptions) async throws {
        let configuration = loaded.configuration
        let log = Log(configuration.logLevel, configuration.logFormat)
        defer { log.flush() }
        for warning in loaded.warnings { log.write(.warning, warning.placedText) }
        let (wishes, wish) = AsyncStream.makeStream(of: Wish.self)
        do {
            try ProcessSignals.receive([SIGTERM, SIGINT, SIGHUP], evenIgnored: true) { number in
                wish.yield(number == SIGHUP ? .reload : .stop(signal: number))
            }
        } catch {
            log.write(.critical, "\(error)")
            throw ExitCode(1)
        }
        let folder: StateFolder
        do {
            folder = try StateFolder.acquire(configuration.stateDirectory, log)
        } catch {
            log.write(.critical, "\(error)")
            throw ExitCode(1)
        }
        await lookAtFolders(of: configuration, log)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = Server(loop: group.next())
        let fifos = MadeFiles(path: configuration.stateDirectory + "/fifos")
        await server.prepare(parts(configuration, fifos, log) { wish.yield(.stop(signal: nil)) })
        let environment = processEnvironment()
        let socketFiles = try await listen(server, configuration, environment, log)
        let notifier = ServiceNotifier(environment: environment)
        notifier?.send(.ready)
        var (current, read) = (configuration, configuration)
        for await wish in wishes {
            guard case .reload = wish else { break }
            notifier?.send(.reloading)
            current = await reload(server, current, &read, options, log)
            notifier?.send(.ready)
        }
        notifier?.send(.stopping)
        await server.close()
        for path in socketFiles { unsafe unlink(path) }
        // FIFOs of outputs that were not opened this time.
        fifos.removeAll()
        _ = consume folder
    }

    /// Checks folders for at most two seconds, since their file systems may not answer.
    private static func lookAtFolders(of configuration: Configuration, _ log: Log) async {
        let (end, ended) = AsyncStream.makeStream(of: Void.self)
        WorkThread.startWhenPossible(named: "segue-folders") {
            if let problem = configuration.musicDirectoryProblem { log.write(.warning, problem) }
            makeFolders(configuration.playlistDirectory)
            ended.yield()
            ended.finish()
        }
        let patience = Task {
            try? await Task.sleep(for: .seconds(2))
            ended.finish()
        }
        var answers = end.makeAsyncIterator()
        let isAnswered = await answers.next() != nil
        patience.cancel()
        if !isAnswered {
            log.write(.warning, "music directory \(configuration.musicDirectory): its file system does not answer")
        }
    }

    private static func parts(
        _ configuration: Configuration,
        _ fifos: MadeFiles,
        _ log: Log,
        stop: @escaping @Sendable () -> Void
    ) -> ServerParts {
        let music = MusicDirectory(
            root: configuration.musicDirectory,
            followsInsideLinks: configuration.followsInsideLinks,
            followsOutsideLinks: configuration.followsOutsideLinks,
            marks: ReadingMarks(path: configuration.libraryPath + "-reading"),
            charsets: configuration.charsets
        )
        let speech = configuration.cacheDirectory + "/speech"
        makeFolders(speech)
        makeSpeaker(configuration.announcements, folder: speech).removeLeftovers()
        let playlists = StoredPlaylists(
            directory: configuration.playlistDirectory,
            music: music,
            limit: configuration.limits.maxPlaylistLength,
            sizeLimit: configuration.limits.maxStoredPlaylistBytes,
            countLimit: configuration.limits.maxStoredPlaylists
        )
        var parts = ServerParts(
            configuration: configuration,
            music: music,
            playlists: playlists,
            makeOutputs: { zone, changed in makeOutputs(of: zone, fifos, changed) },
            describeOutput: { output, zone in describe(output, in: zone, fifos) },
            sinks: { try listSinks(of: configuration) },
            watchSinks: { watchSinks(of: configuration, $0) },
            stop: stop,
            speak: { text, voice, settings, cancellation in
                try makeSpeaker(settings, folder: speech).speak(text, voice: voice, cancellation: cancellation).path
            },
            pictures: PictureStore(
                program: siblingProgram("segue-pictures") ?? "segue-pictures",
                workers: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
                folder: configuration.cacheDirectory + "/pictures",
                diskCapacity: configuration.pictureCacheBytes
            ),
            log: { level, text in log.write(level, text) }
        )
        parts.watchStreams = { watchStreams(of: configuration, atMost: $0, $1) }
        (parts.bus, parts.systemBus) = (.session, .system)
        return parts
    }

    // MARK: Listening

    /// - Returns: The socket files that this process created, rather than a service manager or another server.
    private static func listen(
        _ server: Server,
        _ configuration: Configuration,
        _ environment: [String: String],
        _ log: Log
    ) async throws -> [String] {
        let inherited = InheritedSocket.all(
            environment: environment,
            listeners: configuration.listeners + (configuration.web.listeners ?? [])
        )
        for problem in inherited.problems { log.write(.warning, problem) }
        var count = 0
        var taken = TakenAddresses()
        var files: [String] = []
        for socket in inherited.sockets {
            try await server.listen(on: socket.descriptor, as: socket.listener, socket.isWeb ? .web : .lines)
            log.write(
                .info,
                "listening at \(socket.listener)\(socket.isWeb ? " for HTTP" : ""), opened by the service manager"
            )
            count += 1
        }
        for listener in InheritedSocket.remaining(configuration.listeners, besides: inherited.sockets) {
            do {
                files += try await listen(server, at: listener, as: .lines, log)
                count += 1
            } catch let error as ListenerError where error.isTaken {
                let holder = SocketHolder.find(at: listener.address)
                log.write(.error, "cannot listen at \(listener.address): \(TakenAddresses.describe(holder))")
                taken.add(holder)
            } catch {
                log.write(.error, "\(error)")
            }
        }
        for advice in taken.advice { log.write(.error, advice) }
        guard count > 0 else {
            log.write(.critical, "no listen address could be opened; see --listen")
            throw ExitCode(1)
        }
        return files + (try await listenForHTTP(server, configuration, besides: inherited.sockets, log))
    }

    /// - Throws: `ExitCode` when an address that is configured cannot be opened. The default ones are a convenience, which
    ///   another program, or the server of another user, may have.
    private static func listenForHTTP(
        _ server: Server,
        _ configuration: Configuration,
        besides sockets: [InheritedSocket],
        _ log: Log
    ) async throws -> [String] {
        var files: [String] = []
        for listener in InheritedSocket.remaining(configuration.webListeners, besides: sockets) {
            do {
                files += try await listen(server, at: listener, as: .web, log)
            } catch let error as ListenerError {
                let holder = error.isTaken ? SocketHolder.find(at: listener.address) : nil
                let reason = error.isTaken ? TakenAddresses.describe(holder) : error.reason
                let isConfigured = configuration.web.listeners != nil
                log.write(
                    isConfigured ? .critical : error.isTaken ? .warning : .info,
                    "cannot listen at \(listener.address) for HTTP: \(reason)"
                        + (isConfigured ? "" : "; set [web] listen to another address, or to []")
                )
                if isConfigured { throw ExitCode(1) }
                await server.couldNotListenForHTTP(at: listener, reason)
            }
        }
        return files
    }

    /// - Returns: The socket file that was created.
    private static func listen(
        _ server: Server,
        at listener: Listener,
        as door: Server.Door,
        _ log: Log
    ) async throws -> [String] {
        try await server.listen(at: listener, as: door)
        log.write(.info, "listening at \(listener)\(door == .web ? " for HTTP" : "")")
        if case .unix(let path, _) = listener.address { return [path] }
        return []
    }

    // MARK: Reloading

    /// Reads the configuration again and applies the changes that need no restart.
    ///
    /// - Parameters:
    ///   - current: The configuration in effect.
    ///   - read: The configuration as it was read last, of which parts may wait for a restart.
    /// - Returns: The configuration now in effect.
    private static func reload(
        _ server: Server,
        _ current: Configuration,
        _ read: inout Configuration,
        _ options: DaemonOptions,
        _ log: Log
    ) async -> Configuration {
        do {
            let loaded = try Configuration.load(options)
            for warning in loaded.warnings { log.write(.warning, warning.placedText) }
            for change in loaded.configuration.changesNeedingRestart(from: current, announcedUpTo: read) {
                log.write(.notice, "\(change): takes effect after a restart")
            }
            read = loaded.configuration
            let applicable = loaded.configuration.applicable(over: current)
            log.change(applicable.logLevel, applicable.logFormat)
            await server.apply(applicable)
            log.write(.info, "reloaded the configuration")
            return applicable
        } catch {
            log.write(.error, "\(error.description); the configuration stays as it was")
            return current
        }
    }
}

/// The process's environment.
func processEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var place = unsafe environ
    while let text = unsafe place.pointee {
        let parts = unsafe String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        unsafe place += 1
    }
    return variables
}
