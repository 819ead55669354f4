internal import CFFmpeg
internal import CSwScale
internal import FFmpegValues
internal import PictureValues

/// Decodes the frames of a film, or of GIF, BMP and JPEG XL, which libavcodec reads as films.
@safe
final class FilmDecoder {
    private let container: FilmContainer
    private let format: UnsafeMutablePointer<AVFormatContext>
    let stream: UnsafeMutablePointer<AVStream>
    let codec: UnsafeMutablePointer<AVCodecContext>
    private let packet: Packet
    /// The film's beginning by its container's clock, in seconds.
    private let origin: Double
    /// The frame that was decoded last.
    let frame: Frame

    /// Decodes a stream, or the one that is best.
    ///
    /// - Parameter threads: How many threads decode at once.
    init(_ container: FilmContainer, stream index: Int? = nil, threads: Int32 = 1) throws {
        self.container = container
        (unsafe format, unsafe stream) = unsafe (container.format, try container.film(index))
        unsafe codec = unsafe try Self.decoder(stream, threads)
        origin = unsafe container.origin(of: stream)
        packet = try Packet()
        frame = try Frame()
    }

    var streamIndex: Int { unsafe Int(stream.pointee.index) }

    deinit {
        var codec: UnsafeMutablePointer<AVCodecContext>? = unsafe codec
        unsafe avcodec_free_context(&codec)
    }

