package import ForeignAudio
package import ServerNowPlaying
package import ServerRights
package import ServerSessions
package import ServerTimers

/// The services of commands on audio sessions.
package final class SessionServices: RequestServices {
    package let common: CommonServices
    package let audioSessions: SessionService
    package let nowPlaying: NowPlayingService
    package let mediaPlayers: MediaPlayerPublisher
    package let covers: PlayerCovers
    package let sessionCovers: SessionCovers
    package let foreign: ForeignStreams
    package let sleepTimers: SleepTimers
    package let grants: GrantService

    package init(
        _ common: CommonServices,
        audioSessions: SessionService,
        nowPlaying: NowPlayingService,
        mediaPlayers: MediaPlayerPublisher,
        covers: PlayerCovers,
        sessionCovers: SessionCovers,
        foreign: ForeignStreams,
        sleepTimers: SleepTimers,
        grants: GrantService
    ) {
        self.common = common
        self.audioSessions = audioSessions
        self.nowPlaying = nowPlaying
        self.mediaPlayers = mediaPlayers
        self.covers = covers
        self.sessionCovers = sessionCovers
        self.foreign = foreign
        self.sleepTimers = sleepTimers
        self.grants = grants
    }

    package static func of(_ groups: ServiceGroups) -> SessionServices { groups.session }
}
