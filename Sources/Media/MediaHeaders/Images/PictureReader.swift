package import PictureValues

/// Reads the headers of pictures: dimensions, orientation, date, colours.
extension HeaderReader {
    /// The header of an open picture, which stays open; `nil` when it is of no known kind, or damaged.
    package mutating func picture(_ descriptor: Int32, size: Int) -> PictureHeader? {
        window.begin(descriptor, size: size)
        return readPicture()
    }

    /// The same for a picture in memory.
    package mutating func picture(_ bytes: [UInt8]) -> PictureHeader? {
        window.begin(bytes)
        return readPicture()
    }

    mutating func readPicture(into file: inout ScannedFile) -> Bool {
        guard let picture = readPicture() else { return false }
        file.kind = .image
        file.codec = picture.codec
        (file.width, file.height) = (picture.size.width, picture.size.height)
        file.orientation = picture.orientation.rawValue
        file.captured = picture.captured
        (file.subtypes, file.contentIdentifier) = (picture.subtypes, picture.contentIdentifier)
        return true
    }

    private mutating func readPicture() -> PictureHeader? {
        let count = min(PictureKind.headLength, window.size)
        guard window.load(0, count) else { return nil }
        switch PictureKind(head: Array(window[0..<count])) {
        case .jpeg: return readJPEG()
        case .png: return readPNG()
        case .webP: return readWebP()
        case .gif: return readGIF()
        case .bmp: return readBMP()
        case .tiff: return readTIFF()
        case .heif: return HEIFReader.read(&window)
        case .jpegXL: return JPEGXLReader.read(&window)
        case .svg, .other: return nil
        }
    }

    private func header(_ format: String, _ codec: String, _ width: Int?, _ height: Int?) -> PictureHeader? {
        guard let width, let height, let size = PixelSize(width, height) else { return nil }
        return PictureHeader(format: format, codec: codec, size: size)
    }

    private static let segmentLimit = 1024

    // MARK: - JPEG

    /// JPEG (ITU-T T.81), with EXIF, XMP and a colour profile in its first segments.
    private mutating func readJPEG() -> PictureHeader? {
        var place = 2
        var exif: EXIF?
        var xmp: XMP?
        var profile: ColourSpace?
        for _ in 0..<Self.segmentLimit {
            guard window.load(place, 4), window[place] == 0xff else { return nil }
            let marker = window[place + 1]
            // Fill bytes.
            if marker == 0xff {
                place += 1
                continue
            }
            guard let length = window.bigEndian(place + 2, 2), length >= 2 else { return nil }
            let end = min(window.size, place + 2 + length)
            switch marker {
            case 0xe1 where window.has("Exif\0\0", at: place + 4) && exif == nil:
                exif = EXIF(place + 10..<max(place + 10, end), &window)
            case 0xe1 where window.has("http://ns.adobe.com/xap/1.0/\0", at: place + 4) && xmp == nil:
                xmp = XMP(place + 33..<max(place + 33, end), &window)
            // The first part of a profile (ICC.1, annex B.4) has all that is read.
            case 0xe2 where window.has("ICC_PROFILE\0\u{1}", at: place + 4):
                profile = ProfileReader.colourSpace(place + 18..<max(place + 18, end), &window)
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
                var picture = frame(at: place, exif, profile)
                picture?.add(xmp)
                return picture
            case 0xd9, 0xda: return nil
            default: break
            }
            place += 2 + length
        }
        return nil
    }

    private mutating func frame(at place: Int, _ exif: EXIF?, _ profile: ColourSpace?) -> PictureHeader? {
        guard window.load(place, 10),
            var picture = header("jpeg", "mjpeg", window.bigEndian(place + 7, 2), window.bigEndian(place + 5, 2))
        else { return nil }
        let channels = window[place + 9]
        picture.bitsPerSample = Int(window[place + 4])
        picture.add(exif)
        picture.colourSpace = channels == 1 ? .grey : profile ?? (channels == 4 ? .cmyk : picture.colourSpace)
        return picture
    }

    // MARK: - PNG

