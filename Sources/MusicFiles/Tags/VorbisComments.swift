/// A Vorbis comment header (Vorbis I, section 5): names and values in the order in which they were stored.
enum VorbisComments {
    /// - Parameter bytes: From the vendor's length on.
    static func parse(_ bytes: [UInt8], at start: Int) -> [(String, String)] {
        var place = start + 4 + bytes.littleEndian(at: start)
        let count = bytes.littleEndian(at: place)
        place += 4
        var comments: [(String, String)] = []
        for _ in 0..<min(count, 65_536) {
            guard place + 4 <= bytes.count else { break }
            let length = bytes.littleEndian(at: place)
            place += 4
            guard length <= bytes.count - place else { break }
            let comment = bytes[place..<place + length]
            place += length
            guard let equals = comment.firstIndex(of: UInt8(ascii: "=")), equals > comment.startIndex else { continue }
            let name = String(decoding: comment[..<equals], as: UTF8.self)
            // A picture in text is no comment; it is read as a picture.
            guard name.uppercased() != "METADATA_BLOCK_PICTURE", name.uppercased() != "COVERART" else { continue }
            comments.append((name, String(decoding: comment[(equals + 1)...], as: UTF8.self)))
        }
        return comments
    }
}

/// FLAC's comment block (RFC 9639, section 8.6).
enum FLACComments {
    /// - Parameter start: Where `fLaC` is.
    static func read(_ source: borrowing TagSource, at start: Int) -> [(String, String)] {
        var place = start + 4
        for _ in 0..<1024 {
            let header = source.bytes(at: place, count: 4)
            guard header.count == 4 else { break }
            let length = header.bigEndian(at: 1, count: 3)
            if header[0] & 0x7f == 4 { return VorbisComments.parse(source.bytes(at: place + 4, count: length), at: 0) }
            if header[0] & 0x80 != 0 { break }
            place += 4 + length
        }
        return []
    }
}

/// The comment packet of Vorbis, Opus, FLAC or Speex in Ogg (RFC 3533).
enum OggComments {
    /// `nil` when no stream of the file is one of these.
    static func read(_ source: borrowing TagSource) -> [(String, String)]? {
        var place = 0
        var serial: [UInt8]?
        var packet: [UInt8] = []
        var packets = 0
        var isSpeex = false
        while place < min(source.size, TagSource.limit) {
            let header = source.bytes(at: place, count: 27 + 255)
            guard header.count > 27, header.starts(with: "OggS".utf8) else { return nil }
            let segments = Int(header[26])
            guard header.count >= 27 + segments else { return nil }
            let lengths = header[27..<27 + segments]
            let size = lengths.reduce(0) { $0 + Int($1) }
            var offset = place + 27 + segments
            place = offset + size
            let page = Array(header[14..<18])
            if serial == nil {
                let start = source.bytes(at: offset, count: min(size, 8))
                let starts = ["\u{1}vorbis", "OpusHead", "\u{7f}FLAC", "Speex   "]
                guard let index = starts.firstIndex(where: { start.starts(with: $0.utf8) }) else {
                    // The first pages of all streams come before any other page.
                    if header[5] & 2 != 0 { continue }
                    return nil
                }
                isSpeex = index == 3
                serial = page
            }
            guard page == serial else { continue }
            for length in lengths {
                if packets == 1 { packet += source.bytes(at: offset, count: Int(length)) }
                offset += Int(length)
                guard length < 255 else { continue }
                if packets == 1 { return comments(packet, isSpeex: isSpeex) }
                packets += 1
            }
        }
        return nil
    }

    private static func comments(_ packet: [UInt8], isSpeex: Bool) -> [(String, String)] {
        if isSpeex { return VorbisComments.parse(packet, at: 0) }
        if packet.starts(with: "\u{3}vorbis".utf8) { return VorbisComments.parse(packet, at: 7) }
        if packet.starts(with: "OpusTags".utf8) { return VorbisComments.parse(packet, at: 8) }
        return packet.count > 4 && packet[0] & 0x7f == 4 ? VorbisComments.parse(packet, at: 4) : []
    }
}
