import ArgumentParser
import Foundation
import LineProtocol
import Settings
import Testing

@Suite struct LoadTests {
    private func options(_ arguments: String...) throws -> DaemonOptions { try DaemonOptions.parse(arguments) }

    /// A person whose home is a folder of the test's.
    private func resident(of folder: String) -> ProcessEnvironment {
        ProcessEnvironment(
            variables: ["XDG_CONFIG_HOME": folder + "/config", "XDG_RUNTIME_DIR": folder + "/run"],
            userID: 1000,
            home: folder,
            currentDirectory: folder
        )
    }

    @Test func thePersonsFileIsFoundFirst() throws {
        let scratch = try Scratch()
        try scratch.write("crossfade = 3\nstate-directory = \"s\"", to: "config/segue/segued.toml")
        let loaded = try Configuration.load(options(), in: resident(of: scratch.path))
        #expect(loaded.file == scratch.path + "/config/segue/segued.toml")
        #expect(loaded.configuration.crossfade == .seconds(3))
        #expect(loaded.configuration.stateDirectory == scratch.path + "/config/segue/s")
    }

    @Test func optionsOverruleTheFile() throws {
        let scratch = try Scratch()
        try scratch.write(
            "listen = \"tcp::1\"\nlog-level = \"error\"\n[[output]]\nname = \"A\"\ntype = \"pulse\"\n[[password]]\npassword = \"p\"",
            to: "my.toml"
        )
        let arguments = [
            "--config", "my.toml", "--music-dir", "music", "--state-dir", "/s", "--listen", "unix:run/socket",
            "--listen", "tcp:127.0.0.1:7000", "--output", "null", "--output", "null", "--output", "file:a.flac",
            "--password", "x@read", "--log-level", "trace", "--log-format", "json",
        ]
        // The file is found from where the process really is.
        let config = scratch.path + "/my.toml"
        let parsed = try DaemonOptions.parse(arguments.map { $0 == "my.toml" ? config : $0 })
        let configuration = try Configuration.load(parsed, in: resident(of: scratch.path)).configuration
        #expect(configuration.musicDirectory == scratch.path + "/music")
        #expect(configuration.playlistDirectory == "/s/playlists")
        #expect(configuration.cacheDirectory == "/s/cache")
        #expect(
            configuration.listeners == [
                Listener(.unix(path: scratch.path + "/run/socket", mode: 0o600)),
                Listener(.tcp(host: "127.0.0.1", port: 7000)),
            ]
        )
        #expect(
            configuration.zones == [
                ZoneSettings(
                    name: "default",
                    outputs: [
                        Output(name: "null", kind: .null), Output(name: "null 2", kind: .null),
                        Output(name: "recorder", kind: .file(path: scratch.path + "/a.flac")),
                    ]
                )
            ]
        )
        #expect(configuration.access.passwords == [Password("x", permissions: .read)])
        #expect(configuration.logLevel == .trace)
        #expect(configuration.logFormat == .json)
    }

    @Test(arguments: [
        ["--listen", "udp::1"], ["--output", "oss"], ["--password", ""], ["--log-level", "loud"],
        ["--config", "a", "--mpd-conf", "b"], ["file.mp3"],
    ])
    func wrongOptionsAreUsageErrors(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try DaemonOptions.parse(arguments) }
        #expect(error.map { DaemonOptions.exitCode(for: $0).rawValue } == 64)
    }

    @Test func aNamedFileMustBeThere() throws {
        let (report, isUsable) = Configuration.check(try options("--config", "/nonexistent/x.toml"), in: person)
        #expect(report == "/nonexistent/x.toml: there is no such file")
        #expect(!isUsable)
    }

    @Test func aCheckNamesEverythingAtOnce() throws {
        let scratch = try Scratch()
        try scratch.write("colour = 1\n[limits]\nmax-messages = 0", to: "bad.toml")
        try scratch.write("music-directory = \"/tmp\"\n[[password]]\npassword = \"p\"", to: "good.toml", mode: 0o644)
        let bad = Configuration.check(try options("--config", scratch.path + "/bad.toml"), in: person)
        #expect(bad.report.split(separator: "\n").count == 2)
        #expect(!bad.isUsable)
        let good = Configuration.check(try options("--config", scratch.path + "/good.toml"), in: person)
        let file = scratch.path + "/good.toml"
        #expect(
            good.report
                == "\(file): warning: every user of this machine can read the passwords in it; chmod 600 prevents that\n\(file): good"
        )
        #expect(good.isUsable)
    }

    @Test func foldersFollowTheSurroundings() {
        let paths = StandardPaths(person)
        #expect(paths.state == "/nonexistent/ada/.local/state/segue")
        #expect(paths.cache == "/nonexistent/ada/.cache/segue")
        #expect(paths.socket == "/run/user/1000/segue/socket")
        #expect(paths.music == "/nonexistent/ada/Music")
        #expect(paths.configurationFiles.first == "/nonexistent/ada/.config/segue/segued.toml")
        let system = StandardPaths(service)
        #expect(system.state == "/var/lib/segue")
        #expect(system.cache == "/var/cache/segue")
        #expect(system.socket == "/run/segue/socket")
        #expect(system.configurationFiles.last == "/etc/segue/segued.toml")
        var unit = service
        unit.userID = 62_000
        unit.variables = ["STATE_DIRECTORY": "/var/lib/private/segue:/x", "RUNTIME_DIRECTORY": "/run/segue2"]
        #expect(StandardPaths(unit).state == "/var/lib/private/segue")
        #expect(StandardPaths(unit).socket == "/run/segue2/socket")
    }

    @Test(arguments: [
        ("XDG_MUSIC_DIR=\"$HOME/Musik\"", "/h/Musik"), ("# x\n XDG_MUSIC_DIR=\"/m\" ", "/m"),
        ("XDG_MUSIC_DIR=\"$HOME/\"", nil), ("XDG_MUSIC_DIR=relative", nil), ("XDG_VIDEOS_DIR=\"/v\"", nil), ("", nil),
    ])
    func desktopsSayWhereMusicIs(text: String, folder: String?) {
        #expect(ProcessEnvironment.musicFolder(inUserDirs: text, home: "/h") == folder)
    }

    @Test func pathsSayWhatIsThere() throws {
        let scratch = try Scratch()
        try scratch.write("music-directory = \".\"", to: "a.toml")
        let loaded = try Configuration.load(options("--config", scratch.path + "/a.toml"), in: person)
        let paths = loaded.paths(in: person)
        #expect(
            paths.map(\.name) == [
                "configuration", "music-directory", "playlist-directory", "state-directory", "cache-directory",
                "socket",
            ]
        )
        #expect(paths.map(\.exists) == [true, true, false, false, false, false])
    }
}