    /// PNG (W3C's third edition), with EXIF, XMP and colours in chunks before the pixels.
    private mutating func readPNG() -> PictureHeader? {
        guard window.bigEndian(4, 4) == 0x0d0a_1a0a, window.has("IHDR", at: 12),
            var picture = header("png", "png", window.bigEndian(16, 4), window.bigEndian(20, 4)), window.load(24, 2)
        else { return nil }
        // Indices of a palette are of colours with 8 bits.
        picture.bitsPerSample = window[25] == 3 ? 8 : Int(window[24])
        let isGrey = window[25] & 2 == 0
        var named: ColourSpace?
        var packet: XMP?
        var place = 8
        for _ in 0..<Self.segmentLimit {
            guard let length = window.bigEndian(place, 4), let name = window.bigEndian(place + 4, 4),
                name != fourCC("IDAT"), length <= window.size - place - 8
            else { break }
            let content = place + 8..<place + 8 + length
            switch name {
            case fourCC("eXIf"): picture.add(EXIF(content, &window))
            case fourCC("iTXt") where packet == nil:
                packet = xmp(content)
                picture.add(packet)
            case fourCC("acTL"): picture.subtypes.insert(.animated)
            case fourCC("sRGB"): named = named ?? .sRGB
            case fourCC("iCCP"): named = embedded(content) ?? named
            case fourCC("cICP") where length >= 4 && window.load(content.lowerBound, 4):
                let start = content.lowerBound
                let transfer = Int(window[start + 1])
                picture.hdr = HighDynamicRange(transfer: transfer)
                named = ColourSpace(primaries: Int(window[start]), transfer: transfer, matrix: 0) ?? named
            default: break
            }
            place += 12 + length
        }
        picture.colourSpace = isGrey ? .grey : named ?? picture.colourSpace
        return picture
    }

    /// The longest profile that is looked into, in bytes; what is read of it is near its beginning.
    private static let profileLimit = 65_536

    /// The colours of a compressed profile: its name, an end of that, a byte, and the profile.
    private mutating func embedded(_ content: Range<Int>) -> ColourSpace? {
        let count = min(Self.profileLimit, content.count)
        guard window.load(content.lowerBound, count) else { return nil }
        let bytes = window[content.lowerBound..<content.lowerBound + count]
        guard let end = bytes.prefix(80).firstIndex(of: 0) else { return nil }
        let profile = Inflate.bytes(Array(bytes[(end + 1)...].dropFirst()), limit: Self.profileLimit)
        var inside = ByteWindow()
        inside.begin(profile)
        return ProfileReader.colourSpace(0..<profile.count, &inside)
    }

    /// The XMP packet of an international text: its keyword, marks of its compression, its language, the keyword in that, and
    /// the text.
    private mutating func xmp(_ content: Range<Int>) -> XMP? {
        let name: StaticString = "XML:com.adobe.xmp\0"
        let start = content.lowerBound + name.utf8CodeUnitCount
        guard start <= content.upperBound, window.has(name, at: content.lowerBound) else { return nil }
        let text = start..<min(content.upperBound, start + XMP.longest)
        guard text.count > 4, window.load(start, text.count) else { return nil }
        let parts = window[text].dropFirst(2).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let isCompressed = window[start] != 0
        return XMP(isCompressed ? Inflate.bytes(Array(parts[2]), limit: XMP.longest) : Array(parts[2]))
    }

    // MARK: - GIF

    private mutating func readGIF() -> PictureHeader? {
        var picture = header("gif", "gif", window.littleEndian(6, 2), window.littleEndian(8, 2))
        if picture != nil, hasSecondFrame() { picture?.subtypes.insert(.animated) }
        return picture
    }

    /// Whether another picture follows the first one in a GIF.
    private mutating func hasSecondFrame() -> Bool {
        guard let flags = window.bigEndian(10, 1) else { return false }
        var place = 13 + GIFBlocks.colourTable(flags)
        var frames = 0
        for _ in 0..<Self.segmentLimit {
            switch window.bigEndian(place, 1) {
            case 0x21: place += 2
            case 0x2c where frames == 0:
                guard let flags = window.bigEndian(place + 9, 1) else { return false }
                frames += 1
                place += 11 + GIFBlocks.colourTable(flags)
            case let mark: return mark == 0x2c
            }
            guard let end = GIFBlocks.end(of: place, &window) else { return false }
            place = end
        }
        return false
    }

