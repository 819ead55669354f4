import PictureValues
import Testing

/// What the first bytes say.
@Suite struct KindTests {
    @Test(
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0], .jpeg), ([0x89, 0x50, 0x4e, 0x47], .png),
            (Array("RIFF....WEBPVP8 ".utf8), .webP),
            (Array("RIFF....WAVEfmt ".utf8), .other), (Array("GIF89a".utf8), .gif),
            (Array("BM....".utf8) + [0, 0, 0, 0, 54, 0, 0, 0, 40], .bmp), ([0x49, 0x49, 42, 0], .tiff),
            ([0x4d, 0x4d, 0, 42], .tiff), (Array("\0\0\0 ftypheic".utf8), .heif),
            (Array("\0\0\0 ftypavif".utf8), .heif),
            (Array("\0\0\0 ftypisom".utf8), .other), ([0xff, 0x0a], .jpegXL), (Array("\0\0\0\u{c}JXL ".utf8), .jpegXL),
            (Array("  <svg xmlns".utf8), .svg), (Array("<?xml version='1.0'?>\n<svg>".utf8), .svg),
            (Array("<?xml version='1.0'?><rss>".utf8), .other), ([], .other), ([0xff], .other),
        ] as [([UInt8], PictureKind)]
    )
    func isTold(head: [UInt8], kind: PictureKind) { #expect(PictureKind(head: head) == kind) }
}
