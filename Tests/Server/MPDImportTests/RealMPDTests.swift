import ArgumentParser
import Foundation
import Glibc
import MPDImport
import Settings
import TestSupport
import Testing

/// What a real mpd leaves behind is taken over.
@Suite struct RealMPDTests {
    private static let program = "/usr/bin/mpd"

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: program), "needs Debian's package mpd"),
        .timeLimit(.minutes(5))
    )
    func everythingIsTakenOver() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mpd-\(UInt32.random(in: 0...(.max)))").path
        try FileManager.default.createDirectory(atPath: folder + "/music", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder + "/lists", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["one.wav", "zwei ü.wav"] {
            try wave(seconds: 2).write(to: URL(filePath: folder + "/music/\(name)"))
        }
        try settings(in: folder).write(toFile: folder + "/mpd.conf", atomically: true, encoding: .utf8)
        try run(in: folder)

        let options = try DaemonOptions.parse(["--mpd-conf", folder + "/mpd.conf"])
        let state = ImportSources(try Configuration.load(options).configuration).read()
        #expect(state.problems == [])
        #expect(state.queue.map(\.uri) == ["zwei ü.wav", "http://127.0.0.1:9/x.mp3", "one.wav"])
        #expect(state.queue.map(\.priority) == [0, 0, 7])
        #expect(state.queue.first?.start == 0.5 && state.queue.first?.end == 1.25)
        #expect(state.queue[1].tags == [ImportedTag(name: "Title", value: "A stream")])
        #expect(state.options.random && state.options.consume == .on && state.options.crossfade == 4)
        #expect(state.volume == 33)
        #expect(state.outputs == [ImportedOutput(name: "Nowhere", isEnabled: false)])
        #expect(
            state.playlists == [
                ImportedPlaylist(name: "My list", uris: ["zwei ü.wav", "http://127.0.0.1:9/x.mp3", "one.wav"])
            ]
        )
        #expect(
            state.stickers == [
                ImportedSticker(type: "song", uri: "zwei ü.wav", name: "rating", value: "a = 5\" ü")
            ]
        )
    }

    private func settings(in folder: String) -> String {
        """
        music_directory "\(folder)/music"
        playlist_directory "\(folder)/lists"
        state_file "\(folder)/state"
        sticker_file "\(folder)/sticker.sql"
        db_file "\(folder)/db"
        bind_to_address "\(folder)/socket"
        zeroconf_enabled "no"
        audio_output {
            type "null"
            name "Nowhere"
            mixer_type "software"
        }

        """
    }

    /// An mpd that found its mpd.conf by itself writes the state file that is named there, and no other.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: program), "needs Debian's package mpd"))
    func anMPDWithItsUsualConfigurationIsKnown() throws {
        let folder = try TemporaryFolder()
        for name in ["music", "lists", "mpd"] { _ = try folder.makeFolder(name) }
        try folder.write("mpd/mpd.conf", settings(in: folder.path))
        for name in ["state", "other-state"] { try folder.write(name, "") }
        let (mpd, _) = try start([], in: folder.path, ["XDG_CONFIG_HOME": folder.path, "HOME": folder.path])
        defer { end(mpd) }
        var environment = ProcessEnvironment.process
        environment.variables["XDG_CONFIG_HOME"] = folder.path
        let found = RunningMPD(process: Int(mpd.processIdentifier), manager: .none)
        #expect(found.mayWrite(stateFile: folder.file("state"), in: environment))
        #expect(!found.mayWrite(stateFile: folder.file("other-state"), in: environment))
    }

    /// Starts mpd, and returns when it answers.
    private func start(
        _ words: [String],
        in folder: String,
        _ environment: [String: String]? = nil
    ) throws -> (Process, LineClient) {
        let mpd = Process()
        mpd.executableURL = URL(filePath: Self.program)
        mpd.arguments = ["--no-daemon", "--stderr"] + words
        if let environment { mpd.environment = environment }
        mpd.standardError = FileHandle.nullDevice
        try mpd.run()
        while mpd.isRunning {
            if let client = try? LineClient(.unix(folder + "/socket")) { return (mpd, client) }
        }
        throw ClientError(description: "mpd ended at once")
    }

    private func end(_ mpd: Process) {
        mpd.terminate()
        mpd.waitUntilExit()
    }

    /// Runs mpd, makes it do something, and ends it.
    private func run(in folder: String) throws {
        let (mpd, line) = try start([folder + "/mpd.conf"], in: folder)
        defer { end(mpd) }
        let process = Int(mpd.processIdentifier)
        let found = RunningMPD(process: process, manager: .none)
        #expect(RunningMPD.find().contains(found))
        try Data().write(to: URL(filePath: folder + "/state"))
        try Data().write(to: URL(filePath: folder + "/other-state"))
        #expect(found.mayWrite(stateFile: folder + "/state"))
        #expect(!found.mayWrite(stateFile: folder + "/other-state"))
        try line.order("update")
        while try line.values("status")["updating_db"] != nil { try line.order("idle update") }
        for command in [
            "addid \"zwei ü.wav\"", "addid http://127.0.0.1:9/x.mp3", "addid one.wav", "rangeid 1 0.5:1.25",
            "prioid 7 3",
            "addtagid 2 Title \"A stream\"", "random 1", "consume 1", "crossfade 4", "setvol 33", "disableoutput 0",
            "save \"My list\"", "sticker set song \"zwei ü.wav\" rating \"a = 5\\\" ü\"",
        ] {
            try line.order(command)
        }
    }

    /// Silence in mono.
    private func wave(seconds: Int) -> Data {
        let count = UInt32(seconds * 8_000 * 2)
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        var data = Array("RIFF".utf8) + bytes(count + 36) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
        data += bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(8_000)) + bytes(UInt32(16_000))
        data += bytes(UInt16(2)) + bytes(UInt16(16)) + Array("data".utf8) + bytes(count)
        return Data(data + [UInt8](repeating: 0, count: Int(count)))
    }

    @Test func whatIsMissingIsNamed() {
        let sources = ImportSources(
            stateFile: "/nonexistent/state",
            stickerFile: "/nonexistent/sticker.sql",
            playlistDirectory: "/nonexistent/lists"
        )
        #expect(
            sources.read().problems == [
                "MPD's state cannot be read from /nonexistent/state: No such file or directory",
                "MPD's playlists cannot be read from /nonexistent/lists: No such file or directory",
                "MPD's stickers cannot be read from /nonexistent/sticker.sql: unable to open database file",
            ]
        )
    }

    @Test func playlistsBecomeRelative() {
        let sources = ImportSources(musicDirectory: "/music")
        #expect(
            sources.uris(in: "#EXTM3U\r\n/music/a.flac\n/musical.flac\nb.flac\nhttp://x\n\n") == [
                "a.flac", "/musical.flac", "b.flac", "http://x",
            ]
        )
    }
}
