internal import ForeignAudio
internal import ServerNowPlaying
internal import ServerRights
internal import ServerSessions
internal import ServerTimers

/// The services of commands on audio sessions.
final class SessionServices: RequestServices {
    let common: CommonServices
    let audioSessions: SessionService
    let nowPlaying: NowPlayingService
    let mediaPlayers: MediaPlayerPublisher
    let covers: PlayerCovers
    let sessionCovers: SessionCovers
    let foreign: ForeignStreams
    let sleepTimers: SleepTimers
    let grants: GrantService

    init(_ server: ServerAssembly) {
        common = server.commonServices
        audioSessions = server.audioSessions
        nowPlaying = server.nowPlaying
        mediaPlayers = server.mediaPlayers
        covers = server.covers
        sessionCovers = server.sessionCovers
        foreign = server.foreign
        sleepTimers = server.sleepTimers
        grants = server.grants
    }

    static func of(_ server: ServerAssembly) -> SessionServices { server.sessionServices }
}
