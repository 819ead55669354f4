import Glibc

/// A real `mpd` over a folder, whose answers ours are compared with; ends with this object.
package final class ReferenceMPD {
    package nonisolated static let isMissing = !ChildProcess.missing("mpd").isEmpty

    private let process: ChildProcess
    private let folder: TemporaryFolder
    private let client: LineClient

    /// Starts a server and waits until it knows the songs.
    package init(music: String) throws {
        folder = try TemporaryFolder()
        let configuration = try folder.write(
            "mpd.conf",
            """
            music_directory "\(music)"
            playlist_directory "\(try folder.makeFolder("playlists"))"
            db_file "\(folder.file("db"))"
            sticker_file "\(folder.file("stickers"))"
            bind_to_address "\(folder.file("socket"))"
            log_level "verbose"
            auto_update "no"
            audio_output {
              type "null"
              name "null"
            }

            """
        )
        process = try ChildProcess("mpd", ["--no-daemon", "--stderr", configuration])
        client = try Self.connect(folder.file("socket"), process)
        try client.order("update")
        while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
    }

    deinit { process.end() }

    /// The lines of a reply without its `OK`; an `ACK` is its only line.
    @discardableResult package func command(_ text: String) -> [String] {
        let lines = client.ask(text)
        return lines.last == "OK" ? lines.dropLast() : lines
    }

    /// Connects as soon as the server listens.
    private static func connect(_ path: String, _ process: ChildProcess) throws -> LineClient {
        let deadline = ContinuousClock.now + .patience
        while true {
            if let client = try? LineClient(.unix(path)) { return client }
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw ClientError(description: "mpd does not listen: \(process.errorText.suffix(500))")
            }
            usleep(2000)
        }
    }
}
