internal import ServerRequests

extension ServerAssembly {
    /// The services of the groups of commands.
    func makeServiceGroups() -> ServiceGroups {
        ServiceGroups(
            status: StatusServices(
                commonServices,
                zones: zones,
                upkeep: upkeep,
                sleepTimers: sleepTimers,
                audioSessions: audioSessions,
                alarms: alarms,
                startTime: startTime
            ),
            zone: ZoneServices(
                commonServices,
                zones: zones,
                connections: connections,
                sinks: parts.sinks,
                describeOutput: parts.describeOutput
            ),
            music: MusicServices(
                commonServices,
                media: media,
                upkeep: upkeep,
                arrivals: arrivals,
                stickers: stickers,
                playlistSync: playlistSync,
                artwork: artwork,
                quotas: quotas,
                picker: picker
            ),
            session: SessionServices(
                commonServices,
                audioSessions: audioSessions,
                nowPlaying: nowPlaying,
                mediaPlayers: mediaPlayers,
                covers: covers,
                sessionCovers: sessionCovers,
                foreign: foreign,
                sleepTimers: sleepTimers,
                grants: grants
            ),
            timer: TimerServices(
                commonServices,
                announcer: announcer,
                sleepTimers: sleepTimers,
                alarms: alarms,
                media: media,
                quotas: quotas,
                table: table
            ),
            access: AccessServices(
                commonServices,
                connections: connections,
                grants: grants,
                ceilings: ceilings,
                pairing: pairing,
                encryption: encryption,
                audit: audit,
                upkeep: upkeep
            ),
            connection: ConnectionServices(
                commonServices,
                connections: connections,
                table: table,
                stop: parts.stop
            )
        )
    }
}
