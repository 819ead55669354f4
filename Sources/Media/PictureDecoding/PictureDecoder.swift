private import CLinux
private import Glibc
private import MediaHeaders
package import PictureValues

/// From a file's bytes to an upright picture in sRGB, decoded no larger than it is wanted.
package enum PictureDecoder {
    /// The wishes for a picture or film.
    package struct Request: Sendable, Hashable {
        /// The longest side of the result, in pixels; pictures are never enlarged.
        package var side: Int
        /// Of a film.
        package var moment = FilmMoment.usual
        /// Whether it must be the frame shown at that moment, not the keyframe before.
        package var isExact = false
        /// Whether only the cover of a medium is wanted, not a frame.
        package var isOfCover = false

        package init(side: Int) { self.side = min(PixelSize.limit, max(1, side)) }

        fileprivate func with(side: Int) -> Request {
            var request = self
            request.side = min(PixelSize.limit, max(1, side))
            return request
        }
    }

    /// Loads what codecs load when they are used first, which a sandbox would not let them.
    package static func prepare() { HEIFPicture.prepare() }

    /// Frames of a film side by side, from all of its length; each as wide as the request's side allows.
    ///
    /// Blocks.
    package static func strip(of file: Int32, _ request: Request, frames: Int) throws(PictureError) -> Bitmap {
        var pictures: [Bitmap] = []
        for number in 0..<frames {
            var one = request
            one.moment = .part((Double(number) + 0.5) / Double(frames))
            let picture = try picture(of: file, one).flattened(on: .black)
            try PictureLimits.check(bytes: picture.size.pixelCount * 3 * frames * 2)
            pictures.append(picture)
        }
        return try Bitmap(besideEachOther: pictures)
    }

    /// A picture's middle, of exactly the request's side each way, on white.
    ///
    /// Blocks.
    package static func square(of file: Int32, _ request: Request) throws(PictureError) -> Bitmap {
        var whole = try picture(of: file, request)
        if whole.size.shortestSide < request.side, whole.size.longestSide >= request.side {
            // Its shorter side is to be that long.
            let factor = Double(whole.size.longestSide) / Double(whole.size.shortestSide)
            whole = try picture(
                of: file,
                request.with(side: Int(saturating: (Double(request.side) * factor).rounded(.up)))
            )
        }
        return whole.flattened().middle.enlarged(toSquare: request.side)
    }

    /// Four pictures of one size, two above the other two.
    ///
    /// Blocks.
    package static func mosaic(of files: [Int32]) throws(PictureError) -> Bitmap {
        var parts: [Bitmap] = []
        for file in files { parts.append(try picture(of: file, Request(side: 4_096)).flattened()) }
        guard Set(parts.map(\.size)).count == 1, parts.count % 2 == 0 else {
            throw .damaged("its parts differ in size")
        }
        let above = try Bitmap(besideEachOther: Array(parts.prefix(parts.count / 2)))
        let below = try Bitmap(besideEachOther: Array(parts.suffix(parts.count / 2)))
        guard let size = PixelSize(above.size.width, above.size.height * 2) else { throw .damaged("it has no pixels") }
        return Bitmap(size, channels: 3, pixels: above.pixels + below.pixels, damage: above.damage ?? below.damage)
    }

    /// Decodes an open file, which is read from its beginning and stays open.
    ///
    /// Blocks.
    package static func picture(of file: Int32, _ request: Request) throws(PictureError) -> Bitmap {
        try picture(of: file, request, mayBeMedium: true)
    }

    /// - Parameter mayBeMedium: Whether it may be a film, or have a cover, which must be a picture itself.
    private static func picture(
        of file: Int32,
        _ request: Request,
        mayBeMedium: Bool
    ) throws(PictureError) -> Bitmap {
        var head = [UInt8](repeating: 0, count: PictureKind.headLength)
        let count = unsafe pread(file, &head, head.count, 0)
        guard count > 0 else {
            throw count == 0 ? .damaged("it is empty") : .system(unsafe String(cString: strerror(errno)))
        }
        let kind = PictureKind(head: Array(head[..<count]))
        guard kind != .other || mayBeMedium else { throw .notAPicture }
        if [.gif, .bmp, .jpegXL, .other].contains(kind) {
            switch try opened(file, isOfCover: request.isOfCover && kind == .other) {
            case .cover(let bytes):
                let cover = try MemoryFile(bytes)
                defer { withExtendedLifetime(cover) {} }
                return try picture(of: cover.number, request, mayBeMedium: false)
            case .film(let film):
                return try film.planes(within: request.side, at: request.moment, isExact: request.isExact).bitmap()
            }
        }
        var planes = try planes(of: file, kind, request.side)
        if [.jpeg, .png, .webP, .tiff].contains(kind) { planes.orientation = orientation(of: file) }
        return planes.bitmap()
    }

    /// The first picture of a TIFF file, by libtiff, else by libavcodec, which reads DNG and more kinds of samples.
    private static func tiff(_ file: Int32, within side: Int) throws(PictureError) -> PicturePlanes {
        do throws(PictureError) {
            return try RowPicture(file, .tiff).planes(within: side)
        } catch {
            guard case .unsupported = error, case .film(let film)? = try? FilmPicture.open(file, isOfCover: false),
                let planes = try? film.planes(within: side, at: .usual, isExact: false)
            else { throw error }
            return planes
        }
    }

    /// A film's or a cover; where a medium has neither, the picture of its first chapter with one.
    private static func opened(_ file: Int32, isOfCover: Bool) throws(PictureError) -> FilmPicture.Source {
        do throws(PictureError) {
            return try FilmPicture.open(file, isOfCover: isOfCover)
        } catch {
            guard let size = try? fileSize(file) else { throw error }
            if error == .notAPicture {
                var reader = HeaderReader()
                throw reader.isMovieCutOff(file, size: size) ? .damaged("it is cut off") : error
            }
            guard error == .noVideo, !isOfCover else { throw error }
            var reader = TagReader(file, size: size)
            guard let picture = reader.id3v2ChapterPicture() else { throw error }
            return .cover(picture.bytes)
        }
    }

    private static func planes(
        of file: Int32,
        _ kind: PictureKind,
        _ side: Int
    ) throws(PictureError) -> PicturePlanes {
        switch kind {
        case .jpeg, .png: return try RowPicture(file, kind).planes(within: side)
        case .tiff: return try tiff(file, within: side)
        case .webP: return try WebPPicture.planes(MappedFile(file), within: side)
        case .heif: return try HEIFPicture.planes(MappedFile(file), within: side)
        case .svg: throw .unsupported("SVG")
        case .gif, .bmp, .jpegXL, .other: throw .notAPicture
        }
    }

    private static func orientation(of file: Int32) -> PictureOrientation {
        guard let size = try? fileSize(file) else { return .up }
        var reader = HeaderReader()
        return reader.picture(file, size: size)?.orientation ?? .up
    }
}

/// Bytes as an open file.
private final class MemoryFile {
    let number: Int32

    init(_ bytes: [UInt8]) throws(PictureError) {
        number = segue_memory_file()
        guard number >= 0 else { throw .system(unsafe String(cString: strerror(errno))) }
        guard unsafe write(number, bytes, bytes.count) == bytes.count else { throw .system("out of memory") }
    }

    deinit { close(number) }
}
