internal import AudioTypes

extension Configuration {
    /// The keys whose changes need a restart; all others take effect at once.
    ///
    /// - Parameter old: The configuration that the daemon runs with.
    package func changesNeedingRestart(from old: Configuration) -> [String] {
        var names: [String] = []
        func compare<Value: Equatable>(_ name: String, _ place: KeyPath<Configuration, Value>) {
            if self[keyPath: place] != old[keyPath: place] { names.append(name) }
        }
        compare("music-directory", \.musicDirectory)
        let isMoved = stateDirectory != old.stateDirectory
        if !(isMoved && playlistDirectory == stateDirectory + "/playlists") {
            compare("playlist-directory", \.playlistDirectory)
        }
        compare("state-directory", \.stateDirectory)
        if !(isMoved && cacheDirectory == stateDirectory + "/cache") { compare("cache-directory", \.cacheDirectory) }
        compare("picture-cache-size", \.pictureCacheBytes)
        compare("follow-inside-symlinks", \.followsInsideLinks)
        compare("follow-outside-symlinks", \.followsOutsideLinks)
        compare("charset", \.charsets)
        compare("listen", \.listeners)
        compare("web.listen", \.web.listeners)
        compare("zone", \.zoneNames)
        if outputsDiffer(from: old) { names.append("output") }
        compare("category", \.[session: \.category])
        compare("mode", \.[session: \.mode])
        compare("options", \.[session: \.options])
        compare("auto-resume", \.[session: \.resumesAutomatically])
        compare("stream", \.requests)
        compare("library-file", \.libraryFile)
        compare("auto-update", \.updatesAutomatically)
        compare("tags", \.tags)
        compare("log-format", \.logFormat)
        return names
    }

    /// The keys whose changes need a restart, but for those that were reported before.
    ///
    /// - Parameters:
    ///   - old: The configuration that the daemon runs with.
    ///   - read: The configuration as it was read before this one.
    package func changesNeedingRestart(from old: Configuration, announcedUpTo read: Configuration) -> [String] {
        let new = Set(changesNeedingRestart(from: read))
        return changesNeedingRestart(from: old).filter(new.contains)
    }

    /// This configuration where it can take effect without a restart, and `old` elsewhere.
    ///
    /// - Parameter old: The configuration that the daemon runs with.
    package func applicable(over old: Configuration) -> Configuration {
        var result = self
        result.musicDirectory = old.musicDirectory
        result.playlistDirectory = old.playlistDirectory
        result.stateDirectory = old.stateDirectory
        result.cacheDirectory = old.cacheDirectory
        result.pictureCacheBytes = old.pictureCacheBytes
        result.followsInsideLinks = old.followsInsideLinks
        result.followsOutsideLinks = old.followsOutsideLinks
        result.charsets = old.charsets
        result.listeners = old.listeners
        result.web.listeners = old.web.listeners
        result.stream = stream.applicable(over: old.stream)
        result.zones = old.zones.map { zone in
            var zone = zone
            let new = zones.first { $0.name == zone.name }?.stream ?? stream
            zone.stream = new.applicable(over: zone.stream)
            return zone
        }
        result.libraryFile = old.libraryFile
        result.updatesAutomatically = old.updatesAutomatically
        result.tags = old.tags
        result.logFormat = old.logFormat
        return result
    }

    private var zoneNames: [String] { zones.map(\.name) }

    /// Whether a zone that is in both has other outputs.
    private func outputsDiffer(from old: Configuration) -> Bool {
        zones.contains { zone in old.zones.contains { $0.name == zone.name && $0.outputs != zone.outputs } }
    }

    /// The HTTP settings of zones that differ from the defaults; they stay as they are for the life of a player.
    private var requests: [String: StreamOptions] {
        let options = zones.map { ($0.name, StreamOptions().applicable(over: $0.stream)) }
        return Dictionary(options.filter { $0.1 != StreamOptions() }) { first, _ in first }
    }

    /// The session settings of zones that differ from the defaults, by zone name.
    private subscript<Value: Equatable>(session place: KeyPath<ZoneSession, Value>) -> [String: Value] {
        let usual = ZoneSession()[keyPath: place]
        let values = zones.map { ($0.name, $0.session[keyPath: place]) }.filter { $0.1 != usual }
        return Dictionary(values) { first, _ in first }
    }
}

extension StreamOptions {
    /// These options where a running player can adopt them, and the old ones elsewhere.
    fileprivate func applicable(over old: StreamOptions) -> StreamOptions {
        var result = old
        result.preferredForwardBuffer = preferredForwardBuffer
        result.preferredPeakBitRate = preferredPeakBitRate
        return result
    }
}
