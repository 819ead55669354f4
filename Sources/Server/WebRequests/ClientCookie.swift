package import Authorization

/// The cookie by which a browser proves to be a paired client (RFC 6265): its name, and the token that only the browser has.
///
/// Scripts do not see it, and browsers send it with nothing that another site has them ask for.
package struct ClientCookie: Sendable, Hashable {
    package let name: ClientName
    package let token: ClientToken

    /// How long browsers keep the cookie, in seconds: 400 days, their maximum, from the last WebSocket on.
    package static let lifetime = 34_560_000

    package init(name: ClientName, token: ClientToken) { (self.name, self.token) = (name, token) }

    /// Reads the fields `Cookie` of a request.
    ///
    /// - Parameter isEncrypted: Whether the connection is encrypted. Then only `__Host-segue` counts, because other servers of
    ///   this host cannot set it.
    /// - Returns: `nil` where no field has a well-formed cookie of the server.
    package init?(_ fields: [String], isEncrypted: Bool) {
        let pairs = fields.joined(separator: ";").split(separator: ";").map { $0.drop { $0 == " " } }
        func cookie(_ key: String) -> Self? {
            pairs.firstNonNil { $0.hasPrefix(key + "=") ? Self(value: $0.dropFirst(key.utf8.count + 1)) : nil }
        }
        let plain = isEncrypted ? nil : cookie(Self.key(isSecure: false))
        guard let cookie = cookie(Self.key(isSecure: true)) ?? plain else { return nil }
        self = cookie
    }

    private init?(value: Substring) {
        guard let dot = value.lastIndex(of: "."), let name = ClientName(String(value[..<dot])),
            let token = ClientToken(String(value[value.index(after: dot)...]))
        else { return nil }
        self.init(name: name, token: token)
    }

    /// The field `Set-Cookie` of a response to a page.
    ///
    /// - Parameter isSecure: Whether the page came encrypted.
    package func field(isSecure: Bool) -> String {
        Self.field("\(name.text).\(token.text)", seconds: Self.lifetime, isSecure: isSecure)
    }

    /// The one that has a browser forget its cookie.
    package static func endField(isSecure: Bool) -> String { field("", seconds: 0, isSecure: isSecure) }

    private static func field(_ value: String, seconds: Int, isSecure: Bool) -> String {
        "\(key(isSecure: isSecure))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    private static func key(isSecure: Bool) -> String { isSecure ? "__Host-segue" : "segue" }
}
