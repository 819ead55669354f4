/// Hides what MP4 and QuickTime files have beside pictures and sound (ISO 14496-12, section 8; Apple's QuickTime File Format).
///
/// The boxes that playing needs stay, and the samples of tracks of pictures and sound; all else is hidden, known or not.
struct MovieMasker: ~Copyable {
    private var mask = ByteMask()
    /// The parts of the file with samples that stay.
    private var chunks: [Range<Int>] = []
    private var hasPictures = false

    private struct Box {
        let name: Int
        /// Where its size stands.
        let start: Int
        let content: Range<Int>
    }

    /// More bytes than the index of a valid file has.
    private static let longestIndex = 64 << 20
    /// More chunks than all tracks of a valid file have.
    private static let mostChunks = 1_000_000
    private static let free = Array("free".utf8)

    static func mask(_ window: inout ByteWindow) throws(MediaCopyError) -> ByteMask {
        var masker = MovieMasker()
        try masker.readFile(&window)
        masker.mask.sort()
        return masker.mask
    }

    private init() {}

    private mutating func readFile(_ window: inout ByteWindow) throws(MediaCopyError) {
        var (movie, data): (Box?, [Range<Int>]) = (nil, [])
        for box in boxes(in: 0..<window.size, &window) {
            switch box.name {
            case fourCC("ftyp"): break
            case fourCC("moov") where movie == nil: movie = box
            case fourCC("mdat"): data.append(box.content)
            case fourCC("moof"), fourCC("sidx"), fourCC("mfra"): throw .isFragmented
            default: hide(box)
            }
        }
        guard let movie, !data.isEmpty else { throw .isDamaged }
        guard movie.content.count <= Self.longestIndex else { throw .isTooLong }
        // All of it at once: its tables are read side by side.
        guard window.load(movie.content.lowerBound, movie.content.count) else { throw .isDamaged }
        try readMovie(movie, &window)
        guard hasPictures else { throw .isDamaged }
        hideGaps(in: data)
    }

    // MARK: Boxes

    /// The boxes in a part of the file; the remains behind them are hidden.
    private mutating func boxes(in range: Range<Int>, _ window: inout ByteWindow) -> [Box] {
        var (found, end): ([Box], Int) = ([], range.lowerBound)
        MP4Boxes(range).visit(&window) { name, content, _ in
            found.append(Box(name: name, start: end, content: content))
            end = content.upperBound
        }
        let rest = end..<max(end, range.upperBound)
        let isBox = rest.count >= 8 && rest.count <= Int(UInt32.max)
        mask.hide(rest, behind: isBox ? Self.bytes(of: rest.count) + Self.free : [])
        return found
    }

