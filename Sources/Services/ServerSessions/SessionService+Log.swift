package import Announcements
package import AudioSessions
internal import AudioTypes
package import Outputs
internal import ServerBasics
package import ServerRooms
internal import Settings
internal import Songs
package import Zones

/// Entries of the event log.
extension SessionService {
    package func record(_ notice: SessionNotice, of id: SessionID?) {
        record(notice.name, of: id, notice.fields + gainFields(of: notice, id))
    }

    /// The gain that a duck has now.
    private func gainFields(of notice: SessionNotice, _ id: SessionID?) -> [(key: StaticString, value: String)] {
        guard let id else { return [] }
        switch notice {
        case .ducked:
            let gain = duckGain(of: id)
            duckGains[id] = gain
            return [("gain", short(gain))]
        case .unducked:
            duckGains[id] = nil
            return []
        default: return []
        }
    }

    /// Logs that a zone is heard at another sink, or at none, for its session and those of clients that follow it.
    ///
    /// - Parameters:
    ///   - old: The name of the sink before; empty for none.
    ///   - new: The name of the sink now; empty for none.
    ///   - format: The sink's own sample format now; empty where it is not known.
    package func recordRoute(
        of zone: Zone,
        _ reason: RouteChangeReason,
        from old: String,
        to new: String,
        format: String = ""
    ) {
        guard let own = zoneSessions[zone.name]?.id else { return }
        let followers = clientSessions.filter { $0.value.zone == zone.name && $0.value.followsZone }.keys.sorted()
        var fields: [(key: StaticString, value: String)] = [
            ("reason", "\(reason.rawValue) \(reason.name)"), ("previousroute", old), ("route", new),
        ]
        if !format.isEmpty { fields.append(("format", format)) }
        for id in [own] + followers { record("routeChanged", of: id, fields) }
        delegate.sessionsChanged()
        delegate.log(.notice, "zone \(zone.name): heard at \(new.isEmpty ? "no sink" : new) (\(reason.name))")
    }

    /// Logs that a session found nothing that its category needs.
    func recordMissingRoute(of id: SessionID) {
        let reason = RouteChangeReason.noSuitableRouteForCategory
        let fields: [(key: StaticString, value: String)] = [
            ("reason", "\(reason.rawValue) \(reason.name)"), ("previousroute", ""), ("route", ""),
        ]
        record("routeChanged", of: id, fields)
        delegate.sessionsChanged()
    }

    /// Logs that sinks have appeared, to which a zone could be routed; it stays where it is.
    package func recordDevices(_ names: [String], beside zone: Zone) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        let reason = RouteChangeReason.newDeviceAvailable
        for name in names {
            let fields: [(key: StaticString, value: String)] = [
                ("reason", "\(reason.rawValue) \(reason.name)"), ("device", name),
            ]
            record("routeChanged", of: id, fields)
        }
        delegate.sessionsChanged()
    }

    /// Logs the volume of a sink for the sessions there, like AVAudioSession's `outputVolume`.
    package func recordVolume(of sink: Sink, at place: String) {
        let fields: [(key: StaticString, value: String)] = [
            ("route", sink.name), ("volume", short(sink.volume)), ("muted", sink.isMuted ? "1" : "0"),
        ]
        for session in arbiter(at: place).sessions {
            record("outputVolumeChanged", of: session.id, fields)
        }
        delegate.sessionsChanged()
    }

    /// Logs an event of the stream that a zone plays.
    package func recordStream(of zone: Zone, _ uri: String, _ news: StreamNews) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        let (type, fields): (String, [(key: StaticString, value: String)]) =
            switch news {
            case .lost(let wait): ("streamLost", [("reason", wait.reason)])
            case .restored(let seconds): ("streamRestored", [("after", short((seconds * 1000).rounded() / 1000))])
            case .stalled: ("playbackStalled", [])
            }
        record(type, of: id, [("uri", uri)] + fields)
        delegate.sessionsChanged()
    }

    /// Logs an announcement's state.
    package func recordAnnouncement(_ report: AnnouncementReport) {
        var fields: [(key: StaticString, value: String)] = [
            ("announcement", String(report.announcement.id)), ("state", report.state.name),
        ]
        if let error = report.state.error { fields.append(("error", error)) }
        record("announcementEnded", of: nil, fields)
        delegate.sessionsChanged()
    }
}

extension SessionNotice {
    /// The fields of its log entry besides the name.
    fileprivate var fields: [(key: StaticString, value: String)] {
        switch self {
        case .interruptionBegan(let reason): [("reason", reason.numbered)]
        case .interruptionEnded(let shouldResume): [("shouldresume", shouldResume ? "1" : "0")]
        case .didBecomeInactive(let source, let reason):
            [("source", source == .app ? "app" : "system")]
                + (reason.map { [("reason", "\($0.numbered)")] } ?? [])
        case .resumptionRecommendation(let shouldResume):
            [("recommendation", shouldResume ? "shouldResume" : "shouldNotResume")]
        case .promptStyleChanged(let style): [("promptstyle", style.rawValue)]
        case .didBecomeActive, .ducked, .unducked, .hintBegan, .hintEnded, .categoryChanged, .mediaServicesLost,
            .mediaServicesReset:
            []
        }
    }
}

extension InterruptionReason {
    /// The number and the name.
    package var numbered: String { "\(rawValue) \(name)" }
}
