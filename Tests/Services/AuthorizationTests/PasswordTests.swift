import Testing

@testable import Authorization

/// Passwords of named clients.
@Suite struct PasswordTests {
    @Test func hashes() throws {
        let hash = try #require(PasswordHash(hashing: "correct horse"))
        #expect(hash.text.hasPrefix("$y$") && !hash.text.contains("horse"))
        #expect(hash.matches("correct horse"))
        for wrong in ["", "correct hors", "correct horse ", "Correct horse"] {
            #expect(!hash.matches(wrong), "\(wrong)")
        }
        let other = try #require(PasswordHash(hashing: "correct horse"))
        #expect(other != hash, "salted")
        #expect(PasswordHash(hash.text) == hash)
        for text in ["", "plain", "$1$x$y", "$y$" + String(repeating: "a", count: 400)] {
            #expect(PasswordHash(text) == nil, "\(text)")
        }
        // A damaged hash is not a password's.
        #expect(PasswordHash("$y$j9T$salt$hash")?.matches("x") == false)
    }

    @Test func texts() throws {
        let password = try #require(ClientPassword("tablet:a:b"))
        #expect(password.name.text == "tablet" && password.secret == "a:b" && password.text == "tablet:a:b")
        for bad in ["", "tablet", "tablet:", ":secret", "a b:c", "a:\0"] {
            #expect(ClientPassword(bad) == nil, "\(bad)")
        }
        let made = (0..<100).map { _ in ClientPassword.random(for: password.name) }
        #expect(Set(made).count == 100)
        for one in made {
            #expect(one.secret.utf8.count == 14)
            #expect(ClientPassword(one.text) == one)
        }
    }
}
