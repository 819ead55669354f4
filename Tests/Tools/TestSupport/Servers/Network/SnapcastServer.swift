private import Foundation

/// A real snapserver of a test's own, and clients of it that write what they play into files.
package final class SnapcastServer: Sendable {
    package let folder: TemporaryFolder
    package let sourcePort: UInt16
    package let controlPort: UInt16
    private let streamPort: UInt16
    private let process = Watched<ChildProcess?>(nil)

    package static let missing = ChildProcess.missing("snapserver", "snapclient")
    /// Milliseconds from the source to what is heard.
    package static let buffer = 400

    package init() async throws {
        folder = try TemporaryFolder()
        (sourcePort, controlPort, streamPort) = (try steadyPort(), try steadyPort(), try steadyPort())
        try folder.write(
            "snapserver.conf",
            """
            [server]
            datadir = \(folder.path)
            [http]
            enabled = false
            [tcp]
            enabled = true
            bind_to_address = 127.0.0.1
            port = \(controlPort)
            [stream]
            bind_to_address = 127.0.0.1
            port = \(streamPort)
            source = tcp://127.0.0.1:\(sourcePort)?name=segue&sampleformat=48000:16:2&codec=pcm
            buffer = \(Self.buffer)
            [logging]
            sink = stdout

            """
        )
        try await start()
    }

    deinit { stop() }

    package func start() async throws {
        let child = try ChildProcess("snapserver", ["-c", folder.file("snapserver.conf")])
        process.withLock { $0 = child }
        for port in [streamPort, controlPort] { try await waitForPort(port, of: child) }
    }

    package func stop() { process.withLock { $0.take() }?.end() }

    /// Starts a client that plays 48 kHz, 16 bit stereo into a file.
    package func client(_ name: String) throws -> (process: ChildProcess, path: String) {
        let path = folder.file(name + ".raw")
        let words = ["-h", "127.0.0.1", "-p", "\(streamPort)", "--hostID", name, "--player", "file:filename=" + path]
        return (try ChildProcess("snapclient", words), path)
    }
}
