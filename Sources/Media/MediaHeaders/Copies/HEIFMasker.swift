/// Hides what HEIC and AVIF files have beside their picture (ISO 23008-12, ISO 14496-12).
///
/// The primary item stays, with the items that it is made of, its previews, and the pictures that belong to it, such as those of
/// brightness and distances; all other items, and bytes that belong to none, are hidden.
struct HEIFMasker: ~Copyable {
    private var mask = ByteMask()
    /// The parts of the file with items that stay, in order, without overlaps.
    private var kept: [Range<Int>] = []

    private static let pictures: Set<Int> = [
        fourCC("hvc1"), fourCC("hev1"), fourCC("av01"), fourCC("avc1"), fourCC("vvc1"), fourCC("jpeg"), fourCC("grid"),
        fourCC("iden"), fourCC("iovl"), fourCC("tmap"),
    ]
    /// The boxes that tell where items are, and how they are shown.
    private static let descriptions: Set<Int> = [
        fourCC("pitm"), fourCC("iref"), fourCC("iloc"), fourCC("dinf"), fourCC("grpl"),
    ]
    /// Properties that are texts and times.
    private static let texts: Set<Int> = [
        fourCC("udes"), fourCC("altt"), fourCC("crtt"), fourCC("mdft"), fourCC("uuid"), fourCC("free"), fourCC("skip"),
    ]

    /// More levels of pictures that are made of others than files have.
    private static let mostLevels = 8

    static func mask(_ window: inout ByteWindow) throws(MediaCopyError) -> ByteMask {
        guard let reader = HEIFReader.open(&window) else { throw .isDamaged }
        var masker = HEIFMasker()
        try masker.findItems(reader, &window)
        try masker.readFile(&window)
        masker.mask.sort()
        return masker.mask
    }

    private init() {}

    // MARK: Items

    private mutating func findItems(_ reader: HEIFReader, _ window: inout ByteWindow) throws(MediaCopyError) {
        let types = Dictionary(reader.items.map { ($0.number, $0.type) }) { first, _ in first }
        let shown = Self.shown(reader.primary, types, reader.references(&window))
        guard shown.contains(reader.primary) else { throw .unknownFormat }
        var parts: [Range<Int>] = []
        for item in shown {
            guard let places = reader.places[item] else { throw .isDamaged }
            parts += places
        }
        parts.sort { $0.lowerBound < $1.lowerBound }
        for part in parts {
            if let last = kept.last, part.lowerBound <= last.upperBound {
                kept[kept.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
            } else {
                kept.append(part)
            }
        }
    }

    /// The items that belong to a picture.
    ///
    /// - Parameter types: Of all items, by their numbers.
    private static func shown(
        _ primary: Int,
        _ types: [Int: Int],
        _ references: [HEIFReader.Reference]
    ) -> Set<Int> {
        func isPicture(_ number: Int) -> Bool { types[number].map { pictures.contains($0) } == true }
        var shown: Set<Int> = isPicture(primary) ? [primary] : []
        for _ in 0..<mostLevels {
            for reference in references {
                switch reference.kind {
                // The pictures of which one is made, and the one with a higher range that is made of it.
                case fourCC("dimg"):
                    let isHigher =
                        types[reference.from] == fourCC("tmap") && reference.to.contains(where: shown.contains)
                    if isHigher || shown.contains(reference.from) {
                        shown.formUnion(([reference.from] + reference.to).filter(isPicture))
                    }
                // Its previews, and what belongs to it.
                case fourCC("thmb"), fourCC("auxl"):
                    if reference.to.contains(where: shown.contains), isPicture(reference.from) {
                        shown.insert(reference.from)
                    }
                default: break
                }
            }
        }
        return shown
    }

    // MARK: Boxes

    private mutating func readFile(_ window: inout ByteWindow) throws(MediaCopyError) {
        var (hasMeta, isSequence) = (false, false)
        for (name, content) in boxes(in: 0..<window.size, &window) {
            switch name {
            case fourCC("ftyp"): break
            case fourCC("meta") where !hasMeta && content.count > 4:
                hasMeta = true
                readMeta(content.dropFirst(4), &window)
            case fourCC("mdat"): hideOthers(content)
            case fourCC("moov"), fourCC("moof"): isSequence = true
            default: mask.hide(content)
            }
        }
        // Its samples have metadata of their own.
        guard !isSequence else { throw .unknownFormat }
    }

    private mutating func readMeta(_ meta: Range<Int>, _ window: inout ByteWindow) {
        for (name, content) in boxes(in: meta, &window) {
            switch name {
            case fourCC("iprp"): readProperties(content, &window)
            case fourCC("iinf"): hideNames(content, &window)
            case fourCC("idat"): hideOthers(content)
            // Behind the handler is its name.
            case fourCC("hdlr"): mask.hide(content.dropFirst(24))
            default: if !Self.descriptions.contains(name) { mask.hide(content) }
            }
        }
    }

    private mutating func readProperties(_ properties: Range<Int>, _ window: inout ByteWindow) {
        for (name, content) in boxes(in: properties, &window) {
            switch name {
            case fourCC("ipma"): break
            case fourCC("ipco"):
                for (name, property) in boxes(in: content, &window) where Self.texts.contains(name) {
                    mask.hide(property)
                }
            default: mask.hide(content)
            }
        }
    }

    /// Hides the names of items, and what follows them, behind their numbers and types.
    private mutating func hideNames(_ list: Range<Int>, _ window: inout ByteWindow) {
        guard window.load(list.lowerBound, 1) else { return }
        let start = min(list.count, window[list.lowerBound] == 0 ? 6 : 8)
        for (name, entry) in boxes(in: list.dropFirst(start), &window) {
            guard name == fourCC("infe"), window.load(entry.lowerBound, 1) else {
                mask.hide(entry)
                continue
            }
            mask.hide(entry.dropFirst(window[entry.lowerBound] > 2 ? 14 : 12))
        }
    }

    /// The boxes in a range; what follows the last one that is whole is hidden.
    private mutating func boxes(in range: Range<Int>, _ window: inout ByteWindow) -> [(name: Int, content: Range<Int>)]
    {
        var found: [(name: Int, content: Range<Int>)] = []
        MP4Boxes(range).visit(&window) { name, content, _ in found.append((name, content)) }
        mask.hide((found.last?.content.upperBound ?? range.lowerBound)..<range.upperBound)
        return found
    }

    /// Hides the parts of a range that belong to no item that stays.
    private mutating func hideOthers(_ range: Range<Int>) {
        var place = range.lowerBound
        for part in kept where part.overlaps(range) {
            mask.hide(place..<max(place, part.lowerBound))
            place = max(place, min(part.upperBound, range.upperBound))
        }
        mask.hide(place..<max(place, range.upperBound))
    }
}
