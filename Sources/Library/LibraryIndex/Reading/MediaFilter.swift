/// A condition on pictures and videos: kinds, joined by `any`, `all` and `not`, as PhotosUI's `PHPickerFilter` has them.
///
/// `any` of nothing holds for none of them, `all` of nothing for each.
package indirect enum MediaFilter: Sendable, Hashable {
    case kind(Kind)
    case any([MediaFilter])
    case all([MediaFilter])
    case not(MediaFilter)

    /// A kind of pictures or videos, by what the library knows of them: names, folders, sizes in pixels, and what their
    /// files tell of how they were made.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case images, videos
        /// Images with the names that covers of albums have.
        case covers
        /// Images with the content identifier of a video, or beside a short video of the same name but for its extension.
        case livePhotos
        /// The videos of these.
        case livePhotoVideos
        /// Images with a short film in the same file, by their XMP, or by the names that Android's cameras give them.
        case motionPhotos
        /// Images of series, by Apple's and Google's cameras, or by the names that Android's give them.
        case bursts
        /// Images that are at least twice as wide as high, or as high as wide, or that are panoramas by their XMP.
        case panoramas
        /// Images with the distances of their points.
        case depthEffectPhotos
        /// Images of several frames.
        case animatedImages
        /// Images with the names that desktops and phones give to screenshots, in a folder of them, or with the comment that
        /// iOS and macOS write.
        case screenshots
        /// Videos with the names that desktops and phones give to recordings of their screens, or in a folder of them.
        case screenRecordings
        /// Videos that were captured at 100 frames a second or more.
        case slomoVideos
        /// Videos that show at least twice as fast what they have captured, or with a name that says so.
        case timelapseVideos
    }

    package static let images = MediaFilter.kind(.images)
    package static let videos = MediaFilter.kind(.videos)

    /// Whether a kind stands anywhere in the filter.
    package func names(_ other: Kind) -> Bool {
        switch self {
        case .kind(let kind): kind == other
        case .any(let parts), .all(let parts): parts.contains { $0.names(other) }
        case .not(let part): part.names(other)
        }
    }
}

extension MediaFilter: CustomStringConvertible {
    /// As ``init(parsing:)`` reads it.
    package var description: String {
        switch self {
        case .kind(let kind): kind.rawValue
        case .any(let parts): "any(\(Self.list(parts)))"
        case .all(let parts): "all(\(Self.list(parts)))"
        case .not(let part): "not(\(part))"
        }
    }

    private static func list(_ parts: [MediaFilter]) -> String { parts.map(\.description).joined(separator: ",") }
}

/// Why a text is no filter of media.
package enum MediaFilterError: Error, Sendable, Hashable, CustomStringConvertible {
    case tooLong
    case tooDeep
    case unknownKind(String)
    case expected(String, at: Int)

    package var description: String {
        switch self {
        case .tooLong: "a filter has at most \(MediaFilter.longestText) bytes"
        case .tooDeep: "a filter is nested at most \(MediaFilter.mostLevels) levels deep"
        case .unknownKind(let word):
            "'\(word)' is no kind of pictures and videos, which are \(MediaFilter.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
        case .expected(let text, let place): "the filter is wrong at character \(place): expected \(text)"
        }
    }
}

// MARK: Text

extension MediaFilter {
    /// Of a text, in bytes.
    package static let longestText = 1_024
    package static let mostLevels = 16

    /// Parses a text such as `all(images,not(any(covers,screenshots)))`; blanks between words, and the case of
    /// letters, count for nothing.
    package init(parsing text: String) throws(MediaFilterError) {
        guard text.utf8.count <= Self.longestText else { throw .tooLong }
        var parser = MediaFilterParser(text)
        self = try parser.filter(level: 1)
        try parser.end()
    }
}

private struct MediaFilterParser {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func filter(level: Int) throws(MediaFilterError) -> MediaFilter {
        guard level <= MediaFilter.mostLevels else { throw .tooDeep }
        let word = word()
        switch word.lowercased() {
        case "any": return .any(try list(level))
        case "all": return .all(try list(level))
        case "not":
            try require(UInt8(ascii: "("), "'('")
            let part = try filter(level: level + 1)
            try require(UInt8(ascii: ")"), "')'")
            return .not(part)
        case "": throw .expected("a kind of pictures or videos, any, all or not", at: place + 1)
        default:
            let kind = MediaFilter.Kind.allCases.first { $0.rawValue.lowercased() == word.lowercased() }
            guard let kind else { throw .unknownKind(word) }
            return .kind(kind)
        }
    }

    private mutating func list(_ level: Int) throws(MediaFilterError) -> [MediaFilter] {
        try require(UInt8(ascii: "("), "'('")
        if take(UInt8(ascii: ")")) { return [] }
        var parts = [try filter(level: level + 1)]
        while take(UInt8(ascii: ",")) { parts.append(try filter(level: level + 1)) }
        try require(UInt8(ascii: ")"), "',' or ')'")
        return parts
    }

    private mutating func word() -> String {
        skipBlanks()
        let word = bytes[place...].prefix { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) }
        place += word.count
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func require(_ byte: UInt8, _ name: String) throws(MediaFilterError) {
        guard take(byte) else { throw .expected(name, at: place + 1) }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
    }

    mutating func end() throws(MediaFilterError) {
        skipBlanks()
        guard place == bytes.count else { throw .expected("nothing more", at: place + 1) }
    }
}
