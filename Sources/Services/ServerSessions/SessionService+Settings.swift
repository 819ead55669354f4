internal import AudioSessions
internal import ServerBasics
package import Settings
package import Zones

/// The configuration of zones' sessions.
extension SessionService {
    package func settings(of zone: Zone) -> ZoneSession {
        configuration.value.zones.first { $0.name == zone.name }?.session ?? ZoneSession()
    }

    /// The initial configuration of a zone's session.
    func sessionConfiguration(of zone: Zone) -> SessionConfiguration {
        let settings = settings(of: zone)
        do {
            return try SessionConfiguration(
                category: SessionCategory(rawValue: settings.category) ?? .playback,
                mode: SessionMode(rawValue: settings.mode) ?? .default,
                options: settings.options.compactMap(SessionOptions.init(name:)).reduce(into: []) { $0.formUnion($1) }
            )
        } catch {
            delegate.log(.warning, "zone \(zone.name): \(error); it is playback without options")
            return (try? SessionConfiguration(category: .playback)) ?? .initial
        }
    }
}
