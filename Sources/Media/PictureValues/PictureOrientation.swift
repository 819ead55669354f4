/// How stored rows and columns are to be turned to be upright (EXIF 2.32, tag 274).
package enum PictureOrientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1
    case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether width and height change places.
    package var swapsSides: Bool { rawValue >= 5 }

    /// A film's: turned clockwise by this many degrees when it is shown.
    ///
    /// - Returns: `up` for angles that are not multiples of 90.
    package init(clockwise degrees: Double) {
        guard degrees.isFinite else {
            self = .up
            return
        }
        switch Int(saturating: (degrees / 90).rounded()) & 3 {
        case 1: self = .right
        case 2: self = .down
        case 3: self = .left
        default: self = .up
        }
    }

    /// Where the pixel of the upright picture at a column and row is in the stored one.
    ///
    /// - Parameter size: The stored picture's.
    package func stored(_ column: Int, _ row: Int, _ size: PixelSize) -> (column: Int, row: Int) {
        let (right, bottom) = (size.width - 1, size.height - 1)
        return switch self {
        case .up: (column, row)
        case .upMirrored: (right - column, row)
        case .down: (right - column, bottom - row)
        case .downMirrored: (column, bottom - row)
        case .leftMirrored: (row, column)
        case .right: (row, bottom - column)
        case .rightMirrored: (right - row, bottom - column)
        case .left: (right - row, column)
        }
    }

    /// Quarter turns clockwise, after mirroring left and right.
    private var parts: (turns: Int, isMirrored: Bool) {
        switch self {
        case .up: (0, false)
        case .right: (1, false)
        case .down: (2, false)
        case .left: (3, false)
        case .upMirrored: (0, true)
        case .rightMirrored: (1, true)
        case .downMirrored: (2, true)
        case .leftMirrored: (3, true)
        }
    }

    private init(turns: Int, isMirrored: Bool) {
        let plain: [PictureOrientation] = [.up, .right, .down, .left]
        let mirrored: [PictureOrientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        self = (isMirrored ? mirrored : plain)[turns & 3]
    }

    /// This one, and then turned by more quarters of a circle.
    package func turned(clockwise quarters: Int) -> PictureOrientation {
        PictureOrientation(turns: parts.turns + quarters & 3, isMirrored: parts.isMirrored)
    }

    /// This one, and then left and right exchanged, or top and bottom.
    package func mirrored(upsideDown: Bool) -> PictureOrientation {
        PictureOrientation(turns: (upsideDown ? 2 : 0) - parts.turns, isMirrored: !parts.isMirrored)
    }
}
