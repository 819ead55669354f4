package import PictureValues

/// An order to a worker for one file, as one message.
package struct PictureOrder: Sendable, Hashable {
    /// The longest side of the result, or of each frame of a strip, in pixels, 1 to ``sideLimit``.
    package var side: Int
    package var format: PictureFormat
    /// 1 to 100.
    package var quality: Int
    /// Of a film.
    package var moment: FilmMoment
    package var isExact: Bool
    /// How many frames of a film lie side by side in the result: 1 to ``stripLimit``.
    package var frames: Int
    /// Whether only the cover of a song or film is wanted, not a frame.
    package var isOfCover = false
    package var layout = PictureLayout.whole

    package static let sideLimit = 16_384
    package static let stripLimit = 100

    package init(
        side: Int,
        format: PictureFormat = .jpeg,
        quality: Int = 85,
        moment: FilmMoment = .usual,
        isExact: Bool = false,
        frames: Int = 1
    ) {
        self.side = min(Self.sideLimit, max(1, side))
        self.quality = min(100, max(1, quality))
        self.frames = min(Self.stripLimit, max(1, frames))
        (self.format, self.moment, self.isExact) = (format, moment, isExact)
    }

    /// The order as part of a file name.
    package var cacheName: String { text.split(separator: " ").joined(separator: "-") }

    package var text: String {
        let flags = "\(isExact ? "exact" : "near") \(frames) \(isOfCover ? "cover" : "any") \(layout.rawValue)"
        return "\(side) \(format.rawValue) \(quality) \(moment.text) \(flags)"
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 9, let side = Int(words[0]), let format = PictureFormat(rawValue: String(words[1])),
            let quality = Int(words[2]), let moment = FilmMoment(words[3...4]), let frames = Int(words[6]),
            let layout = PictureLayout(rawValue: String(words[8]))
        else { return nil }
        self.init(
            side: side,
            format: format,
            quality: quality,
            moment: moment,
            isExact: words[5] == "exact",
            frames: frames
        )
        isOfCover = words[7] == "cover"
        self.layout = layout
    }
}

/// The shape of a picture, and the parts that it is made of.
package enum PictureLayout: String, Sendable, Hashable {
    case whole
    /// Its middle fills a square, whose sides are all as long as was ordered; small ones are enlarged.
    case square
    /// Four pictures of one size, two above the other two.
    case mosaic

    package static let mosaicParts = 4
}

/// The answer to an order, as one message.
package enum PictureAnswer: Sendable, Hashable {
    case made(PixelSize)
    /// A part of it is missing, for a reason.
    case partlyMade(PixelSize, String)
    case failed(String)
    /// The worker makes none at all.
    case unable(String)

    package var text: String {
        switch self {
        case .made(let size): "made \(size.width) \(size.height)"
        case .partlyMade(let size, let reason): "partly \(size.width) \(size.height) \(reason)"
        case .failed(let reason): "failed \(reason)"
        case .unable(let reason): "unable \(reason)"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "made":
            let numbers = words[1].split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2, let size = PixelSize(numbers[0], numbers[1]) else { return nil }
            self = .made(size)
        case "partly":
            let parts = words[1].split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let width = Int(parts[0]), let height = Int(parts[1]),
                let size = PixelSize(width, height)
            else { return nil }
            self = .partlyMade(size, String(parts[2]))
        case "failed": self = .failed(String(words[1]))
        case "unable": self = .unable(String(words[1]))
        default: return nil
        }
    }
}
