internal import AudioTypes
internal import LineProtocol

/// A configuration while it is being read: its lists keep line numbers until all checks are done.
struct Draft: Sendable {
    var configuration: Configuration
    // `nil` when not set.
    var playlistDirectory: String?
    var stateDirectory: String?
    var cacheDirectory: String?
    var listeners: [Located<Listener>]?
    var web = WebDraft()
    var passwords: [Located<Password>] = []
    var hosts: [Located<HostRule>] = []
    /// Outputs outside of any `[[zone]]`, which are the default zone's.
    var outputs: [Located<Output>] = []
    /// The session settings outside of any `[[zone]]`, which are the default zone's.
    var session = ZoneSessionDraft()
    /// The stream settings of all zones without settings of their own.
    var stream = StreamDraft()
    var zones: [Located<ZoneDraft>] = []
    var announcementRules: [Located<AnnouncementRule>] = []
    var foreignRules: [Located<ForeignRule>] = []

    var hasOutputPassword: Bool {
        (outputs + zones.flatMap(\.value.outputs)).contains { $0.value.broadcast?.password.isEmpty == false }
    }
}

struct ZoneDraft: Sendable {
    var name: String?
    var outputs: [Located<Output>] = []
    var session = ZoneSessionDraft()
    var stream = StreamDraft()
}

struct WebDraft: Sendable {
    var listeners: [Located<Listener>]?
    var settings = WebSettings()
}

struct ListenerDraft: Sendable {
    var address: Listener.Address?
    var mode: UInt32?
    var zone: String?
    var permissions: Permissions?
}

struct PasswordDraft: Sendable {
    var text: String?
    var permissions = Permissions.all
    var zone: String?
}

struct HostDraft: Sendable {
    var addresses: AddressRange?
    var permissions: Permissions?
}
