internal import Songs
internal import TextEncodings

/// The tags of Windows Media (ASF Specification, revision 01.20.05, sections 3.10, 3.11 and 4.7 to 4.8).
///
/// Names may occur several times, of which libavformat has the last one.
extension HeaderReader {
    /// More objects than a valid header has.
    private static let objectLimit = 1_000
    /// The offset of the first object in the header.
    private static let objectsStart = 30
    /// More attributes than a valid object has.
    private static let attributeLimit = 4_096
    /// Longer than any known name, in bytes.
    private static let nameLimit = 256

    /// Objects that are read.
    private enum ASF {
        typealias Identifier = (UInt64, UInt64)
        static let header: Identifier = (0x3026_b275_8e66_cf11, 0xa6d9_00aa_0062_ce6c)
        static let content: Identifier = (0x3326_b275_8e66_cf11, 0xa6d9_00aa_0062_ce6c)
        static let extendedContent: Identifier = (0x40a4_d0d2_07e3_d211, 0x97f0_00a0_c95e_a850)
        static let headerExtension: Identifier = (0xb503_bf5f_2ea9_cf11, 0x8ee3_00c0_0c20_5365)
        static let metadata: Identifier = (0xeacb_f8c5_af5b_7748, 0x8467_aa8c_44fa_4cca)
        static let metadataLibrary: Identifier = (0x941c_2344_9894_d149, 0xa141_1d13_4e45_7054)
    }

    /// Reads the tags only; all else is left to libavformat.
    mutating func readASF(into file: inout ScannedFile) {
        guard isASF(ASF.header, at: 0), let size = window.littleEndian(16, 8), size >= Self.objectsStart,
            size <= window.size
        else { return }
        readObjects(Self.objectsStart..<size, into: &file)
        tags.recordEnd()
    }

    private mutating func isASF(_ identifier: ASF.Identifier, at place: Int) -> Bool {
        guard window.load(place, 16) else { return false }
        func half(_ start: Int) -> UInt64 { UInt64(bigEndian: window[start..<start + 8]) }
        return half(place) == identifier.0 && half(place + 8) == identifier.1
    }

    private mutating func readObjects(_ range: Range<Int>, isInner: Bool = false, into file: inout ScannedFile) {
        var place = range.lowerBound
        var furtherValues = 0..<0
        for _ in 0..<Self.objectLimit {
            guard place + 24 <= range.upperBound, let size = window.littleEndian(place + 16, 8), size >= 24,
                size <= range.upperBound - place
            else { break }
            let content = place + 24..<place + size
            if isASF(ASF.content, at: place) {
                readContent(content, into: &file)
            } else if isASF(ASF.extendedContent, at: place) {
                readAttributes(content, isLong: false, into: &file)
            } else if isASF(ASF.metadata, at: place) || isASF(ASF.metadataLibrary, at: place) {
                readAttributes(content, isLong: true, into: &file)
            } else if !isInner, isASF(ASF.headerExtension, at: place), content.count >= 22 {
                furtherValues = content.lowerBound + 22..<content.upperBound
            }
            place += size
        }
        // Further values of one name stand here, wherever the extension stands.
        if !furtherValues.isEmpty { readObjects(furtherValues, isInner: true, into: &file) }
    }

    /// Title, author, copyright, description and rating, behind their five lengths.
    private mutating func readContent(_ range: Range<Int>, into file: inout ScannedFile) {
        let meanings: [TagType?] = [.title, .artist, nil, .comment, nil]
        var place = range.lowerBound + 10
        for (index, tag) in meanings.enumerated() {
            guard let length = window.littleEndian(range.lowerBound + 2 * index, 2),
                length <= range.upperBound - place
            else { return }
            if let tag, let text = utf16(place..<place + length) { tags.add(tag, text, to: &file) }
            place += length
        }
    }

    /// - Parameter isLong: Whether attributes have a language, a stream, and 32 bits of length.
    private mutating func readAttributes(_ range: Range<Int>, isLong: Bool, into file: inout ScannedFile) {
        guard let count = window.littleEndian(range.lowerBound, 2) else { return }
        var place = range.lowerBound + 2
        for _ in 0..<min(count, Self.attributeLimit) {
            let head = isLong ? 12 : 2
            guard place + head <= range.upperBound,
                let nameLength = window.littleEndian(place + (isLong ? 4 : 0), 2)
            else { return }
            // The type and the length of the value stand before the name, or behind it.
            let details = isLong ? place + 6 : place + 2 + nameLength
            let name = place + head..<place + head + nameLength
            guard details + (isLong ? 6 : 4) <= range.upperBound, name.upperBound <= range.upperBound,
                let type = window.littleEndian(details, 2),
                let length = window.littleEndian(details + 2, isLong ? 4 : 2)
            else { return }
            let start = isLong ? name.upperBound : details + 4
            guard length <= range.upperBound - start else { return }
            readAttribute(name, type, start..<start + length, into: &file)
            place = start + length
        }
    }

    private mutating func readAttribute(
        _ name: Range<Int>,
        _ type: Int,
        _ value: Range<Int>,
        into file: inout ScannedFile
    ) {
        guard name.count <= Self.nameLimit, let name = utf16(name) else { return }
        let meaning = ASFNames.meaning(name).map(TagMeaning.tag) ?? tags.meaning(of: name)
        switch type {
        case 0: if let text = utf16(value) { tags.add(meaning, text, to: &file) }
        case 1: if name.elementsEqual("WM/Picture".utf8) { tags.add(.picture, [], to: &file) }
        case 3, 4, 5:
            guard value.count <= 8, let number = window.littleEndian(value.lowerBound, value.count) else { return }
            tags.add(meaning, Array(String(number).utf8)[...], to: &file)
        default: break
        }
    }

    /// A text up to its zero, as UTF-8; `nil` when it is longer than any tag.
    private mutating func utf16(_ range: Range<Int>) -> ArraySlice<UInt8>? {
        let count = min(range.count, 2 * TagCollector.cueSheetLimit) & ~1
        guard window.load(range.lowerBound, count) else { return nil }
        let bytes = window[range.lowerBound..<range.lowerBound + count]
        var units: [UInt16] = []
        units.reserveCapacity(count / 2)
        for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
            let unit = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
            if unit == 0 { break }
            units.append(unit)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)[...]
    }
}

/// The names of Windows Media's own that no other format has.
private enum ASFNames {
    static func meaning(_ name: ArraySlice<UInt8>) -> TagType? {
        switch String(decoding: name, as: UTF8.self).lowercased() {
        case "author": .artist
        case "wm/albumtitle": .album
        case "wm/albumartist": .albumArtist
        case "wm/albumartistsortorder": .albumArtistSort
        case "wm/composersortorder": .composerSort
        case "wm/composer": .composer
        case "wm/genre": .genre
        case "wm/partofset": .disc
        case "wm/publisher": .label
        case "wm/tracknumber": .track
        default: nil
        }
    }
}
