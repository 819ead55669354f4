package import AudioTypes

/// One song as MPD's clients see it: its location and its metadata.
///
/// Immutable, and stored in the words of the protocol, so that listing a hundred thousand of them copies bytes.
package struct Song: Sendable {
    /// The facts, followed by the file's name or a URL, the format, and the values of the song's own tags, each ended
    /// by a line feed.
    private let own: PackedBytes<Facts>

    private struct Facts: Sendable {
        let shared: SharedLines
        /// Properties that few songs have.
        let rarities: Rarities?
        /// Seconds; below zero when unknown.
        let length: Double
        let modified: Moment
        let added: Moment
    }

    /// Seconds since 1970, without the extra size of an optional number.
    private struct Moment {
        private let value: UInt32

        init(_ seconds: Int?) { value = seconds.map { UInt32(clamping: min($0, Int(UInt32.max) - 1)) } ?? .max }

        var seconds: Int? { value == .max ? nil : Int(value) }
    }

    private final class Rarities: Sendable {
        /// The URI, if it differs from the one shown.
        let uri: String?
        let alternatives: [String]
        let reach: NetworkReach
        let range: Range?
        let mediumDuration: Double?
        let isExamined: Bool
        let hasSheet: Bool

        /// - Returns: `nil` when there are none.
        init?(_ fields: Fields, uri: String?) {
            self.uri = uri
            alternatives = fields.alternatives
            reach = fields.reach
            range = fields.range
            mediumDuration = fields.range == nil ? nil : fields.mediumDuration
            isExamined = fields.isExamined
            hasSheet = fields.hasSheet
            let isPlain = uri == nil && alternatives.isEmpty && range == nil && isExamined && !hasSheet
            if isPlain, reach == .anywhere { return nil }
        }
    }

    /// A stretch of a medium, in seconds.
    package struct Range: Sendable, Hashable {
        package var start: Double
        /// `nil`: to the medium's end.
        package var end: Double?

        /// The upper limit for the start and end of a range, in seconds: some 317 years.
        package static let limit = 1e10

        package init(start: Double, end: Double? = nil) {
            self.start = start
            self.end = end
        }

        /// A range from a client or the disk.
        ///
        /// - Returns: `nil` unless both are from 0 to `limit`, and the end is after the start.
        package init?(checking start: Double, end: Double? = nil) {
            guard (0...Self.limit).contains(start), end.map({ $0 > start && $0 <= Self.limit }) ?? true else {
                return nil
            }
            self.init(start: start, end: end)
        }
    }

    package init(_ fields: Fields) {
        // Built from its lines, which contain only the text that may be shown.
        var lines: [UInt8] = []
        lines.append(line: "file: ", withoutCredentials(fields.uri))
        let isShown = lines.dropFirst(6).dropLast().elementsEqual(fields.uri.utf8)
        if let format = fields.format { lines.append(line: "Format: ", format) }
        for (tag, value) in fields.tags { lines.append(line: tag.name + ": ", value) }
        var words = SongWords()
        _ = unsafe lines.withUnsafeBytes { unsafe words.read($0) }
        self.init(&words, fields, uri: isShown ? nil : fields.uri)
    }

    /// - Parameter uri: The URI, if it differs from the one in the words.
    init(_ words: inout SongWords, _ fields: Fields, uri: String?) {
        let facts = Facts(
            shared: words.shared(),
            rarities: Rarities(fields, uri: uri),
            length: fields.duration.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } ?? -1,
            modified: Moment(fields.lastModified),
            added: Moment(fields.added)
        )
        own = PackedBytes(facts, words.own)
    }

    /// Whether it is the same instance, and so has not changed.
    package func isIdentical(to other: Song) -> Bool { own.isIdentical(to: other.own) }

    private var facts: Facts { own.header }

    /// The approximate memory used; memory shared with others is counted for each.
    package var byteCount: Int {
        own.withBytes { $0.count } + facts.shared.text.count + 128
            + (facts.rarities.map { $0.alternatives.reduce($0.uri?.utf8.count ?? 0) { $0 + $1.utf8.count } } ?? 0)
    }

    // MARK: Properties

    /// The path below the music directory, or a URL; what `add` takes.
    ///
    /// The URI written to clients never contains credentials.
    package var uri: String {
        if let uri = facts.rarities?.uri { return uri }
        var bytes: [UInt8] = []
        appendFile(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Other URLs of the same song, such as a station's further servers; tried in turn when it is unavailable.
    package var alternatives: [String] { facts.rarities?.alternatives ?? [] }
    /// The addresses that it may be fetched from, or the files that it may be, on behalf of the client that named it.
    package var reach: NetworkReach { facts.rarities?.reach ?? .anywhere }
    /// The part of the medium that the song covers, in seconds; `nil` for all of it.
    package var range: Range? { facts.rarities?.range }
    /// Seconds since 1970; `nil` when unknown.
    package var lastModified: Int? { facts.modified.seconds }
    /// Seconds since 1970; `nil` when unknown.
    package var added: Int? { facts.added.seconds }
    /// Whether the medium was examined; until then there are no tags and no duration.
    package var isExamined: Bool { facts.rarities?.isExamined ?? true }
    /// Whether its file contains a CUE sheet, and so is a playlist as well.
    package var hasSheet: Bool { facts.rarities?.hasSheet ?? false }

    /// Sample rate, bits and channels, such as `44100:16:2`; `nil` when unknown.
    package var format: String? {
        own.withBytes { own in
            let word = own.word(from: own.word(from: 0).upperBound + 1)
            if word.isEmpty { return nil }
            let format = own.extracting(word)
            return format.text
        }
    }

    /// In seconds; `nil` when unknown or endless.
    ///
    /// The duration of the range, if there is one.
    package var duration: Double? { facts.length < 0 ? nil : facts.length }

    /// The tags in their order; some may occur several times.
    package var tags: [(TagType, String)] {
        var tags: [(TagType, String)] = []
        tags.reserveCapacity(facts.shared.lines.count)
        forEachTag { tag, value in
            tags.append((tag, value.text))
            return true
        }
        return tags
    }

    /// The values of one kind of tag.
    package func values(of tag: TagType) -> [String] {
        guard facts.shared.tags.contains(tag) else { return [] }
        return tags.filter { $0.0 == tag }.map(\.1)
    }

    /// The result of a search through a tag's values.
    package enum ValueSearch: Sendable, Hashable {
        /// There is no such tag.
        case absent
        case mismatched
        case matched
    }

    /// Searches the stored UTF-8 values, without creating strings.
    ///
    /// - Parameter tag: `nil` searches all tags.
    package func search(_ tag: TagType?, for isMatch: (Span<UInt8>) -> Bool) -> ValueSearch {
        var result = ValueSearch.absent
        if let tag, !facts.shared.tags.contains(tag) { return result }
        forEachTag { kind, value in
            guard tag == nil || kind == tag else { return true }
            result = isMatch(value) ? .matched : .mismatched
            return result != .matched
        }
        return result
    }

    /// - Parameter body: Called with each tag's value until it returns `false`.
    private func forEachTag(_ body: (TagType, Span<UInt8>) -> Bool) {
        let shared = facts.shared
        let text = shared.text
        own.withBytes { own in
            var (place, start) = (own.startOfTags, shared.start)
            for line in shared.lines {
                defer { start = Int(line.end) }
                if line.isOwn {
                    let word = own.word(from: place)
                    place = word.upperBound + 1
                    guard body(line.tag, own.extracting(word)) else { return }
                } else {
                    let value = start + line.tag.name.utf8.count + 2..<Int(line.end) - 1
                    guard body(line.tag, text.span.extracting(value)) else { return }
                }
            }
        }
    }

    // MARK: Lines

    /// Appends the song's lines, from `file:` to `duration:`, with the tags of a mask.
    package func append(to target: inout [UInt8], tags mask: TagMask) {
        target += "file: ".utf8
        appendFile(to: &target)
        target.append(UInt8(ascii: "\n"))
        if let range { target.append(range) }
        if let lastModified { target.append("Last-Modified: ", lastModified) }
        if let added { target.append("Added: ", added) }
        appendWords(to: &target, mask)
        if let duration { target.append(duration: duration) }
    }

    /// Appends the format and the tags.
    private func appendWords(to target: inout [UInt8], _ mask: TagMask) {
        let shared = facts.shared
        own.withBytes { own in
            let format = own.word(from: own.word(from: 0).upperBound + 1)
            if !format.isEmpty {
                target += "Format: ".utf8
                target.append(own.extracting(format.lowerBound...format.upperBound))
            }
            var (place, start) = (format.upperBound + 1, shared.start)
            for line in shared.lines {
                if line.isOwn {
                    let word = own.word(from: place)
                    place = word.upperBound + 1
                    if mask.contains(line.tag) {
                        target += line.tag.name.utf8
                        target += ": ".utf8
                        target.append(own.extracting(word.lowerBound..<place))
                    }
                } else if mask.contains(line.tag) {
                    target += shared.text[start..<Int(line.end)]
                }
                start = Int(line.end)
            }
        }
    }

    /// Appends the location, without credentials.
    private func appendFile(to target: inout [UInt8]) {
        target += facts.shared.directory
        own.withBytes { target.append($0.extracting($0.word(from: 0))) }
    }

    /// Appends the lines for listings and searches, in which a song that is a playlist as well is shown as both.
    package func appendListed(to target: inout [UInt8], tags mask: TagMask) {
        append(to: &target, tags: mask)
        if hasSheet { appendSheet(to: &target) }
    }

    /// Appends the line that shows the song's file as a playlist.
    package func appendSheet(to target: inout [UInt8]) {
        target += "playlist: ".utf8
        appendFile(to: &target)
        target.append(UInt8(ascii: "\n"))
    }

    /// The duration of the whole medium, in seconds; `nil` when unknown, or only that of a range of it is known.
    package var mediumDuration: Double? {
        guard let range else { return duration }
        if let known = facts.rarities?.mediumDuration { return known }
        return range.end == nil ? duration.map { $0 + range.start } : nil
    }
}

extension Span<UInt8> {
    /// The word that starts at an offset, without the line feed that ends it.
    fileprivate func word(from place: Int) -> Range<Int> {
        var end = place
        while end < count, self[end] != UInt8(ascii: "\n") { end += 1 }
        return place..<end
    }

    /// The offset after the file's name and the format.
    fileprivate var startOfTags: Int { word(from: word(from: 0).upperBound + 1).upperBound + 1 }

    /// Decodes UTF-8, replacing invalid bytes.
    package var text: String { unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension [UInt8] {
    fileprivate mutating func append(_ span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

/// Whether a URI has a scheme, rather than being a path below the music directory.
package func hasScheme(_ uri: some StringProtocol) -> Bool {
    guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")), colon != uri.utf8.startIndex,
        uri.utf8[colon...].starts(with: "://".utf8)
    else { return false }
    return uri.utf8[..<colon].allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// Whether a text is a path below the music directory that never leads upward, and not the directory itself.
package func isLocalPath(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
        !component.isEmpty && !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8)
    }
}

/// Removes `user:password@` from a URL; other text is unchanged.
package func withoutCredentials(_ uri: String) -> String {
    guard hasScheme(uri), let scheme = uri.firstRange(of: "://") else { return uri }
    let rest = uri[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = authority.lastIndex(of: "@") else { return uri }
    return String(uri[..<scheme.upperBound] + rest[rest.index(after: at)...])
}

/// Whether a URL contains a user name or password.
package func hasCredentials(_ uri: String) -> Bool { withoutCredentials(uri) != uri }
