import MediaHeaders
import PictureValues
import TestSupport
import Testing

/// Facts that pictures tell of how they were made: segue-picker(7).
@Suite struct SubtypeTests {
    private static let spaces = """
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" \
        xmlns:Camera="http://ns.google.com/photos/1.0/camera/" xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" \
        xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/" \
        xmlns:GDepth="http://ns.google.com/photos/1.0/depthmap/" xmlns:Other="http://example.org/"
        """

    /// An XMP packet with attributes, elements, or both.
    private static func packet(_ attributes: String = "", _ elements: String = "") -> [UInt8] {
        Array(
            """
            <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \(spaces)>
            <rdf:Description rdf:about="" \(attributes)><dc:format>image/jpeg</dc:format>\(elements)</rdf:Description>
            </rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """.utf8
        )
    }

    private static let samples: [(packet: [UInt8], subtypes: MediaSubtypes)] = [
        (packet(#"Camera:MotionPhoto="1""#), .motionPhoto),
        (packet(#"Camera:MotionPhoto="0""#), []),
        (packet(#"Other:MotionPhoto="1""#), []),
        (packet("", "<Camera:MicroVideo>1</Camera:MicroVideo>"), .motionPhoto),
        // Another prefix of the same namespace.
        (packet(#"xmlns:G="http://ns.google.com/photos/1.0/camera/" G:MotionPhoto="1""#), .motionPhoto),
        (packet("", #"<rdf:Seq><rdf:li Item:Mime="video/mp4" Item:Semantic="MotionPhoto"/></rdf:Seq>"#), .motionPhoto),
        (packet("", #"<rdf:Seq><rdf:li Item:Semantic="Depth"/></rdf:Seq>"#), .depthEffect),
        (packet("", #"<rdf:Seq><rdf:li Item:Semantic="GainMap"/></rdf:Seq>"#), []),
        (packet(#"Camera:BurstID="a7d1""#), .burst), (packet(#"Camera:BurstID="""#), []),
        (packet(#"Camera:BurstID="a7d1" Camera:MotionPhoto="1""#), [.burst, .motionPhoto]),
        (packet("", "<GPano:ProjectionType>equirectangular</GPano:ProjectionType>"), .panorama),
        (packet(#"GDepth:Format="RangeInverse""#), .depthEffect),
        (packet(#"exif:UserComment="Screenshot""#), .screenshot),
        (
            packet(
                "",
                #"<exif:UserComment><rdf:Alt><rdf:li xml:lang="x-default">Screenshot</rdf:li></rdf:Alt></exif:UserComment>"#
            ),
            .screenshot
        ),
        (packet("", "<exif:UserComment>Screenshots of mine</exif:UserComment><dc:title>Screenshot</dc:title>"), []),
        (packet(), []), (Array(packet(#"Camera:MotionPhoto="1""#).prefix(300)), []),
    ]

    /// A JPEG with a segment behind its first two bytes.
    private static func jpeg(_ segment: [UInt8]) -> [UInt8] {
        let bytes = MadeMedia.jpeg(width: 40, height: 30)
        return Array(bytes[..<2]) + [0xff, 0xe1] + MadeMedia.bigEndian(segment.count + 2, 2) + segment + bytes[2...]
    }

    private static func png(_ chunks: (String, [UInt8])...) -> [UInt8] {
        let end = MadeMedia.png.count - 12
        var bytes = Array(MadeMedia.png[..<end])
        for (name, content) in chunks {
            bytes += MadeMedia.box(name, content)
            // The length of a chunk is that of its content alone.
            let start = bytes.count - content.count - 8
            bytes.replaceSubrange(start..<start + 4, with: MadeMedia.bigEndian(content.count, 4))
            bytes += [0, 0, 0, 0]
        }
        return bytes + MadeMedia.png[end...]
    }

    private static func webP(flags: UInt8, _ packet: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = Array("VP8X".utf8) + MadeMedia.littleEndian(10)
        chunks += [flags, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0]
        chunks += Array("XMP ".utf8) + MadeMedia.littleEndian(packet.count) + packet
        if packet.count % 2 == 1 { chunks.append(0) }
        return Array("RIFF".utf8) + MadeMedia.littleEndian(chunks.count + 4) + Array("WEBP".utf8) + chunks
    }

    /// Deflated data that is stored as it is (RFC 1950, and RFC 1951, section 3.2.4).
    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var deflated: [UInt8] = [0x78, 1, 1]
        deflated += MadeMedia.littleEndian(bytes.count, 2) + MadeMedia.littleEndian(0xffff - bytes.count, 2)
        return deflated + bytes + [0, 0, 0, 0]
    }

    @Test(arguments: samples.indices) func everyFormatTellsByItsXMP(_ index: Int) throws {
        let (packet, subtypes) = Self.samples[index]
        let text = Array("XML:com.adobe.xmp\0".utf8)
        var tiff: [UInt8] = Array("II*\0".utf8) + MadeMedia.littleEndian(8) + MadeMedia.littleEndian(3, 2)
        for (tag, type, count, value) in [(0x0100, 4, 1, 40), (0x0101, 4, 1, 30), (0x02bc, 1, packet.count, 50)] {
            tiff += MadeMedia.littleEndian(tag, 2) + MadeMedia.littleEndian(type, 2)
            tiff += MadeMedia.littleEndian(count) + MadeMedia.littleEndian(value)
        }
        tiff += MadeMedia.littleEndian(0) + packet
        let pictures = [
            Self.jpeg(Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet),
            Self.png(("iTXt", text + [0, 0, 0, 0] + packet)),
            Self.png(("iTXt", text + [1, 0] + Array("en\0\0".utf8) + Self.deflated(packet))),
            Self.webP(flags: 4, packet), tiff,
            MadeMedia.heic(width: 40, height: 30, quarters: 0, exif: [], xmp: packet),
        ]
        for (place, picture) in pictures.enumerated() {
            #expect(try #require(header(of: picture)).subtypes == subtypes, "\(place)")
        }
    }

    /// The notes of Apple's cameras, and the comment of its screenshots.
    private static func exif(_ entries: [(tag: Int, text: String)], comment: String = "") -> [UInt8] {
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ place: Int) -> [UInt8] {
            let head = MadeMedia.bigEndian(tag, 2) + MadeMedia.bigEndian(type, 2)
            return head + MadeMedia.bigEndian(count, 4) + MadeMedia.bigEndian(place, 4)
        }
        // Offsets are those in the note.
        var (fields, texts) = ([UInt8](), [UInt8]())
        let start = 14 + 2 + entries.count * 12 + 4
        for (tag, text) in entries {
            fields += entry(tag, 2, text.utf8.count + 1, start + texts.count)
            texts += Array(text.utf8) + [0]
        }
        let end: [UInt8] = [0, 0, 0, 0]
        var note: [UInt8] = Array("Apple iOS\0\0\u{1}MM".utf8)
        note += MadeMedia.bigEndian(entries.count, 2) + fields + end + texts
        let words = Array("ASCII\0\0\0\(comment)".utf8)
        let details = 26
        let behind = details + 2 + 24 + 4
        var bytes: [UInt8] = Array("MM\0*".utf8) + MadeMedia.bigEndian(8, 4)
        bytes += [0, 1] + entry(0x8769, 4, 1, details) + end
        bytes += [0, 2] + entry(0x927c, 7, note.count, behind)
        bytes += entry(0x9286, 7, words.count, behind + note.count) + end
        return bytes + note + words
    }

    private static let identifier = "FFCBAC24-E547-4BBC-AF47-38B1A3D845E3"

    @Test(arguments: [false, true]) func camerasOfAppleTellOfSeriesAndLivePhotos(_ isHEIC: Bool) throws {
        func picture(_ exif: [UInt8]) throws -> PictureHeader {
            try #require(
                header(
                    of: isHEIC
                        ? MadeMedia.heic(width: 40, height: 30, quarters: 0, exif: exif)
                        : MadeMedia.jpeg(width: 40, height: 30, exif: exif)
                )
            )
        }
        let live = try picture(Self.exif([(0x0a, "x"), (0x11, Self.identifier)]))
        #expect(live.contentIdentifier?.text == Self.identifier)
        #expect(live.subtypes == [])
        let burst = try picture(Self.exif([(0x0b, "0E7F"), (0x11, "two words")], comment: "Screenshot"))
        #expect(burst.subtypes == [.burst, .screenshot])
        #expect(burst.contentIdentifier == nil)
        #expect(try picture(Self.exif([(0x0b, "")], comment: "Screen shot")).subtypes == [])
    }

    @Test func heicTellsOfDistancesFilmsAndSequences() throws {
        func subtypes(_ auxiliary: String?, _ boxes: [UInt8] = []) throws -> MediaSubtypes {
            let picture = MadeMedia.heic(width: 4, height: 3, quarters: 0, exif: [], auxiliary: auxiliary)
            return try #require(header(of: picture + boxes)).subtypes
        }
        #expect(try subtypes("urn:mpeg:hevc:2015:auxid:2") == .depthEffect)
        #expect(try subtypes("urn:mpeg:mpegB:cicp:systems:auxiliary:depth") == .depthEffect)
        #expect(try subtypes("urn:mpeg:hevc:2015:auxid:1") == [])
        #expect(try subtypes("urn:mpeg:hevc:2015:auxid:21") == [])
        #expect(try subtypes(nil, MadeMedia.box("mpvd", [0, 0, 0, 0])) == .motionPhoto)
        #expect(try subtypes(nil, MadeMedia.box("moov", [0, 0, 0, 0])) == .animated)
    }

    @Test func picturesOfSeveralFramesAreAnimated() throws {
        func gif(_ frames: Int) -> [UInt8] {
            let table: [UInt8] = [0, 0, 0, 1, 1, 1]
            // An extension, the frame, a table of its own, and its data in two pieces.
            let head: [UInt8] = [0x21, 0xf9, 4, 0, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0x80]
            let data: [UInt8] = [2, 1, 0x2c, 2, 0x2c, 0x2c, 0]
            let frame = head + table + data
            var bytes: [UInt8] = Array("GIF89a".utf8) + [2, 0, 1, 0, 0x80, 0, 0]
            bytes += table
            for _ in 0..<frames { bytes += frame }
            return bytes + [0x3b]
        }
        for (picture, isAnimated) in [
            (gif(0), false), (gif(1), false), (gif(2), true), (gif(9), true), (Array(gif(2).prefix(40)), false),
            (MadeMedia.png, false), (Self.png(("acTL", [0, 0, 0, 2, 0, 0, 0, 0])), true),
            (Self.webP(flags: 0, []), false), (Self.webP(flags: 2, []), true),
        ] {
            #expect(try #require(header(of: picture)).subtypes == (isAnimated ? .animated : []))
        }
    }

    /// Data without an end cost no more than the budget: pieces of one byte, each of which is passed over by itself.
    @Test func longFramesAreGivenUp() {
        let pieces = [UInt8](repeating: 1, count: 400_000)
        let head: [UInt8] = [2, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2]
        let picture: [UInt8] = Array("GIF89a".utf8) + head + pieces
        let second: [UInt8] = [0, 0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 0, 0x3b]
        #expect(header(of: picture + second)?.subtypes == [])
    }

    /// Whatever is changed in these pictures, reading them ends.
    @Test(arguments: 0..<16) func changedPicturesAreRead(seed: UInt64) {
        var random = SplitMix(state: seed)
        let packet = Self.packet(#"Camera:MotionPhoto="1" GDepth:Near="1""#, "<exif:UserComment>x</exif:UserComment>")
        let exif = Self.exif([(0x0b, "0E7F"), (0x11, Self.identifier)], comment: "Screenshot")
        let samples = [
            Self.jpeg(Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet),
            Self.png(("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + Self.deflated(packet))),
            MadeMedia.jpeg(width: 40, height: 30, exif: exif),
            MadeMedia.heic(
                width: 4,
                height: 3,
                quarters: 0,
                exif: exif,
                xmp: packet,
                auxiliary: "urn:mpeg:hevc:2015:auxid:2"
            ),
        ]
        var found = 0
        for sample in samples {
            for _ in 0..<300 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = [0, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                if let picture = header(of: bytes), !picture.subtypes.isEmpty { found += 1 }
            }
        }
        #expect(found > 100)
    }
}

private func header(of bytes: [UInt8]) -> PictureHeader? {
    var reader = HeaderReader()
    return reader.picture(bytes)
}
