import ArgumentParser
import Foundation
import Settings
import Testing

/// The manual pages say what can be set: every key and option, and no other.
@Suite struct ManualTests {
    private func page(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "man/\(name)"), encoding: .utf8).replacing("\\-", with: "-")
    }

    @Test func everyKeyIsInTheManualAndNoOther() throws {
        let described = try page("segued.toml.5").matches(of: /\.TP\n\.B ([a-z.-]+)\n/).map { String($0.output.1) }
        let keys = Configuration.keys
        #expect(Set(keys).subtracting(described) == [])
        #expect(Set(described).subtracting(keys) == [])
        #expect(Set(described).count == described.count)
        #expect(keys.count > 50)
    }

    /// A key's entry has an example in which it occurs.
    @Test func everyKeyHasAnExample() throws {
        for entry in try page("segued.toml.5").split(separator: ".TP\n").dropFirst() {
            let key = try #require(entry.firstMatch(of: /\A\.B ([a-z.-]+)\n/)).output.1
            guard !key.hasPrefix("zone.output."), !key.hasPrefix("zone.stream.") else { continue }
            let example = try #require(entry.firstMatch(of: /\.EX\n([^$]*?)\.EE/), "\(key)").output.1
            let name = key.split(separator: ".").last ?? ""
            #expect(example.contains("\(name) =") || example.contains("\(name)]"), "\(key)")
        }
    }

    @Test func theManualsExampleIsRight() throws {
        let text = try page("segued.toml.5")
        let section = try #require(text.split(separator: ".SH EXAMPLE").last)
        let example = try #require(section.firstMatch(of: /\.EX\n([^$]*?)\.EE/)).output.1
        #expect(remarks(String(example)) == [])
        #expect(try parse(String(example)).zones.map(\.name) == ["default", "kitchen"])
    }

    @Test func everyOptionIsInTheManualAndNoOther() throws {
        struct Daemon: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "segued", version: "1")
            @OptionGroup var options: DaemonOptions
        }
        func options(in text: String) -> Set<String> {
            Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        }
        let declared = options(in: Daemon.helpMessage(columns: 400))
        let section = try page("segued.8").split(separator: ".SH OPTIONS").last?.split(separator: "\n.SH").first
        let described = options(in: String(try #require(section)))
        #expect(declared.subtracting(described) == [])
        #expect(described.subtracting(declared) == [])
    }
}
