import LibraryIndex
import MediaHeaders
import Testing

/// Identifiers of sounds, and of files: each has a result of its own.
@Suite struct IdentityTests {
    private let library: TemporaryLibrary
    private let one = String(repeating: "1", count: 32)
    private let two = "abcdef" + String(repeating: "2", count: 26)
    private let never = String(repeating: "9", count: 32)

    init() throws {
        library = try TemporaryLibrary()
        var picture = file("b/cover.jpg")
        picture.kind = .image
        try library.add([
            file("b/1.flac", portable: one), file("b/2.flac", portable: two), file("a/copy of 2.flac", portable: two),
            picture,
        ])
    }

    private func identify(_ identifiers: String...) throws -> [Identification] {
        try library.reader.identify(identifiers)
    }

    @Test func eachHasAResult() throws {
        #expect(
            try identify(one, never, two.uppercased(), "b/1.flac", "b/nothing.flac", one) == [
                .one(uri: "b/1.flac", portableID: one), .none(portableID: nil, was: []),
                .several(portableID: two, uris: ["a/copy of 2.flac", "b/2.flac"]),
                .one(uri: "b/1.flac", portableID: one), .none(portableID: nil, was: []),
                .one(uri: "b/1.flac", portableID: one),
            ]
        )
    }

    /// A URI means the file there, and not its copies, whatever it is.
    @Test func files() throws {
        #expect(try identify("b/2.flac") == [.one(uri: "b/2.flac", portableID: two)])
        #expect(try identify("b/cover.jpg") == [.one(uri: "b/cover.jpg", portableID: nil)])
        #expect(try identify("b") == [.none(portableID: nil, was: [])])
        try library.add([file(never, portable: one)])
        #expect(try identify(never) == [.one(uri: never, portableID: one)], "a file may be named so")
    }

    @Test func whatIsGoneIsRemembered() throws {
        // A copy that is there for long is no place that another one was moved to.
        try library.age(by: 7_200)
        try library.apply([.removal(uri: "b")])
        #expect(
            try identify(one, "b/1.flac", two, "b/2.flac", "b/cover.jpg") == [
                .none(portableID: one, was: ["b/1.flac"]), .none(portableID: one, was: ["b/1.flac"]),
                .one(uri: "a/copy of 2.flac", portableID: two), .one(uri: "a/copy of 2.flac", portableID: two),
                .none(portableID: nil, was: ["b/cover.jpg"]),
            ]
        )
        try library.add([file("c/1.flac", portable: one)])
        #expect(try identify(one) == [.one(uri: "c/1.flac", portableID: one)])
    }
}
