import Foundation
import Settings
import Testing

@Suite struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func example() throws -> String {
        try String(contentsOf: Self.root.appending(path: "packaging/segued.toml"), encoding: .utf8)
    }

    @Test func theExampleAsItIsChangesNothing() throws {
        #expect(try parse(example()) == Configuration(defaultsFor: person))
        #expect(try remarks(example()) == [])
    }

    /// What people are told to install is what the manifest needs, and what the container is built with.
    @Test func theSwiftVersionIsTheSameEverywhere() throws {
        func read(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        }
        let manifest = try read("Package.swift")
        let version = try #require(manifest.firstMatch(of: /swift-tools-version: (\d+\.\d+)/)).output.1
        #expect(try read("README.md").contains("(\(version) or later)"))
        #expect(try read("Makefile").contains("Swift \(version) or later"))
        #expect(try read("packaging/Containerfile").contains("library/swift:\(version)-"))
    }

    /// The Debian package is built with what `make run` installs, but for git.
    @Test func theDebianPackageIsBuiltWithTheSame() throws {
        func read(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        }
        let makefile = try read("Makefile").replacing("\\\n", with: " ")
        let list = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("RUN_PACKAGES = ") })
        let control = try read("packaging/debian/control")
        let needed = try #require(control.firstMatch(of: /Build-Depends: debhelper-compat[^,]*,\n((?: .*\n)+)/)).output
            .1
        let words = needed.split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " ,")) }
        #expect(
            Set(words)
                == Set(list.split(whereSeparator: \.isWhitespace).dropFirst(2).map(String.init)).subtracting(["git"])
        )
        #expect(words == words.sorted())
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

    /// The account that the service runs as is made, with its group.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: accountMaker), "needs systemd-sysusers"))
    func theAccountIsMade() throws {
        let scratch = try Scratch()
        let account = Self.root.appending(path: "packaging/sysusers.d/segue.conf")
        try scratch.write(
            String(contentsOf: account, encoding: .utf8),
            to: "usr/lib/sysusers.d/segue.conf",
            mode: 0o644
        )
        try scratch.write("", to: "etc/passwd", mode: 0o644)
        let process = try Process.run(
            URL(filePath: Self.accountMaker),
            arguments: ["--root=\(scratch.path)", "segue.conf"]
        )
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let users = try String(contentsOfFile: scratch.path + "/etc/passwd", encoding: .utf8)
        #expect(users.contains(/^segue:.*:\/var\/lib\/segue:/.anchorsMatchLineEndings()))
        let groups = try String(contentsOfFile: scratch.path + "/etc/group", encoding: .utf8)
        #expect(groups.contains(/^audio:.*:segue$/.anchorsMatchLineEndings()))
    }

    private static let accountMaker = "/usr/bin/systemd-sysusers"
    private static let verifier = "/usr/bin/systemd-analyze"
    /// What `systemd-analyze security` may come to, in tenths: what of it is left, the service needs.
    private static let exposure = ["system": 17, "user": 63]

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

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: verifier), "needs systemd-analyze"),
        arguments: ["system", "user"]
    )
    func unitsExposeLittle(kind: String) throws {
        let scratch = try Scratch()
        let unit = Self.root.appending(path: "packaging/systemd/\(kind)/segued.service")
        let text = try String(contentsOf: unit, encoding: .utf8)
        try scratch.write(text.replacing("@bindir@", with: "/usr/bin"), to: "segued.service", mode: 0o644)
        let limit = try #require(Self.exposure[kind])
        let process = Process()
        process.executableURL = URL(filePath: Self.verifier)
        process.arguments = ["security", "--offline=true", "--threshold=\(limit)", "\(scratch.path)/segued.service"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
