internal import AudioTypes
internal import Songs

/// Converts stored names and values to those of the library.
struct TagCollector {
    private var names = TagNames()
    private var byteCount = 0
    private var tagCount = 0
    private var gains: [GainName: Double] = [:]
    private var volumes = ReplayGain()
    private var substitutes: [(TagType, String)] = []
    /// Whether no name or value was found.
    private(set) var isEmpty = true
    /// Whether the file has chapters, which are not read here.
    private(set) var hasChapters = false
    /// Whether the tags were read completely, even if the rest of the file was not.
    private(set) var isWhole = false

    /// Limit of one value, in bytes; clients read lines of 4,096.
    static let valueLimit = 8192
    /// Limit of a CUE sheet, in bytes: 99 tracks with long names.
    static let cueSheetLimit = 262_144
    /// Limits for one file.
    private static let (tagLimit, byteLimit) = (2000, 524_288)

    /// Starts with another file.
    mutating func begin() {
        byteCount = 0
        tagCount = 0
        gains.removeAll(keepingCapacity: true)
        volumes = ReplayGain()
        substitutes.removeAll()
        isEmpty = true
        hasChapters = false
        isWhole = false
    }

    mutating func meaning(of name: ArraySlice<UInt8>) -> TagMeaning { names.meaning(of: name) }

    mutating func recordChapters() { hasChapters = true }
    mutating func recordEnd() { isWhole = true }

    /// Adds volumes, which count where no named tag has them.
    mutating func add(_ volume: ReplayGain) { volumes.fillIn(volume) }

    /// Adds a value in UTF-8; invalid bytes are replaced.
    mutating func add(_ meaning: TagMeaning, _ value: ArraySlice<UInt8>, to file: inout ScannedFile) {
        switch meaning {
        case .tag(let tag): add(tag, value, to: &file)
        case .substitute(let tag): if let text = kept(tag, value) { substitutes.append((tag, text)) }
        case .gain(let name):
            isEmpty = false
            guard gains[name] == nil, let number = leadingNumber(value) else { return }
            gains[name] = number
        case .cueSheet:
            isEmpty = false
            if file.cueSheet == nil {
                file.cueSheet = String(decoding: value.prefix(Self.cueSheetLimit), as: UTF8.self)
            }
        case .picture: file.cover = .embedded
        case .chapter: hasChapters = true
        case .other: break
        }
    }

    mutating func add(_ tag: TagType, _ value: ArraySlice<UInt8>, to file: inout ScannedFile) {
        if let text = kept(tag, value) { file.tags.append((tag, text)) }
    }

    /// A value in the library's form; `nil` when it is empty, or beyond the file's limits.
    private mutating func kept(_ tag: TagType, _ value: ArraySlice<UInt8>) -> String? {
        guard tagCount < Self.tagLimit, byteCount < Self.byteLimit else { return nil }
        let text = tidied(value, tag)
        guard !text.isEmpty else { return nil }
        isEmpty = false
        tagCount += 1
        byteCount += value.count
        return text
    }

    /// Adds the substitutes for missing tags, after all tags of one kind were read.
    mutating func fillIn(_ file: inout ScannedFile) {
        file.tags.fillIn(substitutes)
        substitutes.removeAll()
    }

    /// The loudness corrections found.
    var replayGain: ReplayGain {
        // Opus has R128's alone (RFC 7845, section 5.2.1), whatever a program wrote beside it.
        func decibels(_ name: GainName, _ r128: GainName) -> Double? { gains[r128].map { $0 / 256 + 5 } ?? gains[name] }
        func peak(_ name: GainName) -> Double? { gains[name].flatMap { $0 > 0 ? $0 : nil } }
        if gains.isEmpty { return volumes }
        var gain = ReplayGain(
            trackGain: decibels(.track, .r128Track),
            trackPeak: peak(.trackPeak),
            albumGain: decibels(.album, .r128Album),
            albumPeak: peak(.albumPeak)
        )
        gain.fillIn(volumes)
        return gain
    }
}

/// The number at the start of a value, such as the −7.03 of "-7.03 dB"; `nil` when there is none or an absurd one.
private func leadingNumber(_ value: ArraySlice<UInt8>) -> Double? {
    let digits = value.drop { $0 == 0x20 }.prefix { (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0) }
    guard !digits.isEmpty, digits.count < 32, let number = Double(String(decoding: digits, as: UTF8.self)),
        abs(number) < 32_768
    else { return nil }
    return number
}

/// A tag's value in MPD's form: on one line and trimmed; of a track's or disc's number only the first part.
private func tidied(_ value: ArraySlice<UInt8>, _ tag: TagType) -> String {
    var rest = value
    while rest.last == 0x20 { rest.removeLast() }
    rest = rest.drop { $0 == 0x20 }
    if rest.count > TagCollector.valueLimit { rest = wholeCharacters(rest.prefix(TagCollector.valueLimit)) }
    if tag == .track || tag == .disc {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        if !digits.isEmpty, digits.drop(while: { $0 == 0x30 }).count < 19 {
            return String(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        }
    }
    if !holdsControl(rest) { return String(decoding: rest, as: UTF8.self) }
    let characters = String(decoding: rest, as: UTF8.self).unicodeScalars.map { scalar in
        scalar.properties.generalCategory == .control ? " " : Character(scalar)
    }
    var text = String(characters)[...]
    text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
}

/// Whether there may be control characters: U+0000 to 1F and 7F to 9F.
private func holdsControl(_ bytes: ArraySlice<UInt8>) -> Bool {
    var previous: UInt8 = 0
    for byte in bytes {
        if byte < 0x20 || byte == 0x7f || (previous == 0xc2 && byte < 0xa0) { return true }
        previous = byte
    }
    return false
}

/// The bytes without an incomplete character at the end.
private func wholeCharacters(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let last = rest.last, last & 0xc0 == 0x80 { rest.removeLast() }
    if let last = rest.last, last >= 0xc0 { rest.removeLast() }
    return rest
}
