import Foundation
import LineProtocol
import ServerBasics
import ServerCommands
import ServerRequests
import Songs
import TestSupport
import Testing

/// The manual page of the protocol has every command as the table has it, and no other.
@Suite struct ManualTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "man/segue-protocol.7").path

    /// The page without changes of font.
    private static let page: String? = try? String(contentsOfFile: file, encoding: .utf8)
        .replacing("\\-", with: "-").replacing(/\\f[BIRP]/, with: "")

    /// The commands' entries: usage and class.
    private func entries() throws -> [(usage: String, permission: String)] {
        try #require(Self.page).matches(of: /\.TP\n(.+) \\\(em ([a-z]+)\n/).map {
            (usage: String($0.output.1), permission: String($0.output.2))
        }
    }

    @Test func everyCommandIsThereWithItsUsageAndNoOther() throws {
        let described = try entries().map(\.usage)
        let usages = CommandTable.standard.commands.map(\.usage)
        #expect(Set(usages).subtracting(described) == [], "not in the manual")
        #expect(Set(described).subtracting(usages) == [], "not in the table")
        #expect(Set(described).count == described.count)
    }

    @Test func everyCommandHasItsClass() throws {
        for (usage, permission) in try entries() {
            let name = String(usage.prefix { $0 != " " })
            let command = try #require(CommandTable.standard[name], "\(name)")
            #expect(permission == command.permission?.names.first ?? "anyone", "\(name)")
        }
    }

    /// segue-api(7) has every method with its arguments and rights, and no other.
    @Test func everyMethodIsThere() throws {
        let text = try String(
            contentsOfFile: Self.file.replacing("segue-protocol.7", with: "segue-api.7"),
            encoding: .utf8
        )
        let page = text.replacing("\\-", with: "-").replacing(/\\f[BIRP]/, with: "")
        let described = page.split(separator: ".TP\n").compactMap { entry -> String? in
            guard let match = entry.prefixMatch(of: /([a-z0-9_.]+)(.*) \\\(em ([a-z, -]+)\n/) else { return nil }
            var names = match.output.2.matches(of: /[a-z][a-z0-9_]*(?:\.\.\.)?/).map { String($0.output) }
            if names.last == "key..." { names = names.dropLast() + Self.keys(of: entry, page) }
            return "\(match.output.1) \(names.joined(separator: " ")) \(match.output.3)"
        }
        let methods = CommandTable.standard.methods.map { method in
            let rights = method.command.permissions(for: method.form?.verbWords ?? []).eachName.joined(separator: ", ")
            let names = method.form?.parameters.flatMap(\.names) ?? []
            return "\(method.name) \(names.joined(separator: " ")) \(rights.isEmpty ? "anyone" : rights)"
        }
        let all = methods + ["rpc.describe  anyone", "rpc.discover  anyone"]
        #expect(Set(all).subtracting(described) == [], "not in the manual")
        #expect(Set(described).subtracting(all) == [], "no such method")
        #expect(Set(described).count == described.count)
    }

    /// The keys of a method, up to the end of their sentence, without remarks in parentheses; or the names of all tags.
    private static func keys(of entry: Substring, _ page: String) -> [String] {
        if entry.contains("The keys are the names of tags") { return TagType.allCases.map { $0.name.lowercased() } }
        var entry = entry
        if entry.contains("The keys are those of\n.BR clients.set") {
            entry = page.split(separator: "\nclients.set ").last ?? entry
        }
        guard let start = entry.firstRange(of: "The keys are\n")?.upperBound else { return [] }
        let sentence = entry[start...].split(separator: " .\n", maxSplits: 1).first ?? ""
        return sentence.replacing(/\([^)]*\)/, with: "").matches(of: /[a-z][a-z0-9_]+/).map { String($0.output) }
            .filter { $0 != "and" }
    }

    @Test func everySubsystemIsThere() throws {
        let page = try #require(Self.page)
        for (_, name) in Subsystems.names { #expect(page.contains("\n\(name)\t"), "\(name)") }
    }

    /// What `help` would say of the limits of a request.
    @Test func theLimitsAreTrue() throws {
        let page = try #require(Self.page)
        #expect(page.contains("at most \(RequestLine.mostArguments) arguments"))
    }

    @Test(.enabled("man is not installed") { ChildProcess.missing("man").isEmpty })
    func theFormatterHasNoComplaint() async throws {
        let result = try await ChildProcess("man", ["-l", "--warnings=all", "-E", "UTF-8", Self.file]).wait()
        #expect(result.errorText == "")
        #expect(result.status == .code(0))
    }
}
