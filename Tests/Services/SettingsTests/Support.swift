import Foundation
import Settings

/// A person's machine on which nothing is set up.
let person = ProcessEnvironment(
    variables: ["XDG_RUNTIME_DIR": "/run/user/1000"],
    userID: 1000,
    home: "/nonexistent/ada",
    currentDirectory: "/nonexistent/here"
)

/// A service's.
let service = ProcessEnvironment(variables: [:], userID: 0, home: "/nonexistent/root", currentDirectory: "/")

/// The configuration in a text, for a person.
func parse(_ toml: String, in environment: ProcessEnvironment = person) throws -> Configuration {
    try Configuration.parse(toml, file: "segued.toml", in: environment).configuration
}

/// Every line that is said of a text but that the music directory is missing.
func remarks(_ toml: String) -> [String] {
    let problems: [ConfigurationProblem]
    do {
        problems = try Configuration.parse(toml, file: "segued.toml", in: person).warnings
    } catch {
        problems = error.problems
    }
    return problems.map(\.description).filter { !$0.contains("there is no music directory") }
}

/// A folder of the test's own, removed at the end.
struct Scratch: ~Copyable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "segue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }
}
