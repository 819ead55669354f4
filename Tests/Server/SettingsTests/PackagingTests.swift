import Configuration
import Foundation
import Testing

@Suite struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func example() throws -> String {
        try String(contentsOf: Self.root.appending(path: "packaging/segued.toml"), encoding: .utf8)
    }

    @Test func theExampleAsItIsChangesNothing() throws {
        #expect(try parse(example()) == Configuration(defaultsFor: person))
        #expect(try remarks(example()) == [])
    }

    /// With the comment signs taken off it is a whole configuration, and it leaves no key out.
    @Test func theExampleIsRightAndWhole() throws {
        let text = try example().replacing(/^#(?=[a-z\[])/.anchorsMatchLineEndings(), with: "")
        #expect(remarks(text) == [])
        let configuration = try parse(text)
        #expect(configuration.zones.map(\.name) == ["default", "kitchen"])
        #expect(configuration.limits == Limits())
        #expect(configuration.resumeWithin == Configuration(defaultsFor: person).resumeWithin)
        for key in Configuration.keys {
            let name = key.split(separator: ".").last ?? ""
            #expect(text.contains("\(name) =") || text.contains("[\(name)]"), "\(key)")
        }
    }

    private static let verifier = "/usr/bin/systemd-analyze"

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: verifier), "needs systemd-analyze"),
        arguments: ["system", "user"]
    )
    func unitsAreValid(kind: String) throws {
        let scratch = try Scratch()
        try scratch.write("#!/bin/sh\n", to: "segued", mode: 0o755)
        let folder = Self.root.appending(path: "packaging/systemd/\(kind)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["segued.service", "segued.socket"])
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            try scratch.write(text.replacing("@bindir@", with: scratch.path), to: "\(kind)/\(name)", mode: 0o644)
        }
        let process = Process()
        process.executableURL = URL(filePath: Self.verifier)
        process.arguments = ["verify", "--man=no", "--\(kind)"] + names.map { "\(scratch.path)/\(kind)/\($0)" }
        process.environment = ["XDG_RUNTIME_DIR": scratch.path, "PATH": "/usr/bin:/bin"]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(said == "")
    }
}
