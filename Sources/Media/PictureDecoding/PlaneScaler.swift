private import CFFmpeg
internal import CSwScale
internal import PictureValues

/// Scales one plane of samples with libswscale.
///
/// Planes are scaled one by one, as grey, so that nothing is converted between colour spaces on the way.
enum PlaneScaler {
    /// Samples in rows, in memory that another object owns.
    @safe
    struct Plane {
        let base: UnsafePointer<UInt8>
        /// Bytes from one row to the next.
        let stride: Int
        let size: PixelSize
        /// Bits per sample: 8 in one byte, more in two, little-endian.
        let depth: Int

        init(_ base: UnsafePointer<UInt8>, stride: Int, size: PixelSize, depth: Int) {
            unsafe self.base = base
            (self.stride, self.size, self.depth) = (stride, size, depth)
        }
    }

    private static let formats: [Int: AVPixelFormat] = [
        8: AV_PIX_FMT_GRAY8, 10: AV_PIX_FMT_GRAY10LE, 12: AV_PIX_FMT_GRAY12LE, 14: AV_PIX_FMT_GRAY14LE,
        16: AV_PIX_FMT_GRAY16LE,
    ]

    static func canScale(depth: Int) -> Bool { formats[depth] != nil }

    /// In pixels: larger planes of still pictures take too long by Lanczos' filter, beside their decoding.
    static let fineLimit = 4_200_000

    /// A plane's samples at another size, with as many bits.
    ///
    /// - Parameter fineLimit: Planes of more pixels are shrunk by a cubic filter, which takes half as long.
    static func scaled(
        _ plane: Plane,
        to size: PixelSize,
        fineLimit: Int = fineLimit
    ) throws(PictureError) -> [UInt16] {
        // With what becomes of the samples of all planes.
        try PictureLimits.check(bytes: size.pixelCount * 12)
        let bytesPerSample = plane.depth > 8 ? 2 : 1
        if plane.size == size {
            return unsafe samples(plane.base, stride: plane.stride, size, bytesPerSample)
        }
        // Enlarging, which happens to chroma alone, blends.
        guard size.width <= plane.size.width, size.height <= plane.size.height else {
            return try samples(rows(plane, to: size, SWS_BICUBIC), size, bytesPerSample)
        }
        let block = RowShrinker.factor(from: plane.size, to: size)
        guard block > 1, let blocks = plane.size.inBlocks(of: block) else {
            let method = shrinking(plane.size, to: size, fineLimit)
            return try samples(rows(plane, to: size, method), size, bytesPerSample)
        }
        // Blocks are averaged first, which costs little; the last step, from twice the size, decides how sharp it is.
        let averaged = try rows(plane, to: blocks, SWS_AREA)
        let result = unsafe averaged.bytes.withUnsafeBufferPointer { buffer -> Result<Rows, PictureError> in
            guard let base = buffer.baseAddress else { return .failure(.damaged("it is empty")) }
            let plane = unsafe Plane(base, stride: averaged.stride, size: blocks, depth: plane.depth)
            let method = shrinking(blocks, to: size, fineLimit)
            return Result { () throws(PictureError) in try rows(plane, to: size, method) }
        }
        return samples(try result.get(), size, bytesPerSample)
    }

    /// Rows of samples, with a few bytes behind each and behind the last.
    private struct Rows {
        let bytes: [UInt8]
        /// Bytes from one row to the next.
        let stride: Int
    }

    /// The method for the last step of shrinking, which takes out what would become a false pattern.
    ///
    /// Of long thin pictures, whose filter would be longer than a row, plain averages are taken.
    private static func shrinking(_ source: PixelSize, to size: PixelSize, _ fineLimit: Int) -> Int32 {
        let isShort = source.width <= 16 * size.width && source.height <= 16 * size.height
        guard isShort, size.shortestSide >= 16 else { return SWS_AREA }
        return source.pixelCount <= fineLimit ? SWS_LANCZOS : SWS_BICUBIC
    }

    private static func rows(_ plane: Plane, to size: PixelSize, _ method: Int32) throws(PictureError) -> Rows {
        guard let format = formats[plane.depth] else { throw .unsupported("a depth of \(plane.depth) bits") }
        let bytesPerSample = plane.depth > 8 ? 2 : 1
        guard
            let context = unsafe sws_getContext(
                Int32(plane.size.width),
                Int32(plane.size.height),
                format,
                Int32(size.width),
                Int32(size.height),
                format,
                method | SWS_ACCURATE_RND | SWS_BITEXACT,
                nil,
                nil,
                nil
            )
        else { throw .unsupported("scaling \(plane.size) to \(size) pixels") }
        defer { unsafe sws_freeContext(context) }
        // libswscale writes rows up to a multiple of 32 bytes.
        let stride = (size.width * bytesPerSample + 63) / 32 * 32
        try PictureLimits.check(bytes: stride * size.height)
        var bytes = [UInt8](repeating: 0, count: stride * size.height + 64)
        let height = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var sources: [UnsafePointer<UInt8>?] = unsafe [plane.base, nil, nil, nil]
            var sourceStrides: [Int32] = [Int32(plane.stride), 0, 0, 0]
            var results: [UnsafeMutablePointer<UInt8>?] = unsafe [buffer.baseAddress, nil, nil, nil]
            var resultStrides: [Int32] = [Int32(stride), 0, 0, 0]
            return unsafe sws_scale(
                context,
                &sources,
                &sourceStrides,
                0,
                Int32(plane.size.height),
                &results,
                &resultStrides
            )
        }
        guard Int(height) == size.height else { throw .damaged("libswscale gives \(height) of \(size.height) rows") }
        return Rows(bytes: bytes, stride: stride)
    }

    private static func samples(_ rows: Rows, _ size: PixelSize, _ bytesPerSample: Int) -> [UInt16] {
        unsafe rows.bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return [] }
            return unsafe samples(base, stride: rows.stride, size, bytesPerSample)
        }
    }

    private static func samples(
        _ base: UnsafePointer<UInt8>,
        stride: Int,
        _ size: PixelSize,
        _ bytesPerSample: Int
    ) -> [UInt16] {
        unsafe [UInt16](unsafeUninitializedCapacity: size.pixelCount) { samples, count in
            for row in 0..<size.height {
                let source = unsafe base + row * stride
                for column in 0..<size.width {
                    let sample =
                        bytesPerSample == 1
                        ? unsafe UInt16(source[column])
                        : unsafe UInt16(source[2 * column]) | UInt16(source[2 * column + 1]) << 8
                    unsafe samples.initializeElement(at: count, to: sample)
                    count += 1
                }
            }
        }
    }
}