    // MARK: - Others

    /// WebP (RFC 9649).
    private mutating func readWebP() -> PictureHeader? {
        guard window.load(0, 30), let name = window.bigEndian(12, 4) else { return nil }
        var picture: PictureHeader?
        switch name {
        case fourCC("VP8 "):
            guard let width = window.littleEndian(26, 2), let height = window.littleEndian(28, 2) else { return nil }
            picture = header("webp", "webp", width & 0x3fff, height & 0x3fff)
        case fourCC("VP8L"):
            guard window[20] == 0x2f, let bits = window.littleEndian(21, 4) else { return nil }
            picture = header("webp", "webp", (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
        case fourCC("VP8X"):
            guard let width = window.littleEndian(24, 3), let height = window.littleEndian(27, 3) else { return nil }
            picture = header("webp", "webp", width + 1, height + 1)
            if window[20] & 2 != 0 { picture?.subtypes.insert(.animated) }
            readChunks(into: &picture)
        default: return nil
        }
        picture?.bitsPerSample = 8
        return picture
    }

    private mutating func readChunks(into picture: inout PictureHeader?) {
        var place = 12
        var (profile, packet): (ColourSpace?, XMP?)
        for _ in 0..<Self.segmentLimit {
            guard let kind = window.bigEndian(place, 4), let length = window.littleEndian(place + 4, 4),
                length <= window.size - place - 8
            else { break }
            let content = place + 8..<place + 8 + length
            if kind == fourCC("EXIF") {
                let start = window.has("Exif\0\0", at: place + 8) ? place + 14 : place + 8
                picture?.add(EXIF(start..<max(start, content.upperBound), &window))
            } else if kind == fourCC("XMP "), packet == nil {
                packet = XMP(content, &window)
                picture?.add(packet)
            } else if kind == fourCC("ICCP") {
                profile = ProfileReader.colourSpace(content, &window)
            }
            place += 8 + length + length % 2
        }
        if let profile { picture?.colourSpace = profile }
    }

    /// BMP, as Windows and OS/2 have it.
    private mutating func readBMP() -> PictureHeader? {
        guard let headLength = window.littleEndian(14, 4) else { return nil }
        if headLength == 12 { return header("bmp", "bmp", window.littleEndian(18, 2), window.littleEndian(20, 2)) }
        guard let width = window.littleEndian(18, 4), let height = window.littleEndian(22, 4) else { return nil }
        // Rows from above to below are a negative height.
        return header("bmp", "bmp", width, Int(Int32(truncatingIfNeeded: height).magnitude))
    }

    private mutating func readTIFF() -> PictureHeader? {
        let exif = EXIF(0..<window.size, &window)
        guard var picture = header("tiff", "tiff", exif.width, exif.height) else { return nil }
        picture.bitsPerSample = exif.bitsPerSample.flatMap { (1...64).contains($0) ? $0 : nil }
        picture.add(exif)
        picture.add(exif.packet.map { XMP($0, &window) })
        if let profile = exif.profile.flatMap({ ProfileReader.colourSpace($0, &window) }) {
            picture.colourSpace = profile
        }
        return picture
    }
}

extension PictureHeader {
    fileprivate mutating func add(_ exif: EXIF?) {
        guard let exif else { return }
        orientation = exif.orientation ?? orientation
        captured = exif.captured ?? captured
        colourSpace = exif.colourSpace ?? colourSpace
        addFacts(of: exif)
    }

    /// Adds the facts that EXIF tells beside how the picture is shown.
    mutating func addFacts(of exif: EXIF) {
        subtypes.formUnion(exif.subtypes)
        contentIdentifier = exif.contentIdentifier ?? contentIdentifier
    }

    mutating func add(_ xmp: XMP?) { if let xmp { subtypes.formUnion(xmp.subtypes) } }
}
