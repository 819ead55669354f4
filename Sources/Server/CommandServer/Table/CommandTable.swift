/// All commands by name.
struct CommandTable: Sendable {
    /// By name, for listings.
    let commands: [Command]
    private let byName: [String: Command]

    init(_ groups: [[Command]]) {
        commands = groups.joined().sorted { $0.name < $1.name }
        byName = Dictionary(uniqueKeysWithValues: commands.map { ($0.name, $0) })
    }

    subscript(name: String) -> Command? { byName[name] }

    static let standard = CommandTable([
        statusCommands, optionCommands, controlCommands, queueCommands, queueQueryCommands, queueSearchCommands,
        playlistCommands,
        fileCommands, pictureCommands, artworkCommands, lyricsCommands, libraryCommands, updateCommands,
        identityCommands,
        stickerCommands,
        connectionCommands, zoneCommands, outputCommands, reflectionCommands,
        messageCommands, mountCommands, clientCommands, pairingCommands, auditCommands, extensionCommands,
        mediaSelectionCommands, sessionCommands,
        announceCommands, timerCommands, alarmCommands, scheduleCommands,
    ])
}
