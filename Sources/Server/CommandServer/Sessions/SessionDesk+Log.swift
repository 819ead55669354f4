internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Zones

/// Entries of the event log.
extension SessionDesk {
    func note(_ notice: SessionNotice, of id: SessionID?) {
        log.append(notice.name, of: id?.rawValue, at: wallClock(), notice.fields)
    }

    /// Logs that a zone was routed to another sink.
    func noteRoute(of zone: Zone, from old: String, to new: String) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        // The number and the name are from AVAudioSession.RouteChangeReason.
        let fields: [(key: StaticString, value: String)] = [
            ("reason", "4 override"), ("previousroute", old), ("route", new),
        ]
        log.append("routeChanged", of: id.rawValue, at: wallClock(), fields)
        surroundings.changed()
    }

    /// Logs an event of the stream that a zone plays.
    func noteStream(of zone: Zone, _ uri: String, _ news: StreamNews) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        let (type, fields): (String, [(key: StaticString, value: String)]) =
            switch news {
            case .lost(let wait): ("streamLost", [("reason", wait.reason)])
            case .restored(let seconds): ("streamRestored", [("after", short((seconds * 1000).rounded() / 1000))])
            case .stalled: ("playbackStalled", [])
            }
        log.append(type, of: id.rawValue, at: wallClock(), [("uri", uri)] + fields)
        surroundings.changed()
    }

    /// Logs an announcement's state.
    func noteAnnouncement(_ report: AnnouncementReport) {
        var fields: [(key: StaticString, value: String)] = [
            ("announcement", String(report.announcement.id)), ("state", report.state.name),
        ]
        if let error = report.state.error { fields.append(("error", error)) }
        log.append("announcementEnded", of: nil, at: wallClock(), fields)
        surroundings.changed()
    }
}

extension SessionNotice {
    /// The fields of its log entry besides the name.
    fileprivate var fields: [(key: StaticString, value: String)] {
        switch self {
        case .interruptionBegan(let reason): [("reason", "\(reason.rawValue) \(reason.name)")]
        case .interruptionEnded(let shouldResume): [("shouldresume", shouldResume ? "1" : "0")]
        case .didBecomeInactive(let source, let reason):
            [("source", source == .app ? "app" : "system")]
                + (reason.map { [("reason", "\($0.rawValue) \($0.name)")] } ?? [])
        case .resumptionRecommendation(let shouldResume):
            [("recommendation", shouldResume ? "shouldResume" : "shouldNotResume")]
        case .promptStyleChanged(let style): [("promptstyle", style.rawValue)]
        case .didBecomeActive, .ducked, .unducked, .hintBegan, .hintEnded, .categoryChanged, .mediaServicesLost,
            .mediaServicesReset:
            []
        }
    }
}
