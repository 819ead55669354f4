import Foundation
import TestSupport
import TestThreads
import Testing

/// What is decided before anything is listened to.
@Suite(.blocking) struct DaemonCommandLineTests {
    @Test(arguments: [
        (["--bogus"], "Unknown option '--bogus'"),
        (["--listen", "somewhere"], "listeners are unix:PATH, @NAME, tcp:HOST:PORT, tcp::PORT"),
        (["--log-level", "loud"], "'loud' is invalid"),
        (["--config", "a", "--mpd-conf", "b"], "--config and --mpd-conf exclude each other"),
        (["music"], "Unexpected argument 'music'"),
        (["import-mpd", "--bogus"], "Unknown option '--bogus'"),
        (["setup", "--bogus"], "Unknown option '--bogus'"),
        (["setup", "--config", "x", "--service", "user", "--dry-run"], "--config goes with --service none"),
        (["setup", "--network", "some", "--dry-run"], "off, lan or password, not 'some'"),
    ])
    func aWrongCommandLineIsRefused(words: [String], reason: String) async throws {
        let result = try await Programs.run("segued", words)
        #expect(result.status == .code(64))
        #expect(result.errorText.contains(reason))
    }

    @Test func aConfigurationIsChecked() async throws {
        let place = try Place()
        let good = try place.folder.write("good.toml", "music-directory = \"\(place.folder.file("music"))\"\n")
        let bad = try place.folder.write("bad.toml", "log-level = \"info\"\nmusik-directory = \"/\"\ncrossfade = -1\n")
        for words in [["segued", "--check-config"], ["segue", "config", "check"]] {
            let program = words[0]
            let verb = Array(words.dropFirst())
            let first = try await Programs.run(program, verb + ["--config", good])
            #expect(first.status == .code(0) && first.outputText == "\(good): good\n")
            let second = try await Programs.run(program, verb + ["--config", bad])
            #expect(second.status == .code(1))
            let lines = second.outputText.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("\(bad):2:") && $0.contains("music-directory") })
            #expect(lines.contains { $0.hasPrefix("\(bad):3:") })
        }
    }

    @Test func pathsAreTold() async throws {
        let place = try Place()
        let file = try place.folder.write("segued.toml", "state-directory = \"\(place.folder.path)/state\"\n")
        let own = try await Programs.run("segued", ["--paths", "--config", file])
        #expect(own.status == .code(0) && own.outputText.hasSuffix("\n"))
        #expect(own.outputText.contains("state-directory     \(place.folder.path)/state"))
        let remote = try await Programs.run("segue", ["config", "paths", "--config", file])
        #expect(remote.outputText == own.outputText)
    }

    @Test func noFileIsAnEmptyConfiguration() async throws {
        let result = try await Programs.run("segued", ["--config", "/dev/null", "--check-config"])
        #expect(result.status == .code(0) && result.outputText.hasSuffix("/dev/null: good\n"), "\(result.outputText)")
    }

    @Test func aMissingConfigurationIsNamed() async throws {
        let result = try await Programs.run("segued", ["--config", "/nonexistent/segued.toml"])
        #expect(result.status == .code(1))
        #expect(result.errorText == "/nonexistent/segued.toml: there is no such file\n")
    }
}
