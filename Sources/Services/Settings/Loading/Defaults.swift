extension Configuration {
    /// Default values.
    package init(defaultsFor environment: ProcessEnvironment) {
        let paths = StandardPaths(environment)
        musicDirectory = paths.music
        playlistDirectory = paths.state + "/playlists"
        stateDirectory = paths.state
        cacheDirectory = paths.cache
        let socket = Listener.Address.unix(
            path: paths.socket,
            mode: environment.isSystem ? Self.systemSocketMode : Listener.privateMode
        )
        listeners = [
            Listener(socket), Listener(.tcp(host: "127.0.0.1", port: Listener.standardPort)),
        ]
        access.groupMembers = environment.groupMembers
        watchesForeignStreams = !environment.isSystem
        zones = [
            ZoneSettings(
                name: ZoneSettings.defaultName,
                outputs: [environment.hasOnlyCards ? .soundCard : .soundServer]
            )
        ]
    }

    /// A service's socket is open to the members of its account's group.
    private static let systemSocketMode: UInt32 = 0o660
}

extension Output {
    /// The output when none is configured.
    static let soundServer = Output(name: "Sound server", kind: .pulse)
    /// The same, on a machine that has sound cards and no sound server.
    static let soundCard = Output(name: "Sound card", kind: .alsa)
}
