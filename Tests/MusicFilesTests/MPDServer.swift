import Foundation
import Glibc
import TestSupport
import Testing

/// A real `mpd` over a folder, ended with this object.
final class MPDServer {
    nonisolated static let isMissing = !ChildProcess.missing("mpd").isEmpty

    private let process: ChildProcess
    private let folder: TemporaryFolder
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Where its stored playlists are.
    let playlists: String

    init(music: String) throws {
        folder = try TemporaryFolder()
        playlists = try folder.makeFolder("playlists")
        let configuration = try folder.write(
            "mpd.conf",
            """
            music_directory "\(music)"
            playlist_directory "\(playlists)"
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
        descriptor = try Self.connect(folder.file("socket"), process)
        _ = try line()
        try command("update")
        // The update is a job of its own; its end shows in the status.
        while try command("status").contains(where: { $0.hasPrefix("updating_db") }) {}
    }

    deinit {
        close(descriptor)
        process.end()
    }

    /// The lines of a reply without its `OK`; an `ACK` is its only line.
    @discardableResult func command(_ text: String) throws -> [String] {
        let bytes = Array((text + "\n").utf8)
        try #require(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
        var lines: [String] = []
        while true {
            let next = try line()
            if next == "OK" { return lines }
            lines.append(next)
            if next.hasPrefix("ACK") { return lines }
            if next.hasPrefix("binary: "), let count = Int(next.dropFirst(8)) {
                while buffer.count < count + 1 { try fill() }
                buffer.removeFirst(count + 1)
            }
        }
    }

    private func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 0x0a) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            try fill()
        }
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(descriptor, &chunk, chunk.count)
        try #require(count > 0, "mpd closed the connection: \(process.errorText.suffix(500))")
        buffer += chunk[..<count]
    }

    /// Connects as soon as the server listens.
    private static func connect(_ path: String, _ process: ChildProcess) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), "the socket's path is too long")
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in unsafe place.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            let result = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { return descriptor }
            try #require(process.isRunning, "mpd ended: \(process.errorText.suffix(500))")
            try #require(ContinuousClock.now < deadline, "mpd does not listen")
            sched_yield()
        }
    }
}
