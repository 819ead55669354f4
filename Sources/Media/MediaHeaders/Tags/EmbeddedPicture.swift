internal import PictureValues
internal import TextEncodings

/// A picture in a file's tags, as stored.
package struct EmbeddedPicture: Sendable, Hashable {
    /// Such as `image/jpeg`: detected from the first bytes, or as the tag declares it; `nil` if unknown.
    package let mimeType: String?
    package let bytes: [UInt8]
    let isFront: Bool

    init(_ bytes: [UInt8], declared type: String?, isFront: Bool) {
        self.bytes = bytes
        self.isFront = isFront
        mimeType = imageType(of: bytes) ?? type.flatMap { $0.contains("/") ? $0 : nil }
    }

    /// A picture of FLAC (RFC 9639, section 8.8), also in Vorbis comments.
    init?(flac block: ArraySlice<UInt8>) {
        var rest = block
        func number() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes() -> ArraySlice<UInt8>? {
            guard let count = number(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        // Its kind; its type and a description; four numbers on its dimensions; the picture.
        guard let kind = number(), let type = bytes(), bytes() != nil, rest.count >= 16 else { return nil }
        rest = rest.dropFirst(16)
        let name = String(decoding: type, as: UTF8.self)
        // A link.
        guard name != "-->", let picture = bytes(), !picture.isEmpty else { return nil }
        self.init(Array(picture), declared: name, isFront: kind == 3)
    }
}

extension TagReader {
    /// The front cover in a file, or else the first picture, of whatever type: from ID3v2, FLAC, Ogg or MP4.
    package mutating func embeddedPicture() -> EmbeddedPicture? {
        if let picture = id3v2Picture() {
            return EmbeddedPicture(picture.bytes, declared: picture.mimeType, isFront: picture.isFront)
        }
        let start = window.endOfID3v2(at: 0)
        let found =
            if window.has("fLaC", at: start) { flacPictures(at: start) } else if window.has("ftyp", at: 4) {
                moviePictures()
            } else { commentPictures() }
        return found.first(where: \.isFront) ?? found.first
    }

    /// More pictures than a file has for good reason.
    private static let pictureLimit = 16

    private mutating func flacPictures(at start: Int) -> [EmbeddedPicture] {
        var found: [EmbeddedPicture] = []
        var blocks = FLACBlocks(at: start)
        while let block = blocks.next(&window), found.count < Self.pictureLimit {
            guard block.kind == .picture, window.load(block.content.lowerBound, block.content.count) else { continue }
            if let picture = EmbeddedPicture(flac: window[block.content]) { found.append(picture) }
        }
        return found
    }

    /// Pictures among the comments of an Ogg file, in Base64.
    private mutating func commentPictures() -> [EmbeddedPicture] {
        guard var stream = oggComments() else { return [] }
        var found: [EmbeddedPicture] = []
        VorbisCommentReader.read(&stream, &window) { name -> (Bool, limit: Int) in
            let isPicture = String(decoding: name, as: UTF8.self).uppercased() == "METADATA_BLOCK_PICTURE"
            return (isPicture, isPicture ? Self.tagLimit : 0)
        } show: { isPicture, value in
            guard isPicture, found.count < Self.pictureLimit, let block = Base64.decoded(value),
                let picture = EmbeddedPicture(flac: block[...])
            else { return }
            found.append(picture)
        }
        return found
    }

    /// iTunes' covers.
    private mutating func moviePictures() -> [EmbeddedPicture] {
        guard let movie = MP4Boxes(0..<window.size).first("moov", &window),
            let user = MP4Boxes(movie).first("udta", &window), let meta = MP4Boxes(user).first("meta", &window),
            let list = MP4Boxes(meta: meta, &window).first("ilst", &window),
            let covers = MP4Boxes(list).first("covr", &window)
        else { return [] }
        return MP4Boxes(covers).all("data", &window).prefix(Self.pictureLimit).compactMap { data in
            // The type of the data, and a language.
            guard data.count > 8, window.load(data.lowerBound + 8, data.count - 8) else { return nil }
            let bytes = Array(window[data.lowerBound + 8..<data.upperBound])
            return EmbeddedPicture(bytes, declared: nil, isFront: false)
        }
    }
}

/// The MIME type of a picture, detected from its first bytes.
func imageType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "image/png" }
    if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
    if bytes.starts(with: "BM".utf8) { return "image/bmp" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    if bytes.starts(with: [0xff, 0x0a]) || bytes.dropFirst(4).starts(with: "JXL ".utf8) { return "image/jxl" }
    guard bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
    switch String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self) {
    case "avif", "avis": return "image/avif"
    case "heic", "heix", "mif1": return "image/heic"
    default: return nil
    }
}
