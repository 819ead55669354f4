import Authorization
import Cryptography
import Testing

@Suite struct TokenTests {
    @Test func tokensAreKeptAsDigests() throws {
        var store = TokenStore()
        let (name, token) = (try #require(ClientName("laptop")), ClientToken())
        let line = store.set(name, to: token.digest)
        #expect(!line.joined().contains(token.text))
        #expect(store[name] == ClientToken(token.text)?.digest)
        _ = store.deny(.user(1_000))
        var other = TokenStore()
        for line in store.lines {
            let isApplied = other.apply(line)
            #expect(isApplied)
        }
        #expect(other[name] == token.digest && other.isDenied(.user(1_000)) && other.count == 2)
        let changes = [other.forget(name), other.reset(.user(1_000))].compactMap(\.self)
        #expect(changes.count == 2)
        for line in changes {
            let isApplied = store.apply(line)
            #expect(isApplied)
        }
        #expect(store.count == 0 && other.count == 0)
        let again = [other.forget(name), other.reset(.user(1_000))]
        #expect(again == [nil, nil])
    }

    /// Damage never makes a token valid.
    @Test(arguments: [["token", "a"], ["token", "a", "12"], ["token", "uid 3", "12"], ["other", "a"], ["token"]])
    func damagedLinesGiveNothing(line: [String]) throws {
        var store = TokenStore()
        let name = try #require(ClientName("a"))
        _ = store.set(name, to: Digest(of: [1]))
        let isApplied = store.apply(line)
        #expect(!isApplied)
        #expect(store[name] == nil || line[0] == "other" || line.count < 2 || line[1] == "uid 3")
    }

    @Test func proofsAreOfOneTokenAndOneChallenge() {
        let (token, challenge) = (ClientToken(), [UInt8](repeating: 7, count: 32))
        func proof(_ token: ClientToken, _ key: Digest, _ challenge: [UInt8]) -> [UInt8] {
            zip(token.bytes, Digest(of: challenge, secret: key.bytes).bytes).map { $0 ^ $1 }
        }
        let right = proof(token, token.digest, challenge)
        #expect(token.digest.isProved(by: right, of: challenge))
        #expect(!token.digest.isProved(by: right, of: challenge + [0]))
        #expect(!ClientToken().digest.isProved(by: right, of: challenge))
        #expect(!token.digest.isProved(by: Array(right.dropLast()), of: challenge))
        // Who has only read the digest cannot make one.
        #expect(!token.digest.isProved(by: Digest(of: challenge, secret: token.digest.bytes).bytes, of: challenge))
    }
}
