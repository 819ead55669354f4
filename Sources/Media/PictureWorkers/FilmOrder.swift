package import Pictures

/// What is asked of a film's frames, as one message.
package enum FilmOrder: Sendable, Hashable {
    package struct Frame: Sendable, Hashable {
        /// The moment whose frame is wanted, in seconds of the film's sound.
        package var time: Double
        /// Whether after a jump the keyframe before will do.
        package var isFirst: Bool
        /// When the frame that is on the screen began, in seconds: it is not made again.
        package var known: Double?
        /// Whether the screen was cleared.
        package var isWhole: Bool
        /// Where the picture begins on the screen; the first column and row are 1.
        package var column, row: Int
        package var canvas: TerminalCanvas

        package init(
            at time: Double,
            isFirst: Bool = false,
            known: Double? = nil,
            isWhole: Bool,
            column: Int = 1,
            row: Int = 1,
            on canvas: TerminalCanvas
        ) {
            self.time = time.isFinite ? min(max(time, 0), 1e9) : 0
            (self.isFirst, self.known, self.isWhole, self.canvas) = (isFirst, known, isWhole, canvas)
            (self.column, self.row) = (
                min(TerminalCanvas.limit, max(1, column)), min(TerminalCanvas.limit, max(1, row))
            )
        }
    }

    /// With so many threads.
    case open(threads: Int)
    case frame(Frame)

    package var text: String {
        switch self {
        case .open(let threads): return "open \(threads)"
        case .frame(let frame):
            let flags = "\(frame.isFirst ? "first" : "exact") \(frame.isWhole ? "whole" : "changes")"
            let known = frame.known.map { "\($0)" } ?? "-"
            return "frame \(frame.time) \(flags) \(known) \(frame.column) \(frame.row) \(frame.canvas.text)"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        switch words.first {
        case "open":
            guard words.count == 2, let threads = Int(words[1]) else { return nil }
            self = .open(threads: threads)
        case "frame":
            guard words.count == 7 + TerminalCanvas.wordCount, let time = Double(words[1]), let column = Int(words[5]),
                let row = Int(words[6]), let canvas = TerminalCanvas(words[7...])
            else { return nil }
            self = .frame(
                Frame(
                    at: time,
                    isFirst: words[2] == "first",
                    known: Double(words[4]),
                    isWhole: words[3] == "whole",
                    column: column,
                    row: row,
                    on: canvas
                )
            )
        default: return nil
        }
    }
}

/// What became of a ``FilmOrder``, as one message.
package enum FilmAnswer: Sendable, Hashable {
    /// The film's size, upright and in square pixels.
    case opened(PixelSize)
    /// When the frame is shown, in seconds; the last one has no end.
    case frame(begin: Double, end: Double?)
    /// The film has no frames.
    case nothing

    package var text: String {
        switch self {
        case .opened(let size): "opened \(size.width) \(size.height)"
        case .frame(let begin, let end): "frame \(begin) \(end.map { "\($0)" } ?? "-")"
        case .nothing: "nothing"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        switch words.first {
        case "opened":
            guard words.count == 3, let width = Int(words[1]), let height = Int(words[2]),
                let size = PixelSize(width, height)
            else { return nil }
            self = .opened(size)
        case "frame":
            guard words.count == 3, let begin = Double(words[1]), begin.isFinite else { return nil }
            let end = Double(words[2])
            if let end, !end.isFinite { return nil }
            self = .frame(begin: begin, end: end)
        case "nothing": self = .nothing
        default: return nil
        }
    }
}
