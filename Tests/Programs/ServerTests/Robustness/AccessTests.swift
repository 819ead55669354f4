import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Who may do what, and from where.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct AccessTests {
    @Test func passwords() async throws {
        let server = try await Segued.start(
            .options(["--password", "reader@read", "--password", "all of it", "--password", "adder@read,add"])
        )
        // From this machine no password is needed, unless the configuration says so.
        #expect(try server.connect().ask("status").last == "OK")
        let folder = try TemporaryFolder()
        let strict = try await Segued.start(
            .toml(
                """
                listen = ["unix:\(folder.file("socket"))"]
                local-permissions = "none"
                [[password]]
                password = "reader"
                permissions = ["read"]
                [[password]]
                password = "adder"
                permissions = ["read", "add"]
                [[password]]
                password = "all of it"
                """
            ),
            in: folder
        )
        let client = try strict.connect()
        let denied = { (command: String) in "ACK [4@0] {\(command)} you don't have permission for \"\(command)\"" }
        #expect(client.ask("status") == [denied("status")])
        #expect(client.ask("ping") == ["OK"])
        #expect(client.ask("password wrong") == ["ACK [3@0] {password} incorrect password"])
        #expect(!client.ask("commands").contains("command: status"))
        #expect(client.ask("notcommands").contains("command: status"))
        try client.order("password reader")
        #expect(client.ask("status").last == "OK")
        for command in ["add one.flac", "play", "save x", "enableoutput 0"] {
            #expect(client.ask(command).last?.hasPrefix("ACK [4@0]") == true, "\(command)")
        }
        try client.order("password adder")
        try client.order("add one.flac")
        #expect(client.ask("clear") == [denied("clear")])
        try client.order("password \"all of it\"")
        for command in ["clear", "save x", "rm x", "enableoutput 0"] { try client.order(command) }
    }

    /// Neither looking nor adding alone has the server fetch anything.
    @Test func urlsNeedThePermissionNetwork() async throws {
        let asked = try HostileServer { $0.reset() }
        let server = try await Segued.start(
            .options(["--password", "reader@read", "--password", "adder@read,add,control,player,no-network"])
        )
        let client = try server.connect()
        let url = asked.url("list.m3u")
        for (password, commands) in [
            ("reader", ["listplaylist %", "listplaylistinfo %", "searchplaylist % any x", "playlistlength %"]),
            ("adder", ["add %", "addid %", "load %", "playlistadd list %", "announce %", "announce one.flac chime %"]),
        ] {
            try client.order("password \(password)")
            for command in commands {
                let answer = client.ask(command.replacing("%", with: url)).last ?? ""
                #expect(
                    answer.hasPrefix("ACK [4@0]") && answer.hasSuffix("URLs need the permission network"),
                    "\(answer)"
                )
            }
        }
        try client.order("add one.flac")
        #expect(asked.state.current.requests.isEmpty)
    }

    @Test func listeners() async throws {
        let port = try steadyPort()
        let name = "segue-test-\(getpid())-\(port)"
        let folder = try TemporaryFolder()
        let server = try await Segued.start(
            .toml(
                """
                listen = [
                    "unix:\(folder.file("socket"))", "@\(name)", "tcp:[::1]:\(port)", "tcp:127.0.0.1:\(port) = kitchen",
                ]
                [[output]]
                name = "here"
                type = "null"
                [[zone]]
                name = "kitchen"
                """
            ),
            in: folder
        )
        #expect(try server.connect().values("status")["partition"] == "default")
        #expect(try LineClient(.abstract(name)).values("status")["partition"] == "default")
        #expect(try LineClient(.ipv6(port)).values("status")["partition"] == "default")
        let bound = try LineClient(.ipv4(port))
        #expect(try bound.values("status")["partition"] == "kitchen")
        var status = stat()
        try #require(unsafe lstat(server.socket, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        // Only the user's own Unix socket leads out of the music directory.
        let inside = try await Music.folder() + "/one.flac"
        let file = folder.file("outside.flac")
        try FileManager.default.copyItem(atPath: inside, toPath: file)
        try server.connect().order("add \"file://\(file)\"")
        try LineClient(.abstract(name)).order("add \"\(file)\"")
        for command in ["add \"file://\(file)\"", "add \"\(file)\"", "lsinfo \"\(file)\"", "addid \"file://\(file)\""] {
            #expect(bound.ask(command).last?.contains("Access denied") == true, "\(command)")
        }
        // A path within is only another way to say where it is.
        #expect(bound.ask("add \"\(inside)\"") == ["OK"])
        #expect(bound.ask("config").last?.hasPrefix("ACK [4@0]") == true)
        #expect(try !bound.order("urlhandlers").contains("handler: file://"))
        try await server.stop()
        #expect(unsafe access(server.socket, F_OK) != 0)
    }

    /// No path leads out of the music directory, however it is written.
    @Test func paths() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        try folder.write("secret.txt", "secret\n")
        try FileManager.default.copyItem(atPath: await Music.folder() + "/one.flac", toPath: folder.file("secret.flac"))
        try folder.write("music/list.m3u", "../secret.flac\n/etc/passwd\n")
        let links = [
            ("out", folder.path), ("out.flac", folder.file("secret.flac")), ("up", ".."), ("loop", "loop"),
        ]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: "\(music)/\(name)", withDestinationPath: target)
        }
        let port = try steadyPort()
        let server = try await Segued.start(
            .toml(
                """
                listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
                follow-outside-symlinks = false
                """
            ),
            in: folder,
            music: music
        )
        _ = server
        let client = try LineClient(.ipv4(port))
        let tricks = [
            "..", "../secret.flac", "out", "out/secret.flac", "out.flac", "up/secret.flac", "loop", "./../secret.flac",
            "%2e%2e/secret.flac", "..%2fsecret.flac", "x/../../secret.flac", "//etc/passwd", "out.flac\\0x",
            folder.file("secret.flac"), "file://\(folder.file("secret.flac"))", "FILE:///etc/passwd",
            "file:../secret.flac",
            "concat:\(folder.file("secret.flac"))", "subfile:,,start,0,end,9,,:/etc/passwd", "unix:/run/x",
            String(repeating: "../", count: 1_000) + "etc/passwd", String(repeating: "a", count: 5_000),
        ]
        for trick in tricks {
            for command in [
                "add", "addid", "lsinfo", "listall", "listallinfo", "listfiles", "readcomments", "lyrics", "load",
            ] {
                let reply = client.ask("\(command) \"\(trick)\"")
                #expect(reply.last?.hasPrefix("ACK") == true, "\(command) \(trick): \(reply)")
            }
            for (command, more) in [
                ("albumart", ""), ("readpicture", ""), ("artwork song", "100 "), ("artwork directory", "100 "),
                ("artwork playlist", "100 "),
                ("thumbnail", "100 0 "),
            ] {
                let reply = client.ask("\(command) \"\(trick)\" \(more)0")
                #expect(!reply.contains { $0.hasPrefix("binary") }, "\(command) \(trick): \(reply)")
            }
        }
        for name in ["../evil", "/tmp/evil", "a/b", "", ".."] where name != ".." {
            #expect(client.ask("save \"\(name)\"").last?.hasPrefix("ACK") == true, "\(name)")
            #expect(client.ask("rm \"\(name)\"").last?.hasPrefix("ACK") == true, "\(name)")
        }
        // What a playlist in the folder names outside of it is not to be had.
        _ = client.ask("load list.m3u")
        #expect(try client.values("status")["playlistlength"] == "0")
    }
}