    private static func decoder(
        _ stream: UnsafeMutablePointer<AVStream>,
        _ threads: Int32
    ) throws -> UnsafeMutablePointer<AVCodecContext> {
        guard let codec = unsafe avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) else {
            throw PictureError.unsupported(
                unsafe String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id))
            )
        }
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe try FFmpegError.unwrap(
            avcodec_alloc_context3(codec),
            "cannot open its decoder"
        )
        unsafe context?.pointee.thread_count = threads
        // libavcodec holds a whole picture, and TIFF and JPEG XL a second time, in up to eight bytes per pixel.
        unsafe context?.pointee.max_pixels = Int64(PictureLimits.memory / 8)
        // Strips of a TIFF that cannot be decoded would be left white.
        if unsafe codec.pointee.id == AV_CODEC_ID_TIFF {
            unsafe context?.pointee.err_recognition |= Int32(AV_EF_EXPLODE)
        }
        unsafe context?.pointee.pkt_timebase = stream.pointee.time_base
        var code = unsafe avcodec_parameters_to_context(context, stream.pointee.codecpar)
        if code >= 0 { code = unsafe avcodec_open2(context, codec, nil) }
        guard code >= 0, let opened = unsafe context else {
            unsafe avcodec_free_context(&context)
            throw FFmpegError(code: code, operation: "cannot open its decoder")
        }
        return unsafe opened
    }

    // MARK: - Frames

    /// In seconds; `nil` when unknown.
    var duration: Double? {
        let base = unsafe av_q2d(stream.pointee.time_base)
        if unsafe stream.pointee.duration > 0 { return unsafe Double(stream.pointee.duration) * base }
        let whole = unsafe format.pointee.duration
        return whole > 0 ? Double(whole) / 1_000_000 : nil
    }

    func timestamp(of seconds: Double) -> Int64 {
        unsafe Int64(saturating: (seconds + origin) / av_q2d(stream.pointee.time_base))
    }

    /// In seconds of the film; `nil` when unknown.
    func time(of frame: borrowing Frame) -> Double? {
        guard let timestamp = frame.timestamp else { return nil }
        return unsafe Double(timestamp) * av_q2d(stream.pointee.time_base) - origin
    }

    /// The time of the last keyframe before a moment, as far as the container has an index; in seconds.
    func keyframe(before seconds: Double) -> Double? {
        let entry = unsafe avformat_index_get_entry_from_timestamp(
            stream,
            timestamp(of: seconds),
            AVSEEK_FLAG_BACKWARD
        )
        guard let entry = unsafe entry else { return nil }
        return unsafe Double(entry.pointee.timestamp) * av_q2d(stream.pointee.time_base) - origin
    }

    /// Whether it can be sought in, as MP4 can by its index also where bytes are read in order.
    var isSeekable: Bool {
        guard let io = unsafe format.pointee.pb else { return true }
        return unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
            || String(cString: format.pointee.iformat.pointee.name).hasPrefix("mov,")
    }

    func seek(to seconds: Double) throws -> Bool {
        let target = timestamp(of: seconds)
        guard unsafe avformat_seek_file(format, stream.pointee.index, .min, target, target, 0) >= 0 else {
            return false
        }
        unsafe avcodec_flush_buffers(codec)
        return true
    }

    /// Seeks to the first keyframe at or after a moment.
    func seek(toKeyframeAfter seconds: Double) throws -> Bool {
        let target = timestamp(of: seconds)
        guard unsafe avformat_seek_file(format, stream.pointee.index, target, target, .max, 0) >= 0 else {
            return false
        }
        unsafe avcodec_flush_buffers(codec)
        return true
    }

    /// Decodes the next frame; false at the end.
    func next() throws -> Bool {
        while true {
            let code = unsafe avcodec_receive_frame(codec, frame.pointer)
            if code >= 0 { return true }
            if code == segue_AVERROR_EOF { return false }
            guard code == segue_AVERROR_EAGAIN else { throw FFmpegError(code: code, operation: "cannot decode") }
            send()
        }
    }

    /// Decodes the next keyframe alone, so that the decoder waits for no others to bring them into order.
    ///
    /// - Returns: Whether that gave a frame: one of two fields does not.
    func nextKeyframe() throws -> Bool {
        repeat { guard read() else { return false } } while !packet.isKey
        guard unsafe avcodec_send_packet(codec, packet.pointer) >= 0 else { return false }
        _ = unsafe avcodec_send_packet(codec, nil)
        return unsafe avcodec_receive_frame(codec, frame.pointer) >= 0
    }

    /// Reads the film's next packet; false at the end.
    private func read() -> Bool {
        repeat {
            packet.clear()
            guard unsafe av_read_frame(format, packet.pointer) >= 0 else { return false }
        } while packet.streamIndex != Int(unsafe stream.pointee.index) || packet.byteCount == 0
        return true
    }

    private func send() {
        while true {
            guard read() else {
                _ = unsafe avcodec_send_packet(codec, nil)
                return
            }
            // A damaged packet is left out.
            if unsafe avcodec_send_packet(codec, packet.pointer) >= 0 { return }
        }
    }

    // MARK: - Pixels

    /// The picture that was decoded last, its longest side bounded.
    func picture(within side: Int) throws -> PicturePlanes {
        let stored = try storedSize(of: frame)
        return try picture(of: frame, stored.fitted(within: side, pixelShape: pixelShape))
    }

    /// A decoded picture, at a size of its own.
    ///
    /// - Parameter upright: The size of the result when it is turned upright.
    func picture(of frame: borrowing Frame, exactly upright: PixelSize) throws -> PicturePlanes {
        try picture(of: frame, orientation.swapsSides ? upright.transposed : upright)
    }

    private func picture(of frame: borrowing Frame, _ size: PixelSize) throws -> PicturePlanes {
        let stored = try storedSize(of: frame)
        try PictureLimits.check(stored)
        var planes = try planes(of: frame, stored, to: size)
        planes.orientation = orientation
        return planes
    }

    private func storedSize(of frame: borrowing Frame) throws -> PixelSize {
        let decoded = unsafe frame.pointer.pointee
        guard let stored = unsafe PixelSize(Int(decoded.width), Int(decoded.height)) else {
            throw PictureError.damaged("it has no pixels")
        }
        return stored
    }

    private var orientation: PictureOrientation {
        let rotation = unsafe segue_display_rotation(stream)
        return rotation.isNaN ? .up : PictureOrientation(clockwise: -rotation)
    }

    /// As the container tells it: upright, in square pixels.
    var shownSize: PixelSize? {
        let stored = unsafe PixelSize(
            Int(stream.pointee.codecpar.pointee.width),
            Int(stream.pointee.codecpar.pointee.height)
        )
        let size = stored.map { $0.fitted(within: PixelSize.limit, pixelShape: pixelShape) }
        return orientation.swapsSides ? size?.transposed : size
    }

    /// A pixel's width divided by its height.
    private var pixelShape: Double {
        let ratio = unsafe av_guess_sample_aspect_ratio(format, stream, frame.pointer)
        guard ratio.num > 0, ratio.den > 0 else { return 1 }
        let shape = Double(ratio.num) / Double(ratio.den)
        return (0.1...10).contains(shape) ? shape : 1
    }

    private func planes(of frame: borrowing Frame, _ stored: PixelSize, to size: PixelSize) throws -> PicturePlanes {
        let decoded = unsafe frame.pointer.pointee
        let format = unsafe AVPixelFormat(decoded.format)
        guard let layout = unsafe av_pix_fmt_desc_get(format), unsafe Self.isPlanar(layout) else {
            return try packed(frame, stored, format, to: size)
        }
        let depth = unsafe Int(layout.pointee.comp.0.depth)
        let isRGB = unsafe layout.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        var planes = PicturePlanes(
            model: .yCbCr(
                colour(frame, stored, depth: depth, isRGB: isRGB, isGrey: unsafe layout.pointee.nb_components < 3)
            ),
            size: size,
            samples: []
        )
        for index in 0..<Int(unsafe layout.pointee.nb_components) {
            let isChroma = !isRGB && (index == 1 || index == 2)
            let samples = unsafe try plane(index, of: frame, stored, layout, isChroma: isChroma, depth: depth, to: size)
            if index == 3 || index == 1 && (unsafe layout.pointee.nb_components) == 2 {
                planes.alpha = samples.map { $0 >> UInt16(depth - 8) }
            } else {
                planes.samples.append(samples)
            }
        }
        return planes
    }

    /// Whether each component has a plane of its own, which ``PlaneScaler`` takes.
    private static func isPlanar(_ layout: UnsafePointer<AVPixFmtDescriptor>) -> Bool {
        let components = unsafe [
            layout.pointee.comp.0, layout.pointee.comp.1, layout.pointee.comp.2, layout.pointee.comp.3,
        ]
        .prefix(Int(layout.pointee.nb_components))
        let special = UInt64(
            AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER
                | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_FLOAT
        )
        return unsafe layout.pointee.flags & special == 0
            && Set(components.map(\.plane)).count == components.count
            && components.allSatisfy {
                $0.step == ($0.depth > 8 ? 2 : 1) && $0.shift == 0 && PlaneScaler.canScale(depth: Int($0.depth))
                    && $0.depth == components[0].depth
            }
    }

    private func plane(
        _ index: Int,
        of frame: borrowing Frame,
        _ stored: PixelSize,
        _ layout: UnsafePointer<AVPixFmtDescriptor>,
        isChroma: Bool,
        depth: Int,
        to size: PixelSize
    ) throws -> [UInt16] {
        let (across, down) =
            isChroma ? unsafe (Int(layout.pointee.log2_chroma_w), Int(layout.pointee.log2_chroma_h)) : (0, 0)
        let width = (stored.width + (1 << across) - 1) >> across
        var height = (stored.height + (1 << down) - 1) >> down
        let decoded = unsafe frame.pointer
        guard let base = unsafe segue_frame_plane(decoded, Int32(index)) else {
            throw PictureError.damaged("a plane is missing")
        }
        var stride = unsafe Int(segue_frame_stride(decoded, Int32(index)))
        // Of two moments in one frame the first is taken, where it has lines enough.
        if unsafe segue_is_interlaced(decoded) != 0, height >= 2 * 8 { (stride, height) = (stride * 2, height / 2) }
        guard let planeSize = PixelSize(width, height), stride > 0 else {
            throw PictureError.damaged("a plane is missing")
        }
        return unsafe try PlaneScaler.scaled(
            PlaneScaler.Plane(base, stride: stride, size: planeSize, depth: depth),
            to: size,
            // Only what has been averaged to a quarter: frames are shown as they come.
            fineLimit: planeSize.pixelCount / 4
        )
    }

    private func colour(
        _ frame: borrowing Frame,
        _ stored: PixelSize,
        depth: Int,
        isRGB: Bool,
        isGrey: Bool
    ) -> VideoColour {
        let decoded = unsafe frame.pointer.pointee
        var matrix = unsafe Int(decoded.colorspace.rawValue)
        if matrix == Int(AVCOL_SPC_UNSPECIFIED.rawValue) { matrix = stored.height >= 720 ? 1 : 6 }
        let isFullRange =
            unsafe decoded.color_range == AVCOL_RANGE_JPEG
            || AVPixelFormat(decoded.format) == AV_PIX_FMT_YUVJ420P
            || AVPixelFormat(decoded.format) == AV_PIX_FMT_YUVJ422P
            || AVPixelFormat(decoded.format) == AV_PIX_FMT_YUVJ444P
            || isRGB || isGrey
        return unsafe VideoColour(
            matrix: isRGB ? 0 : matrix,
            transfer: Int(decoded.color_trc.rawValue),
            primaries: Int(decoded.color_primaries.rawValue),
            isFullRange: isFullRange,
            depth: depth
        )
    }

    /// Samples that are mixed in one plane, palettes among them: made RGBA, then shrunk.
    private func packed(
        _ frame: borrowing Frame,
        _ stored: PixelSize,
        _ format: AVPixelFormat,
        to size: PixelSize
    ) throws -> PicturePlanes {
        try PictureLimits.check(bytes: stored.pixelCount * 4)
        let (width, height) = (Int32(stored.width), Int32(stored.height))
        let method = SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
        guard
            let context = unsafe sws_getContext(
                width,
                height,
                format,
                width,
                height,
                AV_PIX_FMT_RGBA,
                method,
                nil,
                nil,
                nil
            )
        else { throw PictureError.unsupported("its arrangement of samples") }
        defer { unsafe sws_freeContext(context) }
        let stride = (stored.width * 4 + 31) / 32 * 32
        var rows = [UInt8](repeating: 0, count: stride * stored.height + 64)
        let count = unsafe rows.withUnsafeMutableBufferPointer { buffer in
            var results: [UnsafeMutablePointer<UInt8>?] = unsafe [buffer.baseAddress, nil, nil, nil]
            var strides: [Int32] = [Int32(stride), 0, 0, 0]
            return unsafe segue_scale_frame(context, frame.pointer, &results, &strides)
        }
        guard count == height else { throw PictureError.unsupported("its arrangement of samples") }
        let block = RowShrinker.factor(from: stored, to: size)
        var shrinker = RowShrinker(stored, channels: 4, hasAlpha: true, factor: block)
        for row in 0..<stored.height { shrinker.add(Array(rows[row * stride..<row * stride + stored.width * 4])) }
        shrinker.finish()
        var planes = try PicturePlanes(shrinker, .rgb, hasAlpha: true, to: size)
        if planes.alpha?.allSatisfy({ $0 == 255 }) == true { (planes.alpha, planes.isPremultiplied) = (nil, false) }
        return planes
    }
}

extension PictureError {
    /// Why a medium cannot be opened as a film.
    init(opening error: any Error) {
        switch error {
        case let error as PictureError: self = error
        case let error as FFmpegError:
            self = error.isInvalidData || error.code == segue_AVERROR_EOF ? .notAPicture : .system(error.reason)
        default: self = .system("\(error)")
        }
    }

    /// Why a film has no frame.
    init(decoding error: any Error) {
        switch error {
        case let error as PictureError: self = error
        case let error as FFmpegError:
            self = .damaged(error.isInvalidData ? "no frame can be decoded" : error.reason)
        default: self = .system("\(error)")
        }
    }
}
