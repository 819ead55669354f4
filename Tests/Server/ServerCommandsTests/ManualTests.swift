import Foundation
import LineProtocol
import ServerBasics
import ServerCommands
import ServerRequests
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
        let described = page.matches(of: /\.TP\n([a-z0-9_.]+)(.*) \\\(em ([a-z, -]+)\n/).map { match in
            let names = match.output.2.matches(of: /[a-z][a-z0-9_]*(?:\.\.\.)?/).map { String($0.output) }
            return "\(match.output.1) \(names.filter { !$0.hasSuffix("...") }.joined(separator: " ")) \(match.output.3)"
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
