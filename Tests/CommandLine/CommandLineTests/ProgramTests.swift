import CommandOptions
import Foundation
import TestSupport
import Testing

/// The built programs, as far as they need neither media nor a sound server.
@Suite struct ProgramTests {
    @Test(
        arguments: [
            ([], 0, "USAGE: segue <verb>", ""),
            (["--help"], 0, "segue play album/", ""),
            (["play", "--help"], 0, "--replaygain-preamp <dB>", ""),
            (["help", "probe"], 0, "segue probe [--json] <file> ...", ""),
            (["devices", "-h"], 0, "--names", ""),
            (["--version"], 0, "segue 0.1.0", ""),
            (["play", "--shuffle"], 64, "", "Error: nothing to play: name a file, folder, playlist or URL"),
            (["probe"], 64, "", "Error: nothing to probe: name a file or URL"),
            (["song.flac"], 64, "", "Error: to play a file: segue play 'song.flac'"),
            (["statsu"], 64, "", "Error: there is no verb 'statsu'; did you mean 'stats' or 'status'?"),
            (["frobnicate"], 64, "", "Error: there is no verb 'frobnicate'; segue --help lists them"),
            (["play", "x", "--speed", "9"], 64, "", "it must be a number from 0.25 to 4"),
            (["play", "x", "--sped", "2"], 64, "", "Unknown option '--sped'"),
            (["play", "/nonexistent/a.flac"], 1, "", "/nonexistent/a.flac: No such file or directory"),
            (
                ["play", "--json", "/nonexistent/a"], 1, #"{"event":"finished","played":0,"failed":1,"exit_status":1}"#,
                ""
            ),
        ] as [([String], Int32, String, String)]
    )
    func endsAsTheManualSays(arguments: [String], status: Int32, output: String, error: String) throws {
        let result = try Program.run(try Program.own("segue"), arguments)
        #expect(result.status == status)
        #expect(!result.wasSignalled)
        #expect(output.isEmpty ? result.standardOutput.isEmpty : result.standardOutput.contains(output))
        #expect(error.isEmpty ? result.standardError.isEmpty : result.standardError.contains(error))
    }

    @Test(arguments: [
        [], ["play"], ["probe"], ["devices"], ["search"], ["playlist"], ["sticker"], ["library"], ["zone"], ["session"],
        ["announce"], ["import-mpd"],
    ])
    func helpFitsATerminal(words: [String]) throws {
        for program in words.isEmpty ? ["segue", "segued"] : ["segue"] {
            let help = try Program.run(try Program.own(program), words + ["--help"], environment: ["COLUMNS": "80"])
            #expect(help.status == 0)
            #expect(help.standardOutput.split(separator: "\n").filter { $0.count > 80 } == [], "\(words)")
        }
    }

    @Test func aMissingSiblingIsNamed() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "segue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appending(path: "segue").path
        // By another process: were the copy open for writing here, a child of another test could keep it busy.
        #expect(try Program.run("/bin/cp", [try Program.own("segue"), copy]).status == 0)
        let play = try Program.run(copy, ["play", "x"])
        #expect(play.status == ExitStatus.incompleteInstallation.rawValue)
        #expect(play.standardError.contains("segue-play is missing; it belongs at \(folder.path)/segue-play"))
        let version = try Program.run(copy, ["--version"])
        #expect(version.standardOutput == "segue \(segueVersion)\n")
        #expect(version.status == ExitStatus.incompleteInstallation.rawValue)
        #expect(try Program.run(copy, ["play", "--help"]).status == 0)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let result = try Program.run(try Program.own("segue"), ["--generate-completion-script", shell])
        #expect(result.status == 0)
        for word in ["play", "probe", "devices", "replaygain-preamp", "null:fast", "follow"] {
            #expect(result.standardOutput.contains(word), "\(word)")
        }
        guard shell == "bash" else { return }
        let folder = try TemporaryFolder()
        let file = try folder.write("segue", result.standardOutput)
        #expect(try Program.run("/bin/bash", ["-n", file]).status == 0)
    }

    /// The command that people start links no media library.
    @Test func segueIsThin() throws {
        let result = try Program.run("/usr/bin/ldd", [try Program.own("segue")])
        for library in ["libav", "libswresample", "libswscale", "libpulse", "libsonic", "libFoundation.so", "icu"] {
            #expect(!result.standardOutput.contains(library), "\(library)")
        }
    }
}
