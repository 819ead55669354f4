internal import Announcements
package import AudioSessions
internal import ServerBasics
internal import ServerRooms

/// A reason why a zone is silent or quiet now.
package struct Cause {
    package let reason: Reason
    /// Seconds since 1970.
    package var since: Double?

    init(_ reason: Reason, since: Double? = nil) { (self.reason, self.since) = (reason, since) }

    package enum Reason {
        /// It plays as it is set.
        case playing
        /// The error of the zone, a sentence.
        case error(String)
        case interrupted(by: SessionTitle)
        case sinkLost
        case paused(by: Pauser?)
        case stopped(by: Pauser?)
        case queueEmpty
        case queueEnded
        case noSoundServer
        /// - Parameter uri: Of the song whose data have not come yet.
        case buffering(uri: String?)
        case opening
        /// - Parameter retry: Seconds until the next attempt; 0 while one is being made.
        case streamLost(uri: String, error: String, retry: Int)
        case ducked(for: SessionTitle, decibels: Double)
        case silenceSwitch
        case locked
        case recording(by: SessionTitle)
        /// The stream of another program cannot be paused.
        case foreignMuted(SessionTitle)
        /// The stream of another program can be neither paused nor muted.
        case foreignHeard(SessionTitle)
        /// - Parameter left: Seconds until the zone is paused.
        case sleepFade(left: Int)
        case volumeZero
        case noOutput
    }
}

extension Cause.Reason {
    /// The word that programs know the reason by, as in segue-protocol(7).
    package var word: String {
        switch self {
        case .playing: "playing"
        case .error: "error"
        case .interrupted: "interrupted"
        case .sinkLost: "sinklost"
        case .paused: "paused"
        case .stopped: "stopped"
        case .queueEmpty: "queueempty"
        case .queueEnded: "queueended"
        case .noSoundServer: "noserver"
        case .buffering: "buffering"
        case .opening: "opening"
        case .streamLost: "streamlost"
        case .ducked: "ducked"
        case .silenceSwitch: "silenced"
        case .locked: "locked"
        case .recording: "recording"
        case .foreignMuted: "foreignmuted"
        case .foreignHeard: "foreignheard"
        case .sleepFade: "sleepfade"
        case .volumeZero: "volumezero"
        case .noOutput: "nooutput"
        }
    }

    /// Half a sentence in plain words.
    package var text: String {
        switch self {
        case .playing: return "it is playing at its set volume"
        case .error(let error): return error
        case .interrupted(let session): return "interrupted by \(session)"
        case .sinkLost: return "interrupted by the loss of its sink"
        case .paused(let who): return who.map { "paused by \($0)" } ?? "paused"
        case .stopped(let who): return who.map { "stopped by \($0)" } ?? "stopped"
        case .queueEmpty: return "the queue is empty"
        case .queueEnded: return "the queue has ended"
        case .noSoundServer: return "there is no sound server to play to"
        case .buffering(let uri):
            return "waiting\(uri.map { " for \($0)" } ?? ""): not enough data buffered to continue"
        case .opening: return "opening the medium"
        case .streamLost(let uri, let error, let retry):
            return "waiting for \(uri): \(error), \(retry > 0 ? "next try in \(retry) s" : "trying again")"
        case .ducked(let session, let decibels): return "\(short(decibels)) dB quieter for \(session)"
        case .silenceSwitch: return "muted by the silence switch"
        case .locked: return "muted while locked"
        case .recording(let session): return "muted while \(session) records"
        case .foreignMuted(let session): return "\(session) is muted, since it cannot be paused"
        case .foreignHeard(let session): return "\(session) can be neither paused nor muted, and is heard"
        case .sleepFade(let left): return "fading out for the sleep timer, paused in \(left) s"
        case .volumeZero: return "the volume is 0"
        case .noOutput: return Room.noOutput
        }
    }

    /// Values of the reason, for programs that say it in their own words, as in segue-protocol(7).
    package var values: [(key: StaticString, value: String)] {
        switch self {
        case .error(let error): return [("error", error)]
        case .interrupted(let session), .recording(let session), .foreignMuted(let session),
            .foreignHeard(let session):
            return session.values
        case .ducked(let session, let decibels): return session.values + [("gain", short(-decibels))]
        case .paused(let who?), .stopped(let who?):
            if case .session(let session) = who { return [("by", "\(who)")] + session.values }
            return [("by", "\(who)")]
        case .buffering(let uri?): return [("uri", uri)]
        case .streamLost(let uri, let error, let retry):
            return [("uri", uri), ("error", error), ("seconds", "\(retry)")]
        case .sleepFade(let left): return [("seconds", "\(left)")]
        default: return []
        }
    }
}

/// The one who has paused or stopped a zone.
package enum Pauser: CustomStringConvertible {
    case session(SessionTitle)
    /// A client, or another one in words.
    case other(String)

    package var description: String {
        switch self {
        case .session(let session): session.description
        case .other(let words): words
        }
    }
}

/// A session as it is named in sentences.
package struct SessionTitle: CustomStringConvertible {
    private let session: AudioSession?
    private let id: SessionID

    fileprivate init(_ id: SessionID, _ session: AudioSession?) { (self.id, self.session) = (id, session) }

    package var description: String {
        guard let session else { return "session \(id)" }
        let article = session.sessionClass == .call || session.sessionClass == .normal ? "a" : "an"
        return switch session.kind {
        case .zone: "zone \(session.name)"
        case .announcement: "the announcement '\(session.name)'"
        case .alarm: "the alarm '\(session.name)'"
        case .system:
            session.name == session.sessionClass.rawValue
                ? "\(article) \(session.name)" : "\(article) \(session.sessionClass.rawValue) '\(session.name)'"
        case .client, .foreign: "'\(session.name)' (\(session.owner))"
        }
    }

    fileprivate var values: [(key: StaticString, value: String)] {
        guard let session else { return [("session", "\(id.rawValue)")] }
        return [
            ("session", "\(id.rawValue)"), ("name", session.name), ("kind", session.kind.rawValue),
            ("class", session.sessionClass.rawValue),
        ]
    }
}

extension SessionService {
    /// A session's title, also of one that has ended.
    package func title(_ id: SessionID) -> SessionTitle { SessionTitle(id, session(id)) }

    /// Describes a session in words.
    package func describe(_ id: SessionID) -> String { title(id).description }
}
