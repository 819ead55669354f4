import Foundation
import Testing

/// Conversions that end the process for some numbers are to be turned down by the compiler, in every target.
@Suite struct ConversionBanTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Compiles a snippet as the package's targets are, and returns what the compiler says of it.
    private func complaints(_ snippet: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "segue-ban-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Snippet.swift")
        try snippet.write(to: file, atomically: true, encoding: .utf8)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
            "-enable-upcoming-feature", "MemberImportVisibility",
            "-package-name", Self.root.lastPathComponent.lowercased(),
            "-I", Self.root.appending(path: ".build/debug/Modules").path,
            "-Xfrontend", "-import-module", "-Xfrontend", "Numbers", file.path,
        ]
        let errors = Pipe()
        compiler.standardError = errors
        try compiler.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        return text
    }

    /// Every line by itself is turned down, also in the middle of others.
    @Test func trappingConversionsDoNotCompile() throws {
        let types = ["Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64"]
        var lines = types.flatMap { ["_ = \($0)(double)", "_ = \($0)(float)", "_ = \($0)(double * 2)"] }
        lines += [
            "_ = Int(double.rounded())", "let number: Int = .init(double)", "_ = [double].map(Int.init)",
            "_ = Int(1.5)",
            "_ = Duration.seconds(double)", "_ = Duration.milliseconds(double)", "_ = duration * double",
            "_ = duration / double", "_ = clock_t(double)",
        ]
        let body = lines.map { "    \($0)" }.joined(separator: "\n")
        let parameters = "_ double: Double, _ float: Float, _ duration: Duration"
        let text = try complaints("import Glibc\nfunc convert(\(parameters)) {\n\(body)\n}\n")
        for (index, line) in lines.enumerated() {
            #expect(text.contains("Snippet.swift:\(index + 3):"), "\(line) compiles:\n\(text)")
        }
    }

    /// A lazy collection's `compactMap` ends the process when its transform changes its answer.
    @Test func lazyCompactMapDoesNotCompile() throws {
        let text = try complaints("func first(_ words: [String]) -> Int? { words.lazy.compactMap { Int($0) }.first }")
        #expect(text.contains("firstNonNil"), "\(text)")
        let others =
            "func first(_ words: [String]) -> Int? { words.firstNonNil { Int($0) } ?? words.compactMap { Int($0) }.last }"
        #expect(try complaints(others).isEmpty)
    }

    /// `+5` would be a number of two digits: `init(digits:radix:)` takes none with a sign.
    @Test func numbersInDigitsAreReadWithoutASign() throws {
        let conversion = try Regex(#"\bU?Int(8|16|32|64)?\((?!digits:)[^()]*(\([^()]*\)[^()]*)*, radix:"#)
        let sources = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        #expect("UInt8(text.prefix(2), radix: 16)".contains(conversion))
        #expect(!"UInt8(digits: text, radix: 16) + String(UInt8(3), radix: 16)".contains(conversion))
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            #expect(!text.contains(conversion), "\(file)")
        }
    }

    @Test func otherConversionsCompile() throws {
        let text = try complaints(
            """
            func convert(_ double: Double, _ float: Float, _ byte: UInt8, _ duration: Duration) -> [Int?] {
                _ = duration * 2 + .seconds(2) + .seconds(saturating: double)
                return [Int(saturating: double), Int(exactly: float), Int(byte), Int("3"), Int(clamping: byte), Int(3)]
            }
            """
        )
        #expect(text.isEmpty, "\(text)")
    }

    /// The settings of every target below Sources import the module that turns conversions down.
    @Test func everyTargetIsHeldToIt() throws {
        let manifest = Process()
        manifest.executableURL = URL(filePath: "/usr/bin/env")
        manifest.arguments = ["swift", "package", "--ignore-lock", "--package-path", Self.root.path, "dump-package"]
        let output = Pipe()
        manifest.standardOutput = output
        try manifest.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        manifest.waitUntilExit()
        let package = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let targets = try #require(package["targets"] as? [[String: Any]])
        for target in targets {
            guard let name = target["name"] as? String, let kind = target["type"] as? String,
                kind == "regular" || kind == "executable", target["path"] == nil, name != "Numbers"
            else { continue }
            let settings = "\(target["settings"] ?? "")"
            #expect(settings.contains("-import-module"), "\(name) is not held to it")
        }
    }
}
