internal import PictureValues

/// The header of a HEIC or AVIF picture: that of its primary item (ISO 23008-12, ISO 14496-12 section 8.11).
struct HEIFReader {
    let meta: MP4Boxes
    let primary: Int
    /// Each item's type, in the file's order.
    private(set) var items: [(number: Int, type: Int)] = []
    /// Where each item's data is, in the file; without those whose data is elsewhere.
    private(set) var places: [Int: [Range<Int>]] = [:]

    /// More items than a picture of 500 megapixels has tiles.
    private static let itemLimit = 4096
    /// More references than such a picture has.
    private static let referenceLimit = 16_384
    /// More properties of one item, or more parts of its data, than files have.
    private static let partLimit = 64

    static func read(_ window: inout ByteWindow) -> PictureHeader? {
        guard let reader = open(&window), var picture = reader.picture(&window) else { return nil }
        // Its orientation is a property of the item; EXIF's is not to be used (ISO 23008-12, annex A.2).
        if let exif = reader.exif(&window).map({ EXIF($0, &window) }) {
            picture.captured = exif.captured
            picture.addFacts(of: exif)
        }
        reader.addFacts(to: &picture, &window)
        return picture
    }

    /// Finds the items of a file; `nil` where there is no primary one.
    static func open(_ window: inout ByteWindow) -> HEIFReader? {
        guard let meta = MP4Boxes(0..<window.size).first("meta", &window), meta.count > 4,
            var reader = HEIFReader(MP4Boxes(meta.lowerBound + 4..<meta.upperBound), &window)
        else { return nil }
        reader.readItems(&window)
        reader.readPlaces(&window)
        return reader
    }

    private init?(_ meta: MP4Boxes, _ window: inout ByteWindow) {
        guard let box = meta.first("pitm", &window), window.load(box.lowerBound, 1),
            let number = window.bigEndian(box.lowerBound + 4, window[box.lowerBound] == 0 ? 2 : 4)
        else { return nil }
        self.meta = meta
        primary = number
    }

    private mutating func readItems(_ window: inout ByteWindow) {
        guard let box = meta.first("iinf", &window), window.load(box.lowerBound, 1) else { return }
        let start = box.lowerBound + (window[box.lowerBound] == 0 ? 6 : 8)
        guard start <= box.upperBound else { return }
        var found: [(number: Int, type: Int)] = []
        MP4Boxes(start..<box.upperBound).visit(&window) { name, entry, window in
            guard name == fourCC("infe"), entry.count >= 12, found.count < Self.itemLimit,
                window.load(entry.lowerBound, 1)
            else { return }
            let isLong = window[entry.lowerBound] > 2
            guard let number = window.bigEndian(entry.lowerBound + 4, isLong ? 4 : 2),
                let type = window.bigEndian(entry.lowerBound + (isLong ? 10 : 8), 4)
            else { return }
            found.append((number, type))
        }
        items = found
    }

    /// Of the primary item, or of those that it is made of.
    private var codec: (format: String, codec: String) {
        let known = [
            fourCC("hvc1"): ("heic", "hevc"), fourCC("av01"): ("avif", "av1"), fourCC("avc1"): ("heif", "h264"),
            fourCC("jpeg"): ("heif", "mjpeg"),
        ]
        let own = items.first { $0.number == primary }.flatMap { known[$0.type] }
        return own ?? items.firstNonNil { known[$0.type] } ?? ("heif", "unknown")
    }

    // MARK: - Properties

    private func picture(_ window: inout ByteWindow) -> PictureHeader? {
        guard let properties = meta.first("iprp", &window), let list = MP4Boxes(properties).first("ipco", &window)
        else { return nil }
        var boxes: [(name: Int, content: Range<Int>)] = []
        MP4Boxes(list).visit(&window) { name, content, _ in boxes.append((name, content)) }
        let hasDepth = boxes.contains { $0.name == fourCC("auxC") && Self.isOfDepth($0.content, &window) }
        var shape = Shape()
        for map in MP4Boxes(properties).all("ipma", &window) {
            for index in indices(map, &window) where boxes.indices.contains(index - 1) {
                shape.apply(boxes[index - 1].name, boxes[index - 1].content, &window)
            }
        }
        guard let size = shape.shown else { return nil }
        let (format, codec) = codec
        let stored = shape.orientation.swapsSides ? size.transposed : size
        var picture = PictureHeader(format: format, codec: codec, size: stored)
        picture.orientation = shape.orientation
        picture.colourSpace = shape.profile ?? shape.codePoints
        picture.hdr = shape.hdr
        picture.bitsPerSample = shape.bits
        if hasDepth { picture.subtypes.insert(.depthEffect) }
        return picture
    }

