import LibraryIndex
import MediaHeaders
import Testing

/// Clients' names for pictures, videos and songs.
@Suite struct AssetIdentifierTests {
    private let library: TemporaryLibrary
    private static let uris = ["a/1.jpg", "a/2.mp4", "b/3.flac"]

    init() throws {
        library = try TemporaryLibrary()
        var files = Self.uris.enumerated().map { file($1, inode: UInt64($0 + 3)) }
        (files[0].kind, files[1].kind) = (.image, .video)
        var list = file("b/4.m3u", inode: 9)
        list.kind = .playlist
        try library.add(files + [list])
    }

    @Test func theyLeadBackToTheItems() throws {
        let names = try library.reader.assetIdentifiers(of: Self.uris, for: "frame")
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { AssetIdentifier($0.text) == $0 })
        let nobody = try #require(AssetIdentifier(String(repeating: "0", count: 32)))
        let found = try library.reader.uris(of: Set(names + [nobody]), for: "frame")
        #expect(found == Dictionary(uniqueKeysWithValues: zip(names, Self.uris)))
        #expect(try library.reader.uris(of: [names[1]], for: "frame") == [names[1]: "a/2.mp4"])
        // A playlist is none of these.
        let list = try library.reader.assetIdentifiers(of: ["b/4.m3u"], for: "frame")
        #expect(try library.reader.uris(of: Set(list), for: "frame") == [:])
    }

    /// Two clients cannot find out whether they have the same item.
    @Test func anotherClientHasOthers() throws {
        let names = try library.reader.assetIdentifiers(of: Self.uris, for: "frame")
        let others = try library.reader.assetIdentifiers(of: Self.uris, for: "hall")
        #expect(Set(names).isDisjoint(with: others))
        #expect(try library.reader.uris(of: Set(names), for: "hall") == [:])
    }

    @Test func theyStay() throws {
        let names = try library.reader.assetIdentifiers(of: Self.uris, for: "frame")
        library.library.close()
        library.library = try Library(path: library.path)
        #expect(try library.reader.assetIdentifiers(of: Self.uris, for: "frame") == names)
        // Another library has another secret.
        let other = try TemporaryLibrary()
        #expect(Set(try other.reader.assetIdentifiers(of: Self.uris, for: "frame")).isDisjoint(with: names))
    }
}
