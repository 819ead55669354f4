internal import FFmpeg

extension ID3v2 {
    /// The picture that says it is the front, else the first one, whatever they say they are made of.
    var picture: MediaPicture? {
        var found: Picture?
        forEach { frame in
            guard found?.isFront != true, let picture = Picture(frame), found == nil || picture.isFront else { return }
            found = picture
        }
        return found.map { MediaPicture(mimeType: $0.mimeType, bytes: $0.bytes) }
    }

    /// A frame `APIC`, or 2.2's `PIC`.
    private struct Picture {
        let isFront: Bool
        let mimeType: String?
        let bytes: [UInt8]

        init?(_ frame: Frame) {
            let content = frame.content
            guard frame.id == "APIC" || frame.id == "PIC", let encoding = content.first else { return nil }
            // A type that ends with a zero, or three letters; the kind of picture; a description.
            let typeEnd = frame.id == "PIC" ? 4 : content.dropFirst().firstIndex(of: 0)
            guard let typeEnd, typeEnd + 2 < content.count else { return nil }
            let type = String(decoding: content[1..<typeEnd], as: UTF8.self)
            let kind = typeEnd + (frame.id == "PIC" ? 0 : 1)
            // A link.
            guard type != "-->", let start = textEnd(in: content, at: kind + 1, encoding), start < content.count else {
                return nil
            }
            bytes = Array(content[start...])
            isFront = content[kind] == 3
            mimeType = imageType(of: bytes) ?? (type.contains("/") ? type : nil)
        }
    }
}

/// Where a text ends, its zero or zeros included.
private func textEnd(in bytes: [UInt8], at start: Int, _ encoding: UInt8) -> Int? {
    guard encoding == 1 || encoding == 2 else {
        return start < bytes.count ? bytes[start...].firstIndex(of: 0).map { $0 + 1 } : nil
    }
    return stride(from: start, to: bytes.count - 1, by: 2).first { bytes[$0] == 0 && bytes[$0 + 1] == 0 }.map { $0 + 2 }
}

/// What the first bytes of a picture say it is.
private func imageType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) { return "image/png" }
    if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
    if bytes.starts(with: "BM".utf8) { return "image/bmp" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return nil
}
