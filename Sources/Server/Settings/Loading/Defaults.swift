extension Configuration {
    /// What holds when nothing is said.
    package init(defaultsFor surroundings: Surroundings) {
        let paths = StandardPaths(surroundings)
        musicDirectory = paths.music
        playlistDirectory = paths.state + "/playlists"
        stateDirectory = paths.state
        cacheDirectory = paths.cache
        let socket = Listener.Address.unix(
            path: paths.socket,
            mode: surroundings.isSystem ? Self.systemSocketMode : Listener.privateMode
        )
        listeners = [
            Listener(socket), Listener(.tcp(host: "127.0.0.1", port: Listener.standardPort)),
        ]
        zones = [ZoneSettings(name: ZoneSettings.defaultName, outputs: [.soundServer])]
    }

    /// A service's socket is there for every account of the machine, as its TCP port is.
    private static let systemSocketMode: UInt32 = 0o666
}

extension Output {
    /// What plays when no output is configured.
    static let soundServer = Output(name: "Sound server", kind: .pulse)
}
