package import ServerRequests

extension CommandTable {
    /// All commands of the server.
    package static let standard = CommandTable([
        statusCommands.map(\.command),
        optionCommands.map(\.command),
        controlCommands.map(\.command),
        mediaSelectionCommands.map(\.command),
        zoneCommands.map(\.command),
        outputCommands.map(\.command),
        extensionCommands.map(\.command),
        queueCommands.map(\.command),
        queueQueryCommands.map(\.command),
        queueSearchCommands.map(\.command),
        playlistCommands.map(\.command),
        fileCommands.map(\.command),
        pictureCommands.map(\.command),
        artworkCommands.map(\.command),
        lyricsCommands.map(\.command),
        libraryCommands.map(\.command),
        updateCommands.map(\.command),
        identityCommands.map(\.command),
        stickerCommands.map(\.command),
        mountCommands.map(\.command),
        sessionCommands.map(\.command),
        announceCommands.map(\.command),
        timerCommands.map(\.command),
        alarmCommands.map(\.command),
        scheduleCommands.map(\.command),
        passwordCommands.map(\.command),
        clientCommands.map(\.command),
        pairingCommands.map(\.command),
        auditCommands.map(\.command),
        connectionCommands.map(\.command),
        reflectionCommands.map(\.command),
        messageCommands.map(\.command),
    ])
}
