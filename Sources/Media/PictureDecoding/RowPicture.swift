private import CPictures
internal import PictureValues

/// JPEG, PNG and TIFF, which are read row by row.
@safe
final class RowPicture {
    private let reader: OpaquePointer

    init(_ file: Int32, _ kind: PictureKind) throws(PictureError) {
        let opened =
            switch kind {
            case .png: unsafe segue_open_png(file)
            case .tiff: unsafe segue_open_tiff(file)
            default: unsafe segue_open_jpeg(file)
            }
        guard let opened = unsafe opened else { throw .system("out of memory") }
        unsafe reader = opened
        try check(true)
    }

    deinit { unsafe segue_picture_close(reader) }

    /// Decodes the picture.
    ///
    /// - Parameter side: The longest side of the result, in pixels.
    func planes(within side: Int) throws(PictureError) -> PicturePlanes {
        var shape = try shape(1)
        guard let source = PixelSize(Int(shape.width), Int(shape.height)) else { throw .damaged("it has no pixels") }
        try PictureLimits.check(source)
        let size = source.fitted(within: side)
        // Twice as many pixels as are wanted are left, so that the last step decides how sharp it is.
        let factor = source.factor(over: size)
        if let denominator = [8, 4, 2].first(where: { factor >= 2 * Double($0) }) {
            shape = try self.shape(denominator)
        }
        guard let stored = PixelSize(Int(shape.width), Int(shape.height)) else { throw .damaged("it has no pixels") }
        let channels = Int(shape.channels)
        let block = RowShrinker.factor(from: stored, to: size)
        try PictureLimits.check(
            bytes: Int(shape.memory) + RowShrinker.memory(stored, channels: channels, factor: block)
        )
        let hasAlpha = channels == 4 && !shape.is_cmyk
        var shrinker = RowShrinker(stored, channels: channels, hasAlpha: hasAlpha, factor: block)
        var row = [UInt8](repeating: 0, count: stored.width * channels)
        for _ in 0..<stored.height {
            try check(unsafe segue_picture_read_row(reader, &row))
            shrinker.add(row)
        }
        shrinker.finish()
        let model: PicturePlanes.Model =
            shape.is_cmyk ? .cmyk(isInverted: shape.is_inverted) : channels == 1 ? .grey : .rgb
        var planes = try PicturePlanes(shrinker, model, hasAlpha: hasAlpha, to: size)
        if planes.alpha?.allSatisfy({ $0 == 255 }) == true { (planes.alpha, planes.isPremultiplied) = (nil, false) }
        planes.profile = profile
        planes.damage = unsafe segue_picture_damage(reader).map { unsafe String(cString: $0) }
        return planes
    }

    private func shape(_ denominator: Int) throws(PictureError) -> segue_picture_shape {
        var shape = segue_picture_shape()
        try check(unsafe segue_picture_begin(reader, Int32(denominator), &shape))
        return shape
    }

    private func check(_ isDone: Bool) throws(PictureError) {
        if let error = unsafe segue_picture_error(reader) {
            let reason = unsafe String(cString: error)
            throw unsafe segue_picture_is_unsupported(reader) ? .unsupported(reason) : .damaged(reason)
        }
        if !isDone { throw .damaged("it is cut off") }
    }

    private var profile: [UInt8] {
        var count = 0
        guard let bytes = unsafe segue_picture_profile(reader, &count) else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
