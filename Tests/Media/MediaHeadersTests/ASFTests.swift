import MediaHeaders
import TestSupport
import Testing

/// Tags of Windows Media, in files made of the objects that have them.
@Suite struct ASFTests {
    private static let header = "3026b2758e66cf11a6d900aa0062ce6c"
    private static let content = "3326b2758e66cf11a6d900aa0062ce6c"
    private static let extended = "40a4d0d207e3d21197f000a0c95ea850"
    private static let headerExtension = "b503bf5f2ea9cf118ee300c00c205365"
    private static let library = "941c23449894d149a1411d134e457054"

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.utf8.map { $0 >= 0x61 ? $0 - 0x61 + 10 : $0 - 0x30 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private func object(_ identifier: String, _ content: [UInt8], size: Int? = nil) -> [UInt8] {
        bytes(identifier) + MadeMedia.littleEndian(size ?? content.count + 24, 8) + content
    }

    private func text(_ text: String) -> [UInt8] {
        Array((Array(text.utf16) + [0]).map { MadeMedia.littleEndian(Int($0), 2) }.joined())
    }

    private func content(title: String, author: String) -> [UInt8] {
        let texts: [[UInt8]] = [text(title), text(author), [], [], []]
        let lengths = texts.map { MadeMedia.littleEndian($0.count, 2) }
        return object(Self.content, Array((lengths + texts).joined()))
    }

    private func extended(_ values: [(String, Int, [UInt8])]) -> [UInt8] {
        var bytes = MadeMedia.littleEndian(values.count, 2)
        for (name, type, value) in values {
            bytes += MadeMedia.littleEndian(text(name).count, 2) + text(name) + MadeMedia.littleEndian(type, 2)
            bytes += MadeMedia.littleEndian(value.count, 2) + value
        }
        return object(Self.extended, bytes)
    }

    private func library(_ values: [(String, [UInt8])]) -> [UInt8] {
        var bytes = MadeMedia.littleEndian(values.count, 2)
        for (name, value) in values {
            bytes += [0, 0, 0, 0] + MadeMedia.littleEndian(text(name).count, 2) + [0, 0]
            bytes += MadeMedia.littleEndian(value.count, 4) + text(name) + value
        }
        let inner = object(Self.library, bytes)
        return object(Self.headerExtension, [UInt8](repeating: 1, count: 22) + inner)
    }

    private func file(_ objects: [[UInt8]]) -> [UInt8] {
        let all = Array(objects.joined())
        return object(Self.header, [1, 0, 0, 0, 1, 2] + all)
    }

    @Test func allValuesAreRead() {
        let bytes = file([
            library([("Author", text("Bea")), ("WM/Genre", text("Pop"))]), content(title: "Stück", author: "Anna"),
            extended([
                ("WM/AlbumTitle", 0, text("Al")), ("WM/Genre", 0, text("Jazz")), ("WM/TrackNumber", 3, [7, 0, 0, 0]),
                ("WM/Picture", 1, [3, 0, 0, 0]), ("WM/Year", 0, text("1999")),
            ]),
        ])
        let (result, file) = MadeMedia.read(bytes)
        // Its sound is libavformat's.
        #expect(result == .unknown)
        #expect(
            file.lines == [
                "Title=Stück", "Artist=Anna", "Album=Al", "Genre=Jazz", "Track=7", "Artist=Bea", "Genre=Pop",
                "Date=1999",
            ]
        )
        #expect(file.cover == .embedded)
    }

    @Test(arguments: [0, 23, 1 << 40, -1]) func objectsWithoutAnEndAreLeft(size: Int) {
        let broken = object(Self.extended, [255, 255, 255, 255], size: size)
        let file = MadeMedia.read(file([content(title: "T", author: "A"), broken])).1
        #expect(file.lines == ["Title=T", "Artist=A"])
    }

    @Test(arguments: [0, 16, 24, 29, 30, 31, -1]) func aHeaderOfAWrongSizeIsLeft(size: Int) {
        let bytes = object(Self.header, [1, 0, 0, 0, 1, 2] + content(title: "T", author: "A"), size: size)
        #expect(MadeMedia.read(bytes).1.lines == [])
    }

    @Test func aCutHeaderIsLeft() {
        let whole = file([content(title: "T", author: "A")])
        for count in 0..<whole.count { #expect(MadeMedia.read(Array(whole[..<count])).1.lines == []) }
    }
}
