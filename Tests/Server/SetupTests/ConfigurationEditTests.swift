import Foundation
import Settings
import Testing

@testable import Setup

/// Changes to a configuration that leave the rest as it is written.
struct ConfigurationEditTests {
    private func set(_ key: String, _ value: String, in text: String) throws -> String {
        var edit = ConfigurationEdit(text)
        try edit.set(key, to: value)
        return edit.text
    }

    @Test func anExampleIsFollowed() throws {
        let text = "# Where things are.\n#listen = [\"x\"]\n\n#[[output]]\n#listen = 2\n"
        #expect(
            try set("listen", "[]", in: text)
                == "# Where things are.\n#listen = [\"x\"]\nlisten = []\n\n#[[output]]\n#listen = 2\n"
        )
    }

    @Test func keysOfTablesAreOthers() throws {
        #expect(try set("listen", "[]", in: "[[zone]]\nlisten = 1\n") == "listen = []\n\n[[zone]]\nlisten = 1\n")
        #expect(try set("listen", "[]", in: "listen-more = 1\n") == "listen-more = 1\nlisten = []\n")
        #expect(try set("a", "2", in: "# Top\n# of it\n") == "# Top\n# of it\n\na = 2\n")
    }

    @Test(arguments: ["a = [\n1]", "a = \"\"\"\nx\"\"\"", "a = [ # ]\n]", "a = [\"]\"\n]"])
    func severalLinesAreNotGuessedAt(_ text: String) {
        #expect(throws: ConfigurationEdit.Failure.self) { _ = try set("a", "2", in: text) }
    }

    @Test(arguments: ["a = 1", "a = [1] # [", "a=\"#[\"", "  a = [\"\\\"[\"]"])
    func oneLineIsReplaced(_ text: String) throws {
        #expect(try set("a", "2", in: text + "\nb = 1\n") == "a = 2\nb = 1\n")
    }

    @Test func theInstalledConfigurationCanBeSetUp() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../packaging/segued.toml").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let environment = ProcessEnvironment(variables: [:], userID: 1_000, home: "/home/ada", currentDirectory: "/")
        var machine = SetupFindings(file: "x", text: text, environment: environment)
        machine.hasSystemd = true
        var choices = SetupChoices()
        choices.music = "/srv/music"
        choices.network = .password("a \"secret\" \\")
        choices.sound = .device("hw:CARD=DAC")
        for case .write(_, _, let after, _) in try SetupPlan(choices, machine).steps {
            let loaded = try Configuration.parse(after, file: "x", in: environment).configuration
            #expect(loaded.musicDirectory == "/srv/music")
            #expect(loaded.zones[0].outputs.map(\.name) == ["Sound card"])
            #expect(loaded.listeners.contains { $0.address == .tcp(host: nil, port: 6600) })
            // Nothing of its own text is lost.
            #expect(Set(text.split(separator: "\n")).isSubset(of: after.split(separator: "\n")))
            return
        }
        Issue.record("nothing is written")
    }
}
