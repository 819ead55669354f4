import TestSupport

/// Pictures and songs with pictures, made byte by byte.
package enum TestPictures {
    /// A picture in one colour (a Windows bitmap).
    package static func bitmap(
        _ colour: (red: UInt8, green: UInt8, blue: UInt8),
        width: Int = 60,
        height: Int = 40
    ) -> [UInt8] {
        let row = (0..<width).flatMap { _ in [colour.blue, colour.green, colour.red] }
        let padded = row + [UInt8](repeating: 0, count: (4 - row.count % 4) % 4)
        let pixels = (0..<height).flatMap { _ in padded }
        let number = { MadeMedia.littleEndian($0, 4) }
        let info = number(40) + number(width) + number(height) + [1, 0, 24, 0] + number(0) + number(pixels.count)
        let head = Array("BM".utf8) + number(54 + pixels.count) + number(0) + number(54)
        return head + info + number(2_835) + number(2_835) + number(0) + number(0) + pixels
    }

    package static let red = bitmap((255, 0, 0))
    package static let green = bitmap((0, 255, 0))
    package static let blue = bitmap((0, 0, 255))
    package static let white = bitmap((255, 255, 255))

    /// A song with a cover.
    package static func song(_ cover: [UInt8]) -> [UInt8] {
        let frame = MadeMedia.frame("APIC", [0] + Array("image/bmp\0".utf8) + [3, 0] + cover)
        return MadeMedia.id3(version: 4, frame) + MadeMedia.mp3()
    }
}
