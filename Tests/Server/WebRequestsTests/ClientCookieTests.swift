import Authorization
import Testing

@testable import WebRequests

/// The cookie by which a browser is a paired client.
@Suite struct ClientCookieTests {
    private let token = ClientToken()

    private func name(_ fields: String..., isEncrypted: Bool = false) -> String? {
        ClientCookie(fields, isEncrypted: isEncrypted)?.name.text
    }

    @Test("what is set is what is read")
    func fields() throws {
        let cookie = ClientCookie(name: try #require(ClientName("anna.k-1")), token: token)
        let plain = cookie.field(isSecure: false)
        #expect(
            plain
                == "segue=anna.k-1.\(token.text); Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict"
        )
        let secure = cookie.field(isSecure: true)
        #expect(secure.hasPrefix("__Host-segue=anna.k-1.") && secure.hasSuffix("; HttpOnly; SameSite=Strict; Secure"))
        for (field, isEncrypted) in [(plain, false), (secure, true)] {
            let pair = String(field.prefix { $0 != ";" })
            #expect(ClientCookie(["a=b; \(pair);c=d"], isEncrypted: isEncrypted) == cookie)
        }
        #expect(ClientCookie.endField(isSecure: false).hasPrefix("segue=; Path=/; Max-Age=0;"))
    }

    /// Another server of the same host can set a cookie of any name but `__Host-`, and not on encrypted pages.
    @Test("on an encrypted page only the cookie of encrypted pages counts, and there first")
    func encryption() {
        #expect(name("segue=anna.\(token.text)") == "anna")
        #expect(name("segue=anna.\(token.text)", isEncrypted: true) == nil)
        #expect(name("segue=anna.\(token.text); __Host-segue=bert.\(token.text)") == "bert")
        #expect(name("segue=anna.\(token.text)", "__Host-segue=bert.\(token.text)", isEncrypted: true) == "bert")
    }

    @Test("one that is malformed does not hide another one")
    func several() {
        #expect(name("segue=x.y; segue=anna.\(token.text); segue=bert.\(token.text)") == "anna")
        #expect(name("__Host-segue=; segue=anna.\(token.text)") == "anna")
    }

    @Test(
        "what is no cookie of the server's",
        arguments: [
            "", ";", "=", "segue", "segue=", "segue=.", "segue=anna", "segue=anna.", "segue=anna.12",
            "seguex=anna.TOKEN", "segue=.TOKEN", "segue=an na.TOKEN", "segue=anna TOKEN", "segue=10.0.0.1.TOKEN",
            "segue=anna.TOKENf", "segue=anna.g\(String(repeating: "0", count: 63))", "x=segue=anna.TOKEN",
        ]
    )
    func malformed(field: String) {
        #expect(name(field.replacing("TOKEN", with: token.text)) == nil)
    }
}
