import Testing
import TextEncodings

@Suite struct PathTextTests {
    @Test(
        arguments: [
            ("Photos/A/1.jpg", "1.jpg"), ("1.jpg", "1.jpg"), ("Photos/A/", "A"), ("/", ""), ("", ""), ("//a//", "a"),
            // Combining marks behind a slash and before it.
            ("Secret/\u{301}a.jpg", "\u{301}a.jpg"), ("Secret\u{301}/a.jpg", "a.jpg"),
        ]
    )
    func theLastPartIsTheName(_ path: String, _ name: String) {
        // As scalars: Swift compares characters.
        #expect(Array(path.lastPathComponent.unicodeScalars) == Array(name.unicodeScalars))
    }
}
