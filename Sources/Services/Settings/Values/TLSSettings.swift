/// How connections to `tls:` listeners are encrypted, and whether others may come from a network.
package struct TLSSettings: Sendable, Hashable {
    /// A version of TLS.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// The absolute path of the server's certificate in PEM form, followed by those that lead from it to an authority;
    /// `nil` for one that is made at the first start.
    package var certificate: String?
    /// The absolute path of its key in PEM form; `nil` where the key is in the certificate's file.
    package var key: String?
    /// The absolute path of the certificates, in PEM form, of those who issue certificates to clients; `nil` where clients
    /// have none.
    package var clientAuthority: String?
    /// The oldest version that a client may speak.
    package var oldestVersion = Version.tls13
    /// Whether unencrypted TCP is for this machine only.
    package var isRequired = false

    package init() {}
}
