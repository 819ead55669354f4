internal import PictureValues

/// Averages blocks of pixels as rows arrive, so that a picture is never whole in memory at its full size.
struct RowShrinker {
    /// The result's.
    let size: PixelSize
    /// Bytes per pixel of the rows: 1, 3 or 4.
    private let channels: Int
    private let factor: Int
    /// Whether the fourth channel is alpha, which is multiplied into the others.
    private let hasAlpha: Bool
    private let sourceSize: PixelSize
    private var sums: [UInt32]
    private var rowsSummed = 0
    private var rowsDone = 0
    /// One for each channel, one byte per sample.
    private(set) var planes: [[UInt8]]

    /// - Parameter factor: The side of the blocks, in pixels, at most as long as the picture's.
    init(_ source: PixelSize, channels: Int, hasAlpha: Bool, factor: Int) {
        (self.channels, self.hasAlpha, self.factor, sourceSize) = (channels, hasAlpha, factor, source)
        // The rest of a block at the end is a block, too.
        size = source.inBlocks(of: factor) ?? source
        sums = [UInt32](repeating: 0, count: size.width * channels)
        // libswscale reads some bytes behind a row that is shorter than its filter.
        planes = (0..<channels).map { [size] _ in [UInt8](repeating: 0, count: size.pixelCount + 64) }
    }

    /// The side of blocks that leaves twice the wanted size, so that the last step decides how sharp it is.
    ///
    /// The sums of a larger block would not fit.
    static func factor(from stored: PixelSize, to size: PixelSize) -> Int {
        min(4_096, max(1, Int(saturating: stored.factor(over: size) / 2)))
    }

    /// Bytes that all of it takes.
    static func memory(_ source: PixelSize, channels: Int, factor: Int) -> Int {
        source.pixelCount / (factor * factor) * channels + source.width * channels * 8
    }

    mutating func add(_ row: [UInt8]) {
        if factor == 1, !hasAlpha { return copy(row) }
        let (width, channels, factor, hasAlpha) = (sourceSize.width, channels, factor, hasAlpha)
        unsafe row.withUnsafeBufferPointer { row in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                var (place, block, left) = (0, 0, factor)
                for _ in 0..<width {
                    if hasAlpha {
                        let alpha = unsafe UInt32(row[place + 3])
                        for channel in 0..<3 {
                            unsafe sums[block + channel] += (UInt32(row[place + channel]) * alpha + 127) / 255
                        }
                        unsafe sums[block + 3] += alpha
                    } else if channels == 3 {
                        unsafe sums[block] += UInt32(row[place])
                        unsafe sums[block + 1] += UInt32(row[place + 1])
                        unsafe sums[block + 2] += UInt32(row[place + 2])
                    } else {
                        for channel in 0..<channels { unsafe sums[block + channel] += UInt32(row[place + channel]) }
                    }
                    place += channels
                    left -= 1
                    if left == 0 { (block, left) = (block + channels, factor) }
                }
            }
        }
        rowsSummed += 1
        if rowsSummed == factor { finishRow() }
    }

    private mutating func copy(_ row: [UInt8]) {
        guard rowsDone < size.height else { return }
        let start = rowsDone * size.width
        let (width, channels) = (size.width, channels)
        for channel in 0..<channels {
            unsafe planes[channel].withUnsafeMutableBufferPointer { plane in
                unsafe row.withUnsafeBufferPointer { row in
                    var place = channel
                    for column in 0..<width {
                        unsafe plane[start + column] = row[place]
                        place += channels
                    }
                }
            }
        }
        rowsDone += 1
    }

    private mutating func finishRow() {
        guard rowsDone < size.height else { return }
        let start = rowsDone * size.width
        for column in 0..<size.width {
            let across = min(factor, sourceSize.width - column * factor)
            let count = UInt32(across * rowsSummed)
            for channel in 0..<channels {
                let sum = sums[column * channels + channel]
                planes[channel][start + column] = UInt8(clamping: (sum + count / 2) / count)
                sums[column * channels + channel] = 0
            }
        }
        rowsSummed = 0
        rowsDone += 1
    }

    /// Completes the last blocks; rows that are missing stay black, or transparent.
    mutating func finish() { if rowsSummed > 0 { finishRow() } }
}
