package import Authorization
package import Settings
package import StateStore

/// The server, as its grants see it.
package protocol GrantDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }
    /// When each connected client was last used, in seconds since 1970.
    var lastUses: [(id: PrincipalID, time: Double)] { get }

    /// All clients are to look up their rights again.
    func rightsChanged()
    /// A change is to be stored, so that it outlives the server.
    func grantSettingChanged(_ record: Record)
    /// Tells of a principal's rights before a change and after it, whatever the time.
    func rightsDecided(of id: PrincipalID, before: Rights, after: Rights)
    /// A change of a client's rights belongs in the audit log.
    func rightsChanged(of client: String, _ text: String)
}

/// The server, as pairing sees it.
package protocol PairingDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// A client asks to be known, which the owners are told aloud, where that is configured.
    func pairingAsked(_ name: ClientName)
    /// The owners are to be told that the requests have changed.
    func pairingRequestsChanged()
    /// A change is to be stored, so that it outlives the server.
    func grantSettingChanged(_ record: Record)
}
