internal import PictureValues

/// The dimensions, orientation and date of a film (ISO 14496-12, sections 8.2.2 and 8.3.2).
struct MP4Picture {
    private let width: Int
    private let height: Int
    private let orientation: Int?
    private let captured: CaptureDate?

    /// Seconds from 1904, the epoch of MP4, to 1970.
    private static let epoch = 2_082_844_800

    /// `nil` when no track is visible.
    init?(_ tracks: [Range<Int>], _ movie: MP4Boxes, _ window: inout ByteWindow) {
        var size: (width: Int, height: Int, place: Int)?
        for track in tracks.prefix(64) {
            guard let header = MP4Boxes(track).first("tkhd", &window), window.load(header.lowerBound, 1) else {
                continue
            }
            let matrix = header.lowerBound + (window[header.lowerBound] == 1 ? 52 : 40)
            guard let width = window.bigEndian(matrix + 36, 4), let height = window.bigEndian(matrix + 40, 4),
                matrix + 44 <= header.upperBound, width >= 1 << 16, height >= 1 << 16
            else { continue }
            size = (width >> 16, height >> 16, matrix)
            break
        }
        guard let size else { return nil }
        (width, height) = (size.width, size.height)
        orientation = Self.orientation(size.place, &window)
        captured = Self.captured(movie, &window)
    }

    func describe(_ file: inout ScannedFile) {
        (file.width, file.height, file.orientation, file.captured) = (width, height, orientation, captured)
    }

    /// The matrix's rotation as EXIF's orientation.
    private static func orientation(_ matrix: Int, _ window: inout ByteWindow) -> Int? {
        let (one, minus) = (0x1_0000, 0xffff_0000)
        switch (
            window.bigEndian(matrix, 4), window.bigEndian(matrix + 4, 4), window.bigEndian(matrix + 12, 4),
            window.bigEndian(matrix + 16, 4)
        ) {
        case (one, 0, 0, one): return 1
        case (minus, 0, 0, minus): return 3
        case (0, one, minus, 0): return 6
        case (0, minus, one, 0): return 8
        default: return nil
        }
    }

    private static func captured(_ movie: MP4Boxes, _ window: inout ByteWindow) -> CaptureDate? {
        guard let header = movie.first("mvhd", &window), window.load(header.lowerBound, 1),
            let time = window.bigEndian(header.lowerBound + 4, window[header.lowerBound] == 1 ? 8 : 4),
            (epoch + 1..<1 << 40).contains(time)
        else { return nil }
        return CaptureDate(seconds: Int64(time - epoch), zone: 0)
    }
}