    /// A size in four bytes.
    private static func bytes(of size: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }
    }

    /// The boxes in another one of which playing needs some, once each or as often as they are there; the others are hidden.
    private mutating func boxes(
        in range: Range<Int>,
        _ window: inout ByteWindow,
        needed: Set<Int>,
        repeated: Set<Int> = []
    ) -> [Box] {
        var seen: Set<Int> = []
        return boxes(in: range, &window).filter { box in
            if repeated.contains(box.name) || needed.contains(box.name) && seen.insert(box.name).inserted {
                return true
            }
            hide(box)
            return false
        }
    }

    /// Makes a box one of free space.
    private mutating func hide(_ box: Box) {
        mask.hide(box.start + 4..<box.start + 8, behind: Self.free)
        mask.hide(box.content)
    }

    /// Hides a part of a box's content, as far as that has it.
    private mutating func hide(_ offsets: Range<Int>, of box: Box) {
        let part = box.content.lowerBound + offsets.lowerBound..<box.content.lowerBound + offsets.upperBound
        mask.hide(part.clamped(to: box.content))
    }

    private mutating func hide(from offset: Int, of box: Box) { hide(offset..<max(offset, box.content.count), of: box) }

    /// Hides when a movie, a track or a medium was made and changed (sections 8.2.2, 8.3.2 and 8.4.2).
    private mutating func hideTimes(of box: Box, _ window: inout ByteWindow) {
        let isLong = window.bigEndian(box.content.lowerBound, 1) == 1
        hide(4..<(isLong ? 20 : 12), of: box)
    }

    // MARK: The movie

    private static let movieBoxes: Set = [fourCC("mvhd"), fourCC("mvex"), fourCC("cmov")]
    private static let trackBoxes: Set = [fourCC("tkhd"), fourCC("edts"), fourCC("mdia"), fourCC("tapt")]
    private static let mediaBoxes: Set = [fourCC("mdhd"), fourCC("hdlr"), fourCC("minf"), fourCC("elng")]
    private static let infoBoxes: Set = [
        fourCC("vmhd"), fourCC("smhd"), fourCC("hdlr"), fourCC("dinf"), fourCC("stbl"),
    ]
    private static let tableBoxes: Set = [
        fourCC("stsd"), fourCC("stts"), fourCC("ctts"), fourCC("cslg"), fourCC("stss"), fourCC("stps"), fourCC("stsc"),
        fourCC("stsz"), fourCC("stz2"), fourCC("stco"), fourCC("co64"), fourCC("sdtp"), fourCC("sgpd"), fourCC("sbgp"),
    ]

    private mutating func readMovie(_ movie: Box, _ window: inout ByteWindow) throws(MediaCopyError) {
        let parts = boxes(in: movie.content, &window, needed: Self.movieBoxes, repeated: [fourCC("trak")])
        for box in parts {
            switch box.name {
            case fourCC("mvhd"): hideTimes(of: box, &window)
            case fourCC("mvex"): throw .isFragmented
            // Compressed, as no program writes any more.
            case fourCC("cmov"): throw .unknownFormat
            default: try readTrack(box, &window)
            }
        }
    }

    private mutating func readTrack(_ track: Box, _ window: inout ByteWindow) throws(MediaCopyError) {
        let handler = MP4Boxes(track.content).first("mdia", &window)
            .flatMap { MP4Boxes($0).first("hdlr", &window) }
            .flatMap { window.bigEndian($0.lowerBound + 8, 4) }
        guard handler == fourCC("vide") || handler == fourCC("soun") else { return hide(track) }
        let isSound = handler == fourCC("soun")
        hasPictures = hasPictures || !isSound
        for box in boxes(in: track.content, &window, needed: Self.trackBoxes) {
            switch box.name {
            case fourCC("tkhd"): hideTimes(of: box, &window)
            case fourCC("mdia"): try readMedia(box, isSound, &window)
            default: break
            }
        }
    }

    private mutating func readMedia(
        _ media: Box,
        _ isSound: Bool,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        for box in boxes(in: media.content, &window, needed: Self.mediaBoxes) {
            switch box.name {
            case fourCC("mdhd"): hideTimes(of: box, &window)
            // Behind the type: the maker, and the handler's name.
            case fourCC("hdlr"): hide(from: 12, of: box)
            case fourCC("minf"): try readInfo(box, isSound, &window)
            default: break
            }
        }
    }

    private mutating func readInfo(
        _ info: Box,
        _ isSound: Bool,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        for box in boxes(in: info.content, &window, needed: Self.infoBoxes) {
            switch box.name {
            case fourCC("hdlr"): hide(from: 12, of: box)
            case fourCC("dinf"): try readReferences(box, &window)
            case fourCC("stbl"):
                var table = SampleTable(isSound: isSound)
                for part in boxes(in: box.content, &window, needed: Self.tableBoxes) {
                    if part.name == fourCC("stsd") { try hideEncoders(part, isSound, &window) }
                    table.note(part.name, part.content)
                }
                try table.readChunks(into: &chunks, limit: Self.mostChunks, &window)
            default: break
            }
        }
    }

    /// The names of files with the samples, which stand there even where these are in the file itself (section 8.7.2).
    private mutating func readReferences(_ box: Box, _ window: inout ByteWindow) throws(MediaCopyError) {
        for list in boxes(in: box.content, &window, needed: [fourCC("dref")]) {
            guard list.content.count >= 8 else { throw .isDamaged }
            for entry in boxes(in: list.content.lowerBound + 8..<list.content.upperBound, &window) {
                guard let flags = window.bigEndian(entry.content.lowerBound, 4), entry.content.count >= 4 else {
                    throw .isDamaged
                }
                guard flags & 1 == 1 else { throw .needsOtherFiles }
                hide(from: 4, of: entry)
            }
        }
    }

    /// Hides the encoder's name in the descriptions of pictures (section 12.1.3).
    private mutating func hideEncoders(
        _ descriptions: Box,
        _ isSound: Bool,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        guard descriptions.content.count >= 8 else { throw .isDamaged }
        let entries = boxes(in: descriptions.content.lowerBound + 8..<descriptions.content.upperBound, &window)
        if !isSound { for entry in entries { hide(42..<74, of: entry) } }
    }

    // MARK: Samples

    /// Hides the bytes that are no samples of tracks that stay.
    private mutating func hideGaps(in data: [Range<Int>]) {
        chunks.sort { $0.lowerBound < $1.lowerBound }
        var index = 0
        for part in data {
            var place = part.lowerBound
            while index < chunks.count, chunks[index].lowerBound < part.upperBound {
                let chunk = chunks[index]
                if chunk.lowerBound > place { mask.hide(place..<chunk.lowerBound) }
                place = max(place, min(chunk.upperBound, part.upperBound))
                // One that goes on in the next part is looked at again there.
                guard chunk.upperBound <= part.upperBound else { break }
                index += 1
            }
            mask.hide(place..<part.upperBound)
        }
    }
}