    /// Whether the type of an auxiliary picture is that of distances (ISO 23008-2, annex F; ISO 23091-2).
    private static func isOfDepth(_ box: Range<Int>, _ window: inout ByteWindow) -> Bool {
        window.has("urn:mpeg:hevc:2015:auxid:2\0", at: box.lowerBound + 4)
            || window.has("urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0", at: box.lowerBound + 4)
    }

    /// The numbers of the primary item's properties, from 1, in the order in which they are applied.
    private func indices(_ map: Range<Int>, _ window: inout ByteWindow) -> [Int] {
        guard window.load(map.lowerBound, 8), let count = window.bigEndian(map.lowerBound + 4, 4) else { return [] }
        let numberLength = window[map.lowerBound] == 0 ? 2 : 4
        let indexLength = window[map.lowerBound + 3] & 1 == 0 ? 1 : 2
        var place = map.lowerBound + 8
        for _ in 0..<min(count, Self.itemLimit) {
            guard place < map.upperBound, let item = window.bigEndian(place, numberLength),
                let parts = window.bigEndian(place + numberLength, 1)
            else { return [] }
            place += numberLength + 1
            if item == primary {
                return (0..<min(parts, Self.partLimit)).compactMap { part in
                    // The highest bit says that the property must be understood.
                    window.bigEndian(place + part * indexLength, indexLength).map {
                        $0 & (indexLength == 1 ? 0x7f : 0x7fff)
                    }
                }
            }
            place += parts * indexLength
        }
        return []
    }

    /// The shape that properties give a picture, one after the other.
    private struct Shape {
        /// Cropped and turned so far.
        var shown: PixelSize?
        var orientation = PictureOrientation.up
        var profile: ColourSpace?
        var codePoints: ColourSpace?
        var hdr: HighDynamicRange?
        var bits: Int?

        mutating func apply(_ name: Int, _ box: Range<Int>, _ window: inout ByteWindow) {
            let start = box.lowerBound
            switch name {
            case fourCC("ispe") where box.count >= 12:
                guard let width = window.bigEndian(start + 4, 4), let height = window.bigEndian(start + 8, 4) else {
                    return
                }
                shown = PixelSize(width, height)
            case fourCC("clap") where box.count >= 32: crop(start, &window)
            case fourCC("irot") where window.load(start, 1):
                let quarters = Int(window[start] & 3)
                orientation = orientation.turned(clockwise: -quarters)
                if quarters & 1 == 1 { shown = shown?.transposed }
            case fourCC("imir") where window.load(start, 1):
                orientation = orientation.mirrored(upsideDown: window[start] & 1 == 0)
            case fourCC("colr") where box.count >= 4: colour(box, &window)
            case fourCC("pixi") where box.count >= 6 && window.load(start + 4, 2):
                if window[start + 4] > 0 { bits = Int(window[start + 5]) }
            default: break
            }
        }

        private mutating func crop(_ start: Int, _ window: inout ByteWindow) {
            let parts = (0..<4).compactMap { window.bigEndian(start + 4 * $0, 4) }
            guard let whole = shown, parts.count == 4, parts[1] > 0, parts[3] > 0 else { return }
            shown =
                PixelSize(min(whole.width, parts[0] / parts[1]), min(whole.height, parts[2] / parts[3])) ?? whole
        }

        private mutating func colour(_ box: Range<Int>, _ window: inout ByteWindow) {
            let start = box.lowerBound
            if window.has("nclx", at: start) {
                guard let primaries = window.bigEndian(start + 4, 2), let transfer = window.bigEndian(start + 6, 2),
                    let matrix = window.bigEndian(start + 8, 2)
                else { return }
                codePoints = ColourSpace(primaries: primaries, transfer: transfer, matrix: matrix)
                hdr = HighDynamicRange(transfer: transfer)
            } else if window.has("prof", at: start) || window.has("rICC", at: start) {
                profile = ProfileReader.colourSpace(start + 4..<box.upperBound, &window)
            }
        }
    }

    // MARK: - Facts

    /// More items with XMP or other text than pictures have.
    private static let textLimit = 4

