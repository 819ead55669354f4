/// All commands by name.
package struct CommandTable: Sendable {
    /// By name, for listings.
    package let commands: [Command]
    private let byName: [String: Command]

    package init(_ groups: [[Command]]) {
        commands = groups.joined().sorted { $0.name < $1.name }
        byName = Dictionary(uniqueKeysWithValues: commands.map { ($0.name, $0) })
    }

    package subscript(name: String) -> Command? { byName[name] }
}
