private import CFFmpeg
internal import CSwScale
internal import Pictures

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

    /// A plane's samples at another size, with as many bits.
    static func scaled(_ plane: Plane, to size: PixelSize) throws(PictureError) -> [UInt16] {
        // With what becomes of the samples of all planes.
        try PictureLimits.check(bytes: size.pixelCount * 12)
        guard let format = formats[plane.depth] else { throw .unsupported("a depth of \(plane.depth) bits") }
        let bytesPerSample = plane.depth > 8 ? 2 : 1
        if plane.size == size {
            return unsafe samples(plane.base, stride: plane.stride, size, bytesPerSample)
        }
        // Shrinking averages; enlarging, which happens to chroma alone, blends.
        let isSmaller = size.width <= plane.size.width && size.height <= plane.size.height
        let method = (isSmaller ? SWS_AREA : SWS_BICUBIC) | SWS_ACCURATE_RND | SWS_BITEXACT
        guard
            let context = unsafe sws_getContext(
                Int32(plane.size.width),
                Int32(plane.size.height),
                format,
                Int32(size.width),
                Int32(size.height),
                format,
                method,
                nil,
                nil,
                nil
            )
        else { throw .unsupported("scaling \(plane.size) to \(size) pixels") }
        defer { unsafe sws_freeContext(context) }
        // libswscale writes rows up to a multiple of 32 bytes.
        let stride = (size.width * bytesPerSample + 63) / 32 * 32
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
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return [] }
            return unsafe samples(base, stride: stride, size, bytesPerSample)
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