    /// Adds the facts that XMP tells, and the boxes beside the picture: a motion photo's film, and a sequence's frames.
    private func addFacts(to picture: inout PictureHeader, _ window: inout ByteWindow) {
        for item in items.filter({ $0.type == fourCC("mime") }).prefix(Self.textLimit) {
            picture.add(place(of: item.number).map { XMP($0, &window) })
        }
        MP4Boxes(0..<window.size).visit(&window) { name, _, _ in
            if name == fourCC("mpvd") { picture.subtypes.insert(.motionPhoto) }
            if name == fourCC("moov") { picture.subtypes.insert(.animated) }
        }
    }

    // MARK: - EXIF

    private func exif(_ window: inout ByteWindow) -> Range<Int>? {
        guard let item = items.first(where: { $0.type == fourCC("Exif") }),
            let data = place(of: item.number), data.count > 4,
            let offset = window.bigEndian(data.lowerBound, 4), offset <= data.count - 4
        else { return nil }
        return data.lowerBound + 4 + offset..<data.upperBound
    }

    // MARK: - Places

    /// Where an item's data is, if it is in one piece.
    private func place(of item: Int) -> Range<Int>? { places[item].flatMap { $0.count == 1 ? $0.first : nil } }

    /// ISO 14496-12, section 8.11.3.
    private mutating func readPlaces(_ window: inout ByteWindow) {
        guard let box = meta.first("iloc", &window), window.load(box.lowerBound, 8) else { return }
        let version = window[box.lowerBound]
        let sizes = window[box.lowerBound + 4..<box.lowerBound + 6].flatMap { [Int($0 >> 4), Int($0 & 15)] }
        let (numberLength, indexLength) = (version < 2 ? 2 : 4, version == 0 ? 0 : sizes[3])
        guard sizes.allSatisfy({ [0, 4, 8].contains($0) }),
            let count = window.bigEndian(box.lowerBound + 6, numberLength)
        else { return }
        let data = meta.first("idat", &window)
        var place = box.lowerBound + 6 + numberLength
        func next(_ count: Int) -> Int? {
            defer { place += count }
            return place <= box.upperBound - count ? window.bigEndian(place, count) : nil
        }
        for _ in 0..<min(count, Self.itemLimit) {
            guard let number = next(numberLength), let method = version == 0 ? 0 : next(2), next(2) != nil,
                let base = next(sizes[2]), let parts = next(2)
            else { return }
            let end = place + parts * (indexLength + sizes[0] + sizes[1])
            let whole = method & 15 == 0 ? 0..<window.size : method & 15 == 1 ? data : nil
            if let whole, parts <= Self.partLimit {
                let found = (0..<parts).compactMap { _ -> Range<Int>? in
                    guard next(indexLength) != nil, let offset = next(sizes[0]), let length = next(sizes[1]) else {
                        return nil
                    }
                    return Self.part(of: whole, base.adding(saturating: offset), length)
                }
                if found.count == parts { places[number] = found }
            }
            place = end
        }
    }

    /// - Parameter length: In bytes; 0 for all that follows.
    private static func part(of whole: Range<Int>, _ offset: Int, _ length: Int) -> Range<Int>? {
        guard offset <= whole.count, length <= whole.count - offset else { return nil }
        let start = whole.lowerBound + offset
        return start..<(length == 0 ? whole.upperBound : start + length)
    }

    // MARK: - References

    /// A kind of reference, and the items that it leads from and to.
    struct Reference {
        let kind: Int
        let from: Int
        let to: [Int]
    }

    /// ISO 14496-12, section 8.11.12.
    func references(_ window: inout ByteWindow) -> [Reference] {
        guard let box = meta.first("iref", &window), box.count > 4, window.load(box.lowerBound, 1) else { return [] }
        let length = window[box.lowerBound] == 0 ? 2 : 4
        var (found, left): ([Reference], Int) = ([], Self.referenceLimit)
        MP4Boxes(box.lowerBound + 4..<box.upperBound).visit(&window) { kind, content, window in
            guard let from = window.bigEndian(content.lowerBound, length),
                let count = window.bigEndian(content.lowerBound + length, 2), count <= left,
                content.count >= length + 2 + count * length
            else { return }
            left -= count
            let start = content.lowerBound + length + 2
            let to = (0..<count).compactMap { window.bigEndian(start + $0 * length, length) }
            found.append(Reference(kind: kind, from: from, to: to))
        }
        return found
    }
}
