internal import LineProtocol

/// A configuration while it is read: its lists remember lines until all has been checked against each other.
struct Draft: Sendable {
    var configuration: Configuration
    // `nil` when nothing is said of them.
    var playlistDirectory: String?
    var stateDirectory: String?
    var cacheDirectory: String?
    var listeners: [Located<Listener>]?
    var passwords: [Located<Password>] = []
    var hosts: [Located<HostRule>] = []
    /// The outputs of the default zone that are given outside of any `[[zone]]`.
    var outputs: [Located<Output>] = []
    /// The default zone's, given outside of any `[[zone]]`.
    var session = ZoneSessionDraft()
    /// Every zone's, unless it says otherwise.
    var stream = StreamDraft()
    var zones: [Located<ZoneDraft>] = []
    var announcementRules: [Located<AnnouncementRule>] = []
}

struct ZoneDraft: Sendable {
    var name: String?
    var outputs: [Located<Output>] = []
    var session = ZoneSessionDraft()
    var stream = StreamDraft()
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
