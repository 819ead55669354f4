import Foundation
import TestSupport
import TestThreads
import Testing

/// `segue setup`, which `segued` carries out.
@Suite(.blocking)
struct SetupVerbTests {
    private let place: Place

    init() throws { place = try Place() }

    private var file: String { place.folder.file("etc/segued.toml") }

    private func setup(_ words: String...) async throws -> ChildProcess.Result {
        let program = try Programs.path("segue")
        let words = ["setup", "--config", file] + words
        return try await ChildProcess(program, words, environment: Programs.environment([:])).wait()
    }

    @Test func whatItWritesCanBeUsedAndUndone() async throws {
        let options = ["--music", place.folder.path, "--network", "lan", "--home-assistant", "10.0.0.2"]
        let dry = try await setup("--dry-run", options[0], options[1], options[2], options[3])
        #expect(dry.status == .code(0))
        #expect(dry.outputText.contains("+ allow-anonymous = \"lan\""))
        #expect(!FileManager.default.fileExists(atPath: file))

        let done = try await setup(
            "--yes",
            "--json",
            options[0],
            options[1],
            options[2],
            options[3],
            options[4],
            options[5]
        )
        #expect(done.status == .code(0), "\(done.errorText)")
        #expect(done.outputText.contains("\"is_new\":true"))
        let check = try await ChildProcess(try Programs.path("segued"), ["--config", file, "--check-config"]).wait()
        #expect(check.outputText.hasSuffix(": good\n"))

        let undone = try await setup("--undo", "--yes")
        #expect(undone.outputText.contains("remove \(file)"))
        #expect(!FileManager.default.fileExists(atPath: file))
        let again = try await setup("--undo", "--yes")
        #expect(again.status == .code(1) && again.errorText.contains("nothing to undo"))
    }

    /// Without a terminal it asks nothing, and does nothing unless it is told to.
    @Test func withoutATerminalItDoesNothing() async throws {
        let result = try await setup("--network", "lan")
        #expect(result.status == .code(1) && result.errorText.contains("no terminal"))
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
