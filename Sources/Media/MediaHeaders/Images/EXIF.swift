internal import PictureValues

/// A camera's metadata in a picture, and the description of a TIFF file's first picture (EXIF 2.32, TIFF 6.0).
struct EXIF {
    private(set) var orientation: PictureOrientation?
    private(set) var captured: CaptureDate?
    private(set) var colourSpace: ColourSpace?
    /// Of a TIFF file's picture, in pixels.
    private(set) var width: Int?
    private(set) var height: Int?
    private(set) var bitsPerSample: Int?
    /// The place of a TIFF file's colour profile.
    private(set) var profile: Range<Int>?
    /// The place of a TIFF file's XMP packet.
    private(set) var packet: Range<Int>?
    private(set) var subtypes: MediaSubtypes = []
    private(set) var contentIdentifier: ContentIdentifier?

    /// Parts that are damaged, or not there, stay `nil`.
    init(_ range: Range<Int>, _ window: inout ByteWindow) {
        guard let fields = TIFFFields(range, &window), let first = fields.number(4, 4, &window) else { return }
        var details: Int?
        var changed: CaptureDate?
        fields.visit(first, &window) { field, window in
            switch field.tag {
            case 0x0100: width = fields.value(of: field, &window)
            case 0x0101: height = fields.value(of: field, &window)
            case 0x0102: bitsPerSample = fields.value(of: field, &window)
            case 0x0112: orientation = fields.value(of: field, &window).flatMap(PictureOrientation.init)
            case 0x02bc: packet = fields.content(of: field, &window)
            case 0x0132: changed = fields.text(of: field, &window).flatMap { CaptureDate($0) }
            case 0x8769: details = fields.number(field.place, 4, &window)
            case 0x8773: profile = fields.content(of: field, &window)
            default: break
            }
        }
        if let details { read(details, fields, &window) }
        captured = captured ?? changed
    }

    private mutating func read(_ details: Int, _ fields: TIFFFields, _ window: inout ByteWindow) {
        var original: String?
        var offset = ""
        var colours: Int?
        var agreements: Int?
        fields.visit(details, &window) { field, window in
            switch field.tag {
            case 0x9003: original = fields.text(of: field, &window)
            case 0x9011: offset = fields.text(of: field, &window) ?? ""
            case 0x927c: if let note = fields.content(of: field, &window) { read(note, &window) }
            case 0x9286:
                if let comment = fields.content(of: field, &window), Self.isOfScreenshot(comment, &window) {
                    subtypes.insert(.screenshot)
                }
            case 0xa001: colours = fields.value(of: field, &window)
            case 0xa005: agreements = fields.number(field.place, 4, &window)
            default: break
            }
        }
        captured = original.flatMap { CaptureDate($0, offset: offset) }
        if colours == 1 { colourSpace = .sRGB }
        guard colours != 1, let agreements else { return }
        // DCF 2.0's option file: Adobe RGB, which EXIF calls uncalibrated.
        fields.visit(agreements, &window) { field, window in
            if field.tag == 1, fields.text(of: field, &window)?.hasPrefix("R03") == true { colourSpace = .adobeRGB }
        }
    }

    /// The comment that iOS and macOS write, with its character set.
    private static func isOfScreenshot(_ comment: Range<Int>, _ window: inout ByteWindow) -> Bool {
        comment.count >= 18 && window.has("ASCII\0\0\0Screenshot", at: comment.lowerBound)
    }

    /// Reads the notes of Apple's cameras.
    private mutating func read(_ note: Range<Int>, _ window: inout ByteWindow) {
        guard let fields = TIFFFields(appleNote: note, &window) else { return }
        fields.visit(TIFFFields.appleNoteStart, &window) { field, window in
            switch field.tag {
            case 0x000b: if fields.text(of: field, &window)?.isEmpty == false { subtypes.insert(.burst) }
            case 0x0011: contentIdentifier = fields.text(of: field, &window).flatMap { ContentIdentifier($0) }
            default: break
            }
        }
    }
}

/// The fields of a file in TIFF's form; offsets are those in it.
private struct TIFFFields {
    private let range: Range<Int>
    private let isBigEndian: Bool

    /// More fields in one directory than any camera writes.
    private static let limit = 512
    /// Longer than any text that is read here, in bytes.
    private static let longestText = 64

    struct Field {
        let tag: Int
        let type: Int
        let count: Int
        /// The offset of the value, or of the value's offset.
        let place: Int
    }

    init?(_ range: Range<Int>, _ window: inout ByteWindow) {
        guard range.count >= 8 else { return nil }
        isBigEndian = window.has("MM\0*", at: range.lowerBound)
        guard isBigEndian || window.has("II*\0", at: range.lowerBound) else { return nil }
        self.range = range
    }

    /// Where the fields are in the notes of Apple's cameras: behind a name, a version and the order of bytes.
    static let appleNoteStart = 14

    /// - Parameter range: A maker note, which is read only if it is of one of Apple's cameras.
    init?(appleNote range: Range<Int>, _ window: inout ByteWindow) {
        guard range.count > Self.appleNoteStart, window.has("Apple iOS\0", at: range.lowerBound) else { return nil }
        isBigEndian = window.has("MM", at: range.lowerBound + 12)
        guard isBigEndian || window.has("II", at: range.lowerBound + 12) else { return nil }
        self.range = range
    }

    func visit(_ directory: Int, _ window: inout ByteWindow, _ body: (Field, inout ByteWindow) -> Void) {
        guard let count = number(directory, 2, &window) else { return }
        for entry in 0..<min(count, Self.limit) {
            let place = directory + 2 + entry * 12
            guard let tag = number(place, 2, &window), let type = number(place + 2, 2, &window),
                let count = number(place + 4, 4, &window)
            else { return }
            body(Field(tag: tag, type: type, count: count, place: place + 8), &window)
        }
    }

    func number(_ place: Int, _ count: Int, _ window: inout ByteWindow) -> Int? {
        guard place >= 0, place <= range.count - count else { return nil }
        let offset = range.lowerBound + place
        return isBigEndian ? window.bigEndian(offset, count) : window.littleEndian(offset, count)
    }

    /// The first value of a field of whole numbers.
    func value(of field: Field, _ window: inout ByteWindow) -> Int? {
        switch field.type {
        case 3 where field.count > 2:
            number(field.place, 4, &window).flatMap { number($0, 2, &window) }
        case 3: number(field.place, 2, &window)
        case 4: number(field.place, 4, &window)
        default: nil
        }
    }

    /// Where the bytes of a field are in the file.
    func content(of field: Field, _ window: inout ByteWindow) -> Range<Int>? {
        guard field.count > 0, field.count <= range.count else { return nil }
        let place = field.count <= 4 ? field.place : number(field.place, 4, &window)
        guard let place, place >= 0, place <= range.count - field.count else { return nil }
        let start = range.lowerBound + place
        return start..<start + field.count
    }

    func text(of field: Field, _ window: inout ByteWindow) -> String? {
        guard let content = content(of: field, &window)?.prefix(Self.longestText),
            window.load(content.lowerBound, content.count)
        else { return nil }
        return String(decoding: window[content].prefix { $0 != 0 }, as: UTF8.self)
    }
}
