private import CWebP
internal import PictureValues

/// WebP, by libwebp, which scales while it decodes; of moving pictures the first.
enum WebPPicture {
    static func planes(_ file: MappedFile, within side: Int) throws(PictureError) -> PicturePlanes {
        var data = unsafe WebPData(bytes: file.base, size: file.count)
        guard let demuxer = unsafe WebPDemux(&data) else { throw .damaged("it is cut off or no WebP") }
        defer { unsafe WebPDemuxDelete(demuxer) }
        let canvas = PixelSize(
            Int(unsafe WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
            Int(unsafe WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT))
        )
        guard let canvas else { throw .damaged("it has no pixels") }
        try PictureLimits.check(canvas)
        let size = canvas.fitted(within: side)
        let flags = unsafe WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS)
        let isMoving = flags & UInt32(ANIMATION_FLAG.rawValue) != 0
        var planes =
            isMoving ? unsafe try firstOfMany(&data, canvas, size) : try still(file, canvas, size)
        planes.profile = unsafe profile(demuxer)
        return planes
    }

    private static func profile(_ demuxer: OpaquePointer) -> [UInt8] {
        var chunk = unsafe WebPChunkIterator()
        guard unsafe WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk) != 0 else { return [] }
        defer { unsafe WebPDemuxReleaseChunkIterator(&chunk) }
        return unsafe Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
    }

    private static func still(
        _ file: MappedFile,
        _ canvas: PixelSize,
        _ size: PixelSize
    ) throws(PictureError) -> PicturePlanes {
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0,
            unsafe WebPGetFeatures(file.base, file.count, &config.input) == VP8_STATUS_OK
        else { throw .damaged("its header is wrong") }
        let hasAlpha = unsafe config.input.has_alpha != 0
        let channels = hasAlpha ? 4 : 3
        // Twice the size that is wanted, if there is more: the last step decides how sharp it is.
        let factor = canvas.factor(over: size)
        var stored = canvas
        if factor > 2, let smaller = PixelSize(size.width * 2, size.height * 2) {
            stored = smaller
            unsafe config.options.use_scaling = 1
            unsafe config.options.scaled_width = Int32(smaller.width)
            unsafe config.options.scaled_height = Int32(smaller.height)
        }
        // A lossless picture is whole in memory.
        let working = unsafe config.input.format == 2 ? canvas.pixelCount * 4 : canvas.width * 64
        try PictureLimits.check(bytes: working + stored.pixelCount * channels * 2)
        unsafe config.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB
        let code = unsafe WebPDecode(file.base, file.count, &config)
        defer { unsafe WebPFreeDecBuffer(&config.output) }
        guard code == VP8_STATUS_OK, let rows = unsafe config.output.u.RGBA.rgba else {
            throw .damaged(code == VP8_STATUS_OUT_OF_MEMORY ? "out of memory" : "libwebp's error \(code.rawValue)")
        }
        let stride = unsafe Int(config.output.u.RGBA.stride)
        return unsafe try planes(rows, stride: stride, stored, channels: channels, to: size)
    }

    private static func firstOfMany(
        _ data: inout WebPData,
        _ canvas: PixelSize,
        _ size: PixelSize
    ) throws(PictureError) -> PicturePlanes {
        try PictureLimits.check(bytes: canvas.pixelCount * 8)
        guard let decoder = unsafe WebPAnimDecoderNew(&data, nil) else { throw .damaged("its frames are wrong") }
        defer { unsafe WebPAnimDecoderDelete(decoder) }
        var rows: UnsafeMutablePointer<UInt8>?
        var time: Int32 = 0
        guard unsafe WebPAnimDecoderGetNext(decoder, &rows, &time) != 0, let rows = unsafe rows else {
            throw .damaged("its first frame is wrong")
        }
        return unsafe try planes(rows, stride: canvas.width * 4, canvas, channels: 4, to: size)
    }

    private static func planes(
        _ rows: UnsafePointer<UInt8>,
        stride: Int,
        _ stored: PixelSize,
        channels: Int,
        to size: PixelSize
    ) throws(PictureError) -> PicturePlanes {
        let block = RowShrinker.factor(from: stored, to: size)
        var shrinker = RowShrinker(stored, channels: channels, hasAlpha: channels == 4, factor: block)
        for row in 0..<stored.height {
            shrinker.add(unsafe Array(UnsafeBufferPointer(start: rows + row * stride, count: stored.width * channels)))
        }
        shrinker.finish()
        return try PicturePlanes(shrinker, .rgb, hasAlpha: channels == 4, to: size)
    }
}
