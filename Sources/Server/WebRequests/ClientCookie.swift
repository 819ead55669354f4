package import Authorization

/// The cookie by which a browser proves to be a paired client (RFC 6265): its name, and the token that only the browser has.
///
/// Scripts do not see it, and browsers send it with nothing that another site has them ask for.
package struct ClientCookie: Sendable, Hashable {
    package let name: ClientName
    package let token: ClientToken

    /// In seconds: 400 days, the longest that browsers keep one; each WebSocket begins them anew.
    package static let lifetime = 34_560_000

    package init(name: ClientName, token: ClientToken) { (self.name, self.token) = (name, token) }

    /// Reads the fields `Cookie` of a request.
    ///
    /// - Parameter isEncrypted: Whether nobody else can have set it: then, only the one that browsers set on encrypted pages
    ///   counts, which no other server of this host can.
    /// - Returns: `nil` without one, and for one that nobody can have been given.
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
