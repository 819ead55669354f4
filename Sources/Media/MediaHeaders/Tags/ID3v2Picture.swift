/// A picture in an ID3v2 tag: a frame `APIC`, or 2.2's `PIC`.
package struct ID3v2Picture {
    /// Such as `image/jpeg`: detected from the first bytes, or as the tag declares it; `nil` if unknown.
    package let mimeType: String?
    package let bytes: [UInt8]
    let isFront: Bool

    init?(_ frame: ID3v2Frame, _ window: inout ByteWindow) {
        let isShort = frame.id == fourCC("PIC")
        guard isShort || frame.id == fourCC("APIC"), let content = frame.bytes(&window), let encoding = content.first
        else { return nil }
        // A MIME type that ends with a zero, or three letters; the picture type; a description.
        let start = content.startIndex
        let typeEnd = isShort ? start + 4 : content.dropFirst().firstIndex(of: 0)
        guard let typeEnd, typeEnd + 2 < content.endIndex else { return nil }
        let type = String(decoding: content[start + 1..<typeEnd], as: UTF8.self)
        let kind = typeEnd + (isShort ? 0 : 1)
        // A link.
        guard type != "-->", let end = textEnd(content[(kind + 1)...], encoding), end < content.endIndex else {
            return nil
        }
        bytes = Array(content[end...])
        isFront = content[kind] == 3
        mimeType = imageType(of: bytes) ?? (type.contains("/") ? type : nil)
    }
}

/// The end of a text, including its terminator.
func textEnd(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> Int? {
    guard encoding == 1 || encoding == 2 else { return bytes.firstIndex(of: 0).map { $0 + 1 } }
    return stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
        .first { bytes[$0] == 0 && bytes[$0 + 1] == 0 }.map { $0 + 2 }
}
